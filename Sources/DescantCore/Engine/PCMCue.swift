/// A moment in the sound of a ``PCMSource``.
public struct PCMCue: Sendable, Hashable {
    /// Frames from the beginning of the source.
    public var frame: Int64
    /// A number of the source's own, which comes back with the event.
    public var number: UInt64

    /// Creates a cue.
    ///
    /// - Parameters:
    ///   - frame: Frames from the beginning of the source.
    ///   - number: A number of the source's own.
    public init(frame: Int64, number: UInt64) {
        self.frame = frame
        self.number = number
    }
}
