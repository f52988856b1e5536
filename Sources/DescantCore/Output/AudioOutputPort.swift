/// A sink for interleaved Float32 PCM.
///
/// Configuration may come from any thread and is serialised by the caller. ``pacing``, ``pendingFrames`` and ``flush()`` have
/// defaults: an output that implements the rest alone is complete.
public protocol AudioOutputPort: AnyObject {
    /// Sets the shape of what will be rendered; legal only while stopped.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second, in Hz.
    ///   - channels: Samples per frame, 1…8.
    ///   - framesPerBuffer: The preferred number of frames per ``render(_:frameCount:)``.
    /// - Throws: ``CoreError/unsupported(_:)`` for a shape that the device refuses,
    ///   ``CoreError/invalidState(_:)`` while started.
    func configure(sampleRate: Double, channels: Int, framesPerBuffer: Int) throws

    /// Acquires the device.
    ///
    /// - Throws: ``CoreError/invalidState(_:)`` when not configured, ``CoreError/ioError(underlying:)`` when the device
    ///   cannot be had.
    func start() throws

    /// Releases the device; harmless when not started.
    func stop()

    /// Hands over frames. In a `PlaybackService` it does not allocate, lock or wait; in a mix it may wait for less than
    /// 2 s.
    ///
    /// - Parameters:
    ///   - buffer: Interleaved samples.
    ///   - frameCount: How many frames the buffer holds.
    /// - Returns: How many frames were consumed; the rest must be offered again.
    /// - Throws: ``CoreError/invalidState(_:)`` when not started.
    func render(_ buffer: UnsafePointer<Float>, frameCount: Int) throws -> Int

    /// Drops frames that were handed over and not heard yet; more may be rendered at once. Harmless when not started.
    ///
    /// The default does nothing: what the output holds is heard before what is rendered next.
    func flush()

    /// How many frames were handed over and not heard yet. After ``stop()`` and ``flush()``, until the next ``render(_:frameCount:)``:
    /// how many were dropped by them. Any thread, without waiting.
    ///
    /// The default is 0: what was handed over counts as heard.
    var pendingFrames: Int { get }

    /// What sets the rate at which the output is given frames. Does not change while started.
    ///
    /// The default is ``OutputPacing/clock``.
    var pacing: OutputPacing { get }
}

/// An output that sends to a receiver of the host's choice, such as one on the network.
public protocol AddressedOutput: AudioOutputPort {
    /// Sets the receiver; legal only while stopped. A receiver that the output's own settings name no longer counts.
    ///
    /// - Parameter address: The receiver, in the form that the output's documentation describes, such as `tcp://192.168.1.20:4953`.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for an address that cannot be understood, ``CoreError/invalidState(_:)`` while
    ///   started.
    func setAddress(_ address: String) throws
}

/// An output that can take back what it has not played while it plays on, so that a change is heard at once.
public protocol RewindableOutput: AudioOutputPort {
    /// Whether it can at present. Does not change while started.
    var rewinds: Bool { get }

    /// Takes back the frames that were handed over last, as far as it has not begun to play them. It plays the others on, and goes on
    /// without a gap with what is rendered next. ``AudioOutputPort/pendingFrames`` counts the others as before. The caller serialises
    /// it with rendering.
    ///
    /// - Returns: How many frames were taken back.
    func takeBack() -> Int
}

extension AudioOutputPort {
    /// Does nothing.
    public func flush() {}

    /// 0: what was handed over counts as heard.
    public var pendingFrames: Int { 0 }

    /// The service's clock keeps the time.
    public var pacing: OutputPacing { .clock }
}

/// What sets the rate at which an output is given frames.
public enum OutputPacing: String, Sendable, Hashable, Codable {
    /// The output: it consumes fewer frames than it is offered while its buffer is full, as a sound device does.
    case output
    /// The clock of the caller, which renders in real time. The output consumes everything at once and would be given too much otherwise.
    case clock
    /// Nothing: frames are rendered as fast as possible, as for a file.
    case none
}
