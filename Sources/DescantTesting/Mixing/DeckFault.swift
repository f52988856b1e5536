public import DescantCore

/// The faults of a deck of ``MemoryDecks``; none by default.
public struct DeckFault: Sendable {
    /// Opening throws this.
    public var openError: CoreError?
    /// Opening waits until ``MemoryDecks/release(_:)`` is called with the source's name.
    public var opensOnRelease = false
    /// Reading is starved from this source frame on until ``MemoryDecks/release(_:)`` is called.
    public var starvesAtFrame: Int64?
    /// Reading fails at this source frame with this error.
    public var failure: (frame: Int64, error: CoreError)?
    /// The stream ends at this source frame, before the announced length.
    public var endsAtFrame: Int64?
    /// The announced length in frames; `nil` for the true one.
    public var announcedFrames: Int64?
    /// Whether a length is announced.
    public var announcesLength = true
    /// Whether the announced length is marked as exact.
    public var isLengthExact = true
    /// Whether the deck reports that a seek to the start is instant.
    public var rewindsInstantly = true

    /// Creates a description without faults.
    public init() {}
}
