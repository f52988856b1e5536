internal import CGStreamer
public import DescantCore
internal import DescantMixing
public import Foundation
internal import Synchronization

/// GStreamer's sound devices and files as an output port: PulseAudio and PipeWire, ALSA, WAVE, FLAC and raw files, a
/// closure, or silence in real time.
///
/// The destination is explicit: GStreamer's automatic sink plays silently into nothing when there is no server. A
/// device that goes away is an error of the next ``render(_:frameCount:)``.
///
/// ``render(_:frameCount:)`` copies into a ring without locks, allocations or waits. It may be called from one thread
/// at a time, while other threads use ``pendingFrames``, volume and equaliser. The caller serialises
/// ``configure(sampleRate:channels:framesPerBuffer:)``, ``start()``, ``stop()`` and ``flush()`` with it.
///
/// ``start()`` replaces an existing file; the file is complete after ``stop()``. The equaliser begins at rest with each start, so that what was
/// played before a stop does not ring on in what follows.
public final class GStreamerOutput: RewindableOutput, EQPort, Sendable {
    private struct State {
        var format: PCMFormat?
        var framesPerBuffer = 0
        var session: (any PortSession)?
        /// The frames that the last session dropped; valid until the next render.
        var dropped = 0
        var lastError: CoreError?
    }

    /// Where the sound goes.
    public let destination: OutputDestination
    private let applicationName: String
    private let state = Mutex(State())
    /// Held while a device or a file is opened or closed, which takes time; ``state`` is not.
    private let work = Mutex(())
    private let equalizer = PortEqualizer()
    /// The running session, for ``render(_:frameCount:)``, which takes no lock.
    ///
    /// Safe: written by calls that the port's contract serialises with rendering.
    private nonisolated(unsafe) var running: (any PortSession)?
    private let hasRendered = Atomic(false)

    /// The time limit for opening a device, in seconds.
    private static let startLimit = 5.0
    /// The minimum length of the ring, in seconds.
    private static let ringLength = 0.2
    private static let offlineRingLength = 2.0

    /// Creates an output; nothing is acquired before ``start()``.
    ///
    /// - Parameters:
    ///   - destination: Where the sound goes.
    ///   - applicationName: The name that a sound server shows for the stream.
    public init(
        destination: OutputDestination = .pulse(), applicationName: String = ProcessInfo.processInfo.processName
    ) {
        self.destination = destination
        self.applicationName = applicationName
    }

    deinit { state.withLock { $0.session }?.close() }

    /// Sets the format of the frames to render.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second, a whole number of Hz, 1…768,000.
    ///   - channels: Samples per frame, 1…8, in the order of WAVE files.
    ///   - framesPerBuffer: The preferred number of frames per ``render(_:frameCount:)``, 1…1,048,576.
    /// - Throws: `CoreError.invalidArgument` outside the ranges, `CoreError.unsupported` for a format that the
    ///   destination refuses or a missing element, `CoreError.invalidState` while started.
    public func configure(sampleRate: Double, channels: Int, framesPerBuffer: Int) throws {
        guard sampleRate > 0, sampleRate <= 768_000, sampleRate.rounded() == sampleRate else {
            throw CoreError.invalidArgument(
                "a sample rate of \(sampleRate) Hz; whole numbers of 1 to 768000 are possible")
        }
        guard (1...8).contains(channels) else {
            throw CoreError.invalidArgument("\(channels) channels; 1 to 8 are possible")
        }
        guard (1...1 << 20).contains(framesPerBuffer) else {
            throw CoreError.invalidArgument("buffers of \(framesPerBuffer) frames; 1 to 1048576 are possible")
        }
        try state.withLock { state in
            guard state.session == nil else {
                throw CoreError.invalidState("the output is started; stop it before it is configured")
            }
            let format = PCMFormat(sampleRate: Int(sampleRate), channels: channels)
            guard try FormatCheck.accepts(format, destination: destination) else {
                throw CoreError.unsupported("\(destination.name) does not take \(format.words)")
            }
            state.format = format
            state.framesPerBuffer = framesPerBuffer
        }
    }

    /// Acquires the device, or starts the file. Does nothing when started.
    ///
    /// - Throws: `CoreError.invalidState` when not configured, `CoreError.ioError` when the device or file cannot be had within
    ///   5 s, `CoreError.unsupported` when an element is missing.
    public func start() throws {
        try work.withLock { _ in
            if state.withLock({ $0.session == nil }) { try open() }
        }
    }

    /// Opens the device or the file, which takes time: without the lock of the state, which other threads read.
    private func open() throws {
        let (configured, framesPerBuffer) = state.withLock { ($0.format, $0.framesPerBuffer) }
        guard let format = configured else {
            throw CoreError.invalidState("the output has no shape yet; configure it before it is started")
        }
        do { try GStreamerRuntime.start() } catch { throw CoreError.unsupported("\(error)") }
        let length = destination.isOffline ? Self.offlineRingLength : Self.ringLength
        // A device that holds much is asked for room less often.
        let block = destination.isDevice ? format.frames(in: destination.usualBlock) : Int64(format.sampleRate / 50)
        let plan = SessionPlan(
            format: format, destination: destination, blockFrames: max(1, Int(block)), epochFrame: 0,
            applicationName: applicationName)
        equalizer.prepare(format)
        let ring = SampleRing(
            channels: format.channels, frames: max(2 * framesPerBuffer, Int(format.frames(in: length))))
        let session: any PortSession =
            if destination.isDevice {
                DeviceSession(plan: plan, ring: ring, equalizer: equalizer)
            } else {
                try PipelineSession(plan: plan, ring: ring, equalizer: equalizer)
            }
        do {
            try session.start(limit: Self.startLimit)
        } catch {
            session.close()
            throw error
        }
        hasRendered.store(false, ordering: .relaxed)
        state.withLock { state in
            state.lastError = nil
            state.session = session
        }
        running = session
    }

    /// Releases the device and drops unheard frames, or completes the file. Does nothing when not started.
    public func stop() {
        work.withLock { _ in
            if let session = state.withLock({ $0.session }) { close(session) }
        }
    }

    private func close(_ session: any PortSession) {
        running = nil
        state.withLock { $0.session = nil }
        session.close()
        state.withLock { state in
            state.dropped = session.pending
            state.lastError = session.error
        }
    }

    /// Whether frames can be taken back: on a sound device.
    public var rewinds: Bool { destination.isDevice }

    /// Takes back what the device has not begun to play, without a gap.
    ///
    /// - Returns: The number of frames; 0 without a started device.
    public func takeBack() -> Int { work.withLock { _ in state.withLock { $0.session }?.takeBack() ?? 0 } }

    /// Drops unheard frames: on a sound device those that it has not begun to play, without a gap; other destinations are opened again.
    /// Does nothing for a file.
    public func flush() {
        work.withLock { _ in
            guard !destination.isOffline, let session = state.withLock({ $0.session }) else { return }
            if let dropped = session.takeBack() {
                hasRendered.store(false, ordering: .relaxed)
                return state.withLock { $0.dropped = dropped }
            }
            close(session)
            do {
                try open()
            } catch {
                // The next render throws the session's error.
                session.fail(CoreError(reopening: error))
                state.withLock { $0.session = session }
                running = session
            }
        }
    }

    /// Takes frames to play. Does not allocate, lock or wait.
    ///
    /// - Parameters:
    ///   - buffer: Interleaved samples.
    ///   - frameCount: The number of frames in the buffer.
    /// - Returns: The number of frames consumed; the others must be passed again.
    /// - Throws: `CoreError.invalidState` when not started, `CoreError.ioError` when the device or the file has failed.
    public func render(_ buffer: UnsafePointer<Float>, frameCount: Int) throws -> Int {
        guard let running else { throw CoreError.invalidState("the output is not started") }
        guard frameCount > 0 else { return 0 }
        hasRendered.store(true, ordering: .relaxed)
        return try running.render(buffer, frames: frameCount)
    }

    /// The number of frames that were rendered and not heard yet; 0 for a file. After ``stop()`` and ``flush()``: the
    /// number of dropped frames.
    public var pendingFrames: Int {
        state.withLock { state in
            guard let session = state.session, hasRendered.load(ordering: .relaxed) else { return state.dropped }
            return session.pending
        }
    }

    /// Devices set the pace; files are written as fast as frames are rendered.
    public var pacing: OutputPacing { destination.isOffline ? .none : .output }

    /// The error of the device or the file since the last start; `nil` without one. Includes an error of ``stop()``
    /// when it completes a file.
    public var failure: CoreError? { state.withLock { $0.session?.error ?? $0.lastError } }

    // MARK: Equaliser

    /// Whether the equaliser is on; off by default. When it is off, samples pass bit for bit. Any thread.
    public var isEnabled: Bool {
        get { equalizer.settings.isEnabled }
        set { equalizer.change { $0.isEnabled = newValue } }
    }

    /// Gain before the bands in decibels, -12…12. Any thread.
    public var preamp: Float {
        get { Float(equalizer.settings.preamp) }
        set { equalizer.change { $0.preamp = Double(newValue) } }
    }

    /// The gains of the ten bands in decibels, -12…12, from the lowest frequency up; surplus values are ignored. Any
    /// thread.
    public var bandGains: [Float] {
        get { equalizer.settings.bandGains.map(Float.init) }
        set { equalizer.change { $0.bandGains = newValue.map(Double.init) } }
    }
}

extension CoreError {
    fileprivate init(reopening error: any Error) { self = error as? CoreError ?? .ioError(underlying: error) }
}

/// The equaliser of an output port: set from any thread, applied on the pipeline's streaming thread.
final class PortEqualizer: Sendable {
    private struct State {
        var settings = EqualizerSettings()
        var filter: GraphicEqualizer?
    }

    private let state = Mutex(State())

    /// The present settings.
    var settings: EqualizerSettings { state.withLock { $0.settings } }

    /// Changes the settings.
    func change(_ body: (inout EqualizerSettings) -> Void) {
        state.withLock { state in
            body(&state.settings)
            state.filter?.set(state.settings)
        }
    }

    /// Goes on from an earlier state, towards the present settings.
    func resume(_ filter: GraphicEqualizer?) {
        guard let filter else { return }
        state.withLock { state in
            state.filter = filter
            state.filter?.set(state.settings)
        }
    }

    /// Resets the equaliser for a format.
    func prepare(_ format: PCMFormat) {
        state.withLock {
            $0.filter = GraphicEqualizer(
                sampleRate: format.sampleRate, channels: format.channels, settings: $0.settings)
        }
    }

    /// Equalises a block in place.
    ///
    /// - Returns: The state before the block; `nil` before there is a format.
    @discardableResult
    func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> GraphicEqualizer? {
        state.withLock { state in
            let before = state.filter?.snapshot
            state.filter?.process(samples, frames: frames)
            return before
        }
    }
}

/// Checks whether a destination accepts a format, without acquiring it.
private enum FormatCheck {
    /// - Throws: `CoreError.unsupported` when an element is missing, and for an output of a bundle.
    static func accepts(_ format: PCMFormat, destination: OutputDestination) throws -> Bool {
        if case .port(let name, _, _) = destination {
            throw CoreError.unsupported("\(name) is an output already; make the service with it")
        }
        if destination.isDevice { return destination.accepts(format) }
        let plan = SessionPlan(
            format: format, destination: destination, blockFrames: max(1, format.sampleRate / 50), epochFrame: 0,
            applicationName: "")
        let chain = try SinkChain(plan: plan)
        guard let first = chain.elements.first, let pad = gst_element_get_static_pad(first.pointer, "sink"),
            let caps = gst_caps_from_string(MixerInputs.caps(of: format))
        else { return false }
        defer {
            gst_caps_unref(caps)
            gst_object_unref(pad)
        }
        guard let possible = gst_pad_get_pad_template_caps(pad) else { return false }
        defer { gst_caps_unref(possible) }
        // The FLAC encoder, behind the converter, has a limit of its own.
        if case .flac = destination, format.sampleRate > 655_350 { return false }
        return gst_caps_can_intersect(possible, caps) != 0
    }
}
