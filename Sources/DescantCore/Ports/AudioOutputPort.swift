/// A sink for interleaved Float32 PCM.
///
/// Configuration may come from any thread and is serialised by the caller.
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

    /// Hands over frames. Does not allocate, lock or wait.
    ///
    /// - Parameters:
    ///   - buffer: Interleaved samples.
    ///   - frameCount: How many frames the buffer holds.
    /// - Returns: How many frames were consumed; the rest must be offered again.
    /// - Throws: ``CoreError/invalidState(_:)`` when not started.
    func render(_ buffer: UnsafePointer<Float>, frameCount: Int) throws -> Int
}
