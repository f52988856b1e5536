/// The indices that are tried one after the other until a track can be played.
struct PlaylistRoute: Sequence, Sendable {
    /// One index on the way.
    struct Stop: Sendable, Hashable {
        /// Where in the playlist.
        var index: Int
        /// Whether the way to it leads past the end of the playlist, or back to the same track.
        var isRepeat: Bool
    }

    /// The first index.
    var start: Int
    /// 1 forward, -1 backward.
    var step: Int
    /// How many indices there are.
    var length: Int
    /// How many tracks the playlist has.
    var count: Int
    /// Whether the first index is already a repetition.
    var beginsRepeated = false

    /// No index at all.
    static let none = PlaylistRoute(start: 0, step: 1, length: 0, count: 0)

    /// The first index, if there is one.
    var first: Stop? { length > 0 ? stop(0) : nil }

    func makeIterator() -> some IteratorProtocol<Stop> { (0..<length).lazy.map { stop($0) }.makeIterator() }

    private func stop(_ number: Int) -> Stop {
        let raw = start + number * step
        let index = ((raw % count) + count) % count
        return Stop(index: index, isRepeat: beginsRepeated || raw >= count || raw < 0)
    }
}
