/// A recording of what a listener would hear.
public protocol HeardRecording: Sendable {
    /// The number of frames recorded so far.
    var frameCount: Int { get }

    /// Waits until a number of frames is recorded.
    ///
    /// - Parameters:
    ///   - frames: The number of frames since the beginning of the recording.
    ///   - seconds: The maximum wait, in seconds.
    /// - Throws: `TestSupportError.failed` when the time has passed or the recorder ends before.
    func wait(frames: Int, limit seconds: Double) async throws

    /// Ends the recording.
    ///
    /// - Returns: Everything that was recorded: interleaved stereo samples at 48 kHz, the format of the sinks.
    func stop() async -> [Float]
}

extension HeardRecording {
    /// Waits up to a minute until a number of frames is recorded.
    ///
    /// - Throws: As for ``wait(frames:limit:)``.
    public func wait(frames: Int) async throws { try await wait(frames: frames, limit: 60) }
}
