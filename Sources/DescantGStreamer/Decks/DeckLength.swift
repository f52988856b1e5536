/// How long a source is, and how that is known.
struct DeckLength: Sendable, Equatable {
    /// In source frames; `nil` while unknown.
    var frames: Int64?
    /// Whether the count is exact to the frame: the deck then delivers exactly so many.
    var isExact: Bool
    /// Whether the stream itself tells the count, so that one that ends long before is not whole.
    var isTold = false

    static let unknown = DeckLength(frames: nil, isExact: false)
}
