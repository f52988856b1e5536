package import DescantCore
package import DescantMixing
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Sums the layers of a mix with GStreamer and plays or stores the result.
///
/// One pipeline at a time: an appsrc for each active layer, audiomixer, limiter and meters, master volume, sink. It
/// exists only while the device is in use; see ``OutputSession``.
package final class GStreamerMixOutput: MixOutput {
    /// The state of the output.
    enum Phase {
        /// No device is acquired; unheard blocks are kept.
        case idle
        /// A pipeline is being started.
        case starting(OutputSession)
        case running(OutputSession)
        /// The device went away; a task tries to reopen it.
        case lost
        /// A file or a receiver failed.
        case failed(CoreError)
        /// Shut down or finished.
        case ended
    }

    struct State {
        var phase = Phase.idle
        var destination: OutputDestination
        /// The role of the stream on a sound server.
        var role: AudioRole
        /// Whether `lost` was reported without a later `restored`.
        var isLossReported = false
        var deviceName: String?
        /// The output of a bundle or of the host that was opened last.
        var port: PortWriter?
    }

    package let format: PCMFormat
    package let isOffline: Bool
    package let canRewind: Bool

    let shared: OutputShared
    let operations = AsyncSerialQueue()
    let state: Mutex<State>
    private let applicationName: String
    private let blockFrames: Int

    /// Prepares an output. A file is created; nothing else is acquired before ``start()``.
    ///
    /// - Parameters:
    ///   - format: The format of the mix: 1…8 channels, 1…768000 Hz.
    ///   - destination: Where it goes.
    ///   - applicationName: The name that a sound server shows for the stream.
    ///   - blockFrames: The frames per block; `nil` for the destination's usual length.
    ///   - role: The role of the stream on a sound server.
    /// - Throws: `CoreError.invalidArgument` for a format outside the ranges, `CoreError.ioError` when the file cannot be made.
    package init(
        format: PCMFormat, destination: OutputDestination,
        applicationName: String = ProcessInfo.processInfo.processName, blockFrames: Int? = nil,
        role: AudioRole = .music
    ) throws {
        guard (1...8).contains(format.channels), (1...768_000).contains(format.sampleRate) else {
            throw CoreError.invalidArgument(
                "an output has 1…8 channels and 1…768000 Hz, not \(format.channels) and \(format.sampleRate)")
        }
        try destination.createFile()
        self.format = format
        self.applicationName = applicationName
        isOffline = destination.isOffline
        canRewind = destination.isRewound
        self.blockFrames = max(1, blockFrames ?? Int(format.frames(in: destination.usualBlock)))
        shared = OutputShared(sampleRate: format.sampleRate)
        state = Mutex(State(destination: destination, role: role))
        if !isOffline { _ = Self.loadElements }
    }

    /// Loads GStreamer and the elements of every output, once in a process and in the background: most of the time of a
    /// first start. The start reports missing elements.
    private static let loadElements: Void = DispatchQueue.global(qos: .userInitiated).async {
        guard (try? GStreamerRuntime.start()) != nil else { return }
        for element in ["appsrc", "audiomixer", "volume", "fakesink"] { GStreamerRuntime.load(element) }
    }

    deinit {
        state.withLock { state in
            switch state.phase {
            case .starting(let session), .running(let session): session.closeBehind()
            default: break
            }
        }
    }

    package func connect(source: any MixSource, onEvent: @escaping @Sendable (OutputEvent) -> Void) {
        shared.timeline.state.withLock { $0.source = source }
        shared.setReceiver(onEvent)
    }

    // MARK: Settings

    package var heardFrame: Int64 {
        isOffline ? shared.timeline.nextFrame : shared.heard.update(limit: shared.timeline.nextFrame)
    }

    package func setVolume(_ volume: Double) { shared.settings.requestVolume(min(1, max(0, volume))) }

    package func setEqualizer(_ settings: EqualizerSettings) {
        shared.settings.setEqualizer(settings, from: shared.timeline.nextFrame)
    }

    package func setEffects(_ plan: EffectPlan) {
        shared.settings.setEffects(plan, from: shared.timeline.nextFrame)
    }

    package func setLimiter(enabled: Bool) {
        shared.settings.setLimiter(enabled: enabled, from: shared.timeline.nextFrame)
    }

    package func setRole(_ role: AudioRole) {
        let session: OutputSession? = state.withLock { state in
            state.role = role
            return switch state.phase {
            case .starting(let session), .running(let session): session
            default: nil
            }
        }
        session?.setRole(role)
    }

    package func setMetering(levels: Bool, tap: Bool) {
        shared.settings.wantsLevels.store(levels, ordering: .relaxed)
        shared.settings.wantsTap.store(tap, ordering: .relaxed)
    }

    // MARK: Starting and stopping

    package func start() async throws {
        try await operations.run {
            switch state.withLock({ $0.phase }) {
            case .running(let session): session.gate.resume()
            case .starting, .idle, .lost: try await open(limit: 5)
            case .failed(let error): throw error
            case .ended: throw CoreError.invalidState("the output was shut down or finished")
            }
        }
    }

    package func change<Result>(_ body: (Int64?) throws -> Result) rethrows -> Result {
        guard canRewind else { return try body(nil) }
        if case .running(let session) = state.withLock({ $0.phase }) { return try session.change(body) }
        return try shared.timeline.state.withLock { timeline in
            // Nothing plays, so what was not heard is rendered anew: a stop while the device is away leaves no sound for its return.
            let frame = max(shared.heard.known, timeline.lastChange)
            if !timeline.isPlayed, frame < timeline.nextFrame {
                timeline.rewind(to: frame, frameBytes: format.frameBytes)
                shared.timeline.publish(nextFrame: frame)
            }
            return try body(timeline.changeAtEnd())
        }
    }

    package func wake() {
        state.withLock { state in
            switch state.phase {
            case .starting(let session), .running(let session): session.gate.wake()
            default: break
            }
        }
    }

    package func suspend(if isUnused: @escaping @Sendable () -> Bool) async {
        guard !isOffline else { return }
        await operations.run {
            guard isUnused() else { return }
            let session: OutputSession? = state.withLock { state in
                defer {
                    switch state.phase {
                    case .ended: break
                    default: state.phase = .idle
                    }
                }
                if case .running(let session) = state.phase { return session }
                return nil
            }
            guard let session else { return }
            _ = await session.drain(limit: drainLimit)
            await retire(session, waiting: 1)
        }
    }

    package func shutdown() async {
        abandonStart()
        await operations.run {
            let session: OutputSession? = state.withLock { state in
                defer { state.phase = .ended }
                if case .running(let session) = state.phase { return session }
                return nil
            }
            if let session { await retire(session, waiting: 2) }
            shared.setReceiver(nil)
            shared.timeline.state.withLock { $0 = RenderTimeline.State() }
        }
    }

    // MARK: Offline

    package func advance(frames: Int64) async throws -> Int64 {
        guard isOffline else { throw CoreError.unsupported("an output that plays in real time cannot be advanced") }
        guard frames > 0 else { return 0 }
        let room = roomInFile
        guard room > 0 else { throw fullFile }
        try await start()
        guard case .running(let session) = state.withLock({ $0.phase }) else {
            throw CoreError.invalidState("the output was shut down or finished")
        }
        let rendered = try await session.gate.advance(frames: min(frames, room))
        guard rendered < room || rendered == frames else { throw fullFile }
        return rendered
    }

    /// The frames for which the file has room.
    private var roomInFile: Int64 {
        let maximum = state.withLock { $0.destination }.maximumLength(channels: format.channels)
        return maximum.map { $0 - shared.timeline.nextFrame } ?? Int64.max
    }

    private var fullFile: CoreError {
        .ioError(
            "\(state.withLock { $0.destination.file?.path } ?? "the WAVE file") has reached the 4 GiB that a WAVE file can "
                + "hold, after \(Int(format.seconds(of: shared.timeline.nextFrame))) s; write FLAC or bare samples instead"
        )
    }

    package func finish() async throws {
        guard isOffline else { throw CoreError.unsupported("an output that plays in real time has nothing to finish") }
        try await start()
        try await operations.run {
            guard case .running(let session) = state.withLock({ $0.phase }) else { return }
            let failure = await session.drain(limit: 60)
            let closingFailure = await session.close(waiting: 10)
            state.withLock { state in
                if case .failed = state.phase { return }
                state.phase = .ended
            }
            if let error = failure ?? closingFailure { throw error }
        }
    }
}

// MARK: Pipelines

extension GStreamerMixOutput {
    /// Builds a pipeline that begins at the heard frame, and starts it. Called within ``operations``.
    func open(limit seconds: Double) async throws(CoreError) {
        let (port, destination) = state.withLock { ($0.port, $0.destination) }
        // Each attempt would lose another thread.
        if let reason = await port?.hang() {
            throw SinkFailure.error(text: reason, debug: "", destination: destination)
        }
        let session = try makeSession()
        let before: Phase? = state.withLock { state in
            if case .ended = state.phase { return nil }
            defer { (state.phase, state.port) = (.starting(session), session.port) }
            if case .lost = state.phase { return .lost }
            return .idle
        }
        guard let before else { throw .invalidState("the output was shut down") }
        // It may have been set while the pipeline was built.
        session.setRole(state.withLock { $0.role })
        do {
            try await session.start(limit: seconds)
            try adopt(session)
        } catch {
            shared.leaveTimeline()
            session.closeBehind()
            state.withLock { state in
                switch state.phase {
                case .starting: state.phase = before
                case .failed: state.phase = isOffline ? .failed(error) : before
                default: break
                }
            }
            throw error
        }
    }

    private func adopt(_ session: OutputSession) throws(CoreError) {
        let (isLossOver, failure) = state.withLock { state -> (Bool, CoreError?) in
            switch state.phase {
            case .starting:
                state.phase = .running(session)
                defer { state.isLossReported = false }
                return (state.isLossReported, nil)
            case .failed(let error): return (false, error)
            default: return (false, .invalidState("the output was stopped while it started"))
            }
        }
        if let failure { throw failure }
        if isLossOver { shared.post(.restored) }
        if session.plan.destination.isDevice { watch(session) }
    }

    private func makeSession() throws(CoreError) -> OutputSession {
        let (destination, role) = state.withLock { ($0.destination, $0.role) }
        do {
            return try shared.timeline.state.withLock { timeline in
                let heard = shared.heard.known
                let replay = isOffline ? [] : timeline.history.spans(from: heard, frameBytes: format.frameBytes)
                let past = timeline.history.spans(from: .min, frameBytes: format.frameBytes)
                if let gain = shared.settings.takeRequestedVolume() { setInitialVolume(gain, in: &timeline) }
                let plan = SessionPlan(
                    format: format, destination: destination, blockFrames: blockFrames,
                    epochFrame: replay.first?.frame ?? timeline.nextFrame, applicationName: applicationName, role: role)
                let session = try OutputSession(
                    plan: plan, shared: shared, past: past, replay: replay, volume: timeline.volume
                ) { [weak self] session, error, time in self?.receive(error, from: session, at: time) }
                timeline.isPlayed = true
                if !isOffline { session.leadHeardPosition() }
                return session
            }
        } catch let error as CoreError {
            throw error
        } catch {
            throw .ioError(underlying: error)
        }
    }

    /// Applies a gain that was set while nothing was rendered, from the next frame on and without a ramp.
    private func setInitialVolume(_ gain: Double, in timeline: inout RenderTimeline.State) {
        if timeline.nextFrame == 0 {
            timeline.volume = GainEnvelope(gain: gain)
        } else {
            timeline.volume.ramp(to: gain, from: timeline.nextFrame, over: 1)
        }
    }

    /// Releases a pipeline; its unheard blocks stay in the timeline.
    func retire(_ session: OutputSession, waiting seconds: Double) async {
        _ = heardFrame
        shared.leaveTimeline()
        await session.close(waiting: seconds)
    }

    /// Cancels a start that hangs, so that a shutdown does not wait for it.
    private func abandonStart() {
        if case .starting(let session) = state.withLock({ $0.phase }) { session.abandonStart() }
    }

    /// The length of the device buffer, and 1 s for a busy server.
    private var drainLimit: Double {
        state.withLock { $0.destination.isDevice ? $0.destination.queue + 1 : 2 }
    }
}
