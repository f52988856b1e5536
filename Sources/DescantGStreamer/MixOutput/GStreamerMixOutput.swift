package import DescantCore
package import DescantMixing
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Sums the layers of a mix with GStreamer and plays or stores the result.
///
/// One pipeline at a time: a feed for each active layer, audiomixer, limiter and meters, master volume, sink. It exists
/// only while the device is in use; see ``OutputSession``.
package final class GStreamerMixOutput: MixOutput {
    /// What the output is doing.
    enum Phase {
        /// Nothing is acquired; what was rendered and not heard waits.
        case idle
        /// A pipeline is being started.
        case starting(OutputSession)
        case running(OutputSession)
        /// The device went away; a task tries to get it back.
        case lost
        /// A file or a receiver failed.
        case failed(CoreError)
        /// Shut down or finished.
        case ended
    }

    struct State {
        var phase = Phase.idle
        var destination: OutputDestination
        /// Whether `lost` was reported and `restored` was not.
        var isLossReported = false
        var deviceName: String?
    }

    package let format: PCMFormat
    package let isOffline: Bool

    let shared: OutputShared
    let operations = AsyncSerialQueue()
    let state: Mutex<State>
    private let applicationName: String
    private let blockFrames: Int

    /// Prepares an output; nothing is acquired before ``start()``.
    ///
    /// - Parameters:
    ///   - format: The shape of the mix: 1…8 channels, 1…768000 Hz.
    ///   - destination: Where it goes.
    ///   - applicationName: The name that a sound server shows for the stream.
    ///   - blockFrames: How many frames are rendered at a time; `nil` takes the destination's usual length.
    /// - Throws: `CoreError.invalidArgument` for a format outside the ranges.
    package init(
        format: PCMFormat, destination: OutputDestination,
        applicationName: String = ProcessInfo.processInfo.processName, blockFrames: Int? = nil
    ) throws {
        guard (1...8).contains(format.channels), (1...768_000).contains(format.sampleRate) else {
            throw CoreError.invalidArgument(
                "an output has 1…8 channels and 1…768000 Hz, not \(format.channels) and \(format.sampleRate)")
        }
        self.format = format
        self.applicationName = applicationName
        isOffline = destination.isOffline
        self.blockFrames = max(1, blockFrames ?? Int(format.frames(in: destination.usualBlock)))
        shared = OutputShared(sampleRate: format.sampleRate)
        state = Mutex(State(destination: destination))
        if !isOffline { _ = Self.loadElements }
    }

    /// Loads GStreamer and what every output consists of, once in a process and behind the caller: most of what a first start
    /// would wait for. What is missing is reported by the start.
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
        shared.ledger.book.withLock { $0.source = source }
        shared.setReceiver(onEvent)
    }

    // MARK: Settings

    package var heardFrame: Int64 {
        isOffline ? shared.ledger.nextFrame : shared.heard.update(limit: shared.ledger.nextFrame)
    }

    package func setVolume(_ volume: Double) { shared.settings.requestVolume(min(1, max(0, volume))) }

    package func setEqualizer(_ settings: EqualizerSettings) {
        shared.settings.setEqualizer(settings, from: shared.ledger.nextFrame)
    }

    package func setLimiter(enabled: Bool) {
        shared.settings.setLimiter(enabled: enabled, from: shared.ledger.nextFrame)
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
            shared.ledger.book.withLock { $0 = RenderTimeline.Book() }
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

    /// How many frames the file can still take.
    private var roomInFile: Int64 {
        let maximum = state.withLock { $0.destination }.maximumLength(channels: format.channels)
        return maximum.map { $0 - shared.ledger.nextFrame } ?? Int64.max
    }

    private var fullFile: CoreError {
        .ioError(
            "\(state.withLock { $0.destination.file?.path } ?? "the WAVE file") has reached the 4 GiB that a WAVE file can "
                + "hold, after \(Int(format.seconds(of: shared.ledger.nextFrame))) s; write FLAC or bare samples instead"
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
    /// Builds a pipeline that begins where the listener is, and starts it. Called within ``operations``.
    func open(limit seconds: Double) async throws(CoreError) {
        let session = try makeSession()
        let before: Phase? = state.withLock { state in
            if case .ended = state.phase { return nil }
            defer { state.phase = .starting(session) }
            if case .lost = state.phase { return .lost }
            return .idle
        }
        guard let before else { throw .invalidState("the output was shut down") }
        do {
            try await session.start(limit: seconds)
            try adopt(session)
        } catch {
            shared.heard.hold()
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
        let destination = state.withLock { $0.destination }
        do {
            return try shared.ledger.book.withLock { book in
                let heard = shared.heard.known
                let replay = isOffline ? [] : book.history.spans(from: heard, frameBytes: format.frameBytes)
                let past = book.history.spans(from: .min, frameBytes: format.frameBytes)
                if let gain = shared.settings.takeRequestedVolume() { setInitialVolume(gain, in: &book) }
                let plan = SessionPlan(
                    format: format, destination: destination, blockFrames: blockFrames,
                    epochFrame: replay.first?.frame ?? book.nextFrame, applicationName: applicationName)
                let session = try OutputSession(
                    plan: plan, shared: shared, past: past, replay: replay, volume: book.volume
                ) { [weak self] session, error, time in self?.receive(error, from: session, at: time) }
                if !isOffline { session.leadHeardPosition() }
                return session
            }
        } catch let error as CoreError {
            throw error
        } catch {
            throw .ioError(underlying: error)
        }
    }

    /// A gain that was asked for while nothing was rendered holds from the next frame on, without a ramp.
    private func setInitialVolume(_ gain: Double, in book: inout RenderTimeline.Book) {
        if book.nextFrame == 0 {
            book.volume = GainEnvelope(gain: gain)
        } else {
            book.volume.ramp(to: gain, from: book.nextFrame, over: 1)
        }
    }

    /// Releases a pipeline; what it rendered and nobody heard stays in the ledger.
    func retire(_ session: OutputSession, waiting seconds: Double) async {
        _ = heardFrame
        shared.heard.hold()
        await session.close(waiting: seconds)
    }

    /// Ends a start that hangs, so that stopping does not wait for it.
    private func abandonStart() {
        if case .starting(let session) = state.withLock({ $0.phase }) { session.abandonStart() }
    }

    /// The device buffer, and time for a server that is busy.
    private var drainLimit: Double {
        if case .pulse(_, let latency, _) = state.withLock({ $0.destination }) { return latency + 1 }
        return 2
    }
}
