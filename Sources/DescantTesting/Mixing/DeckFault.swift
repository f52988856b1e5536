public import DescantCore

/// How a deck of ``MemoryDecks`` misbehaves; the default behaves well.
public struct DeckFault: Sendable {
    /// Opening throws this.
    public var openError: CoreError?
    /// Opening waits until ``MemoryDecks/release(_:)`` is called with the source's name.
    public var opensOnRelease = false
    /// Reading is starved from this source frame on until ``MemoryDecks/release(_:)`` is called.
    public var starvesAtFrame: Int64?
    /// Reading fails at this source frame with this error.
    public var failure: (frame: Int64, error: CoreError)?
    /// The stream ends at this source frame although more was announced.
    public var endsAtFrame: Int64?
    /// The length that is announced; `nil` for the true one.
    public var announcedFrames: Int64?
    /// Whether the length is announced at all.
    public var announcesLength = true
    /// Whether the announced length is said to be exact.
    public var isLengthExact = true
    /// Whether a seek to the start is said to cost nothing.
    public var rewindsInstantly = true

    /// A deck that behaves well.
    public init() {}
}
