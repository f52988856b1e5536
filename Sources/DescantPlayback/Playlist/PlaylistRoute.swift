/// The indices that are tried one after the other until a track can be played.
struct PlaylistRoute: Sequence, Sendable {
    /// One index on the way.
    struct Stop: Sendable, Hashable {
        /// Where in the playlist.
        var index: Int
        /// Whether the way to it leads past the end of the playlist, or back to the same track.
        var isRepeat: Bool
        /// Whether a person asked for this very track.
        var isJump = false
        /// Whether the way to it leads past the end of a shuffled playlist, into the next round.
        var beginsRound = false
    }

    /// The first place, counted in the order of playing.
    var start: Int
    /// 1 forward, -1 backward.
    var step: Int
    /// How many places there are.
    var length: Int
    /// How many tracks the playlist has.
    var count: Int
    /// The order of playing; `nil` when that is the playlist's own order.
    var order: ShuffledOrder?
    /// Whether the first index is already a repetition.
    var beginsRepeated = false
    /// Whether a person asked for this very track.
    var isJump = false

    /// No index at all.
    static let none = PlaylistRoute(start: 0, step: 1, length: 0, count: 0)

    /// The maximum number of tracks that one search tries. It covers an ordinary playlist, and ends early when a disk with a hundred thousand
    /// files is missing.
    static let longestSearch = 100

    /// The first index, if there is one.
    var first: Stop? { first { _ in true } }

    func makeIterator() -> Iterator { Iterator(route: self) }

    /// Goes along a route; the next round of a shuffled playlist is drawn when the way leads there.
    struct Iterator: IteratorProtocol {
        private let route: PlaylistRoute
        private var number = 0
        private var round: ArraySlice<UInt32>?

        fileprivate init(route: PlaylistRoute) { self.route = route }

        mutating func next() -> Stop? {
            guard number < Swift.min(route.length, PlaylistRoute.longestSearch) else { return nil }
            defer { number += 1 }
            let raw = route.start + number * route.step
            let isRepeat = route.beginsRepeated || raw >= route.count
            guard let order = route.order else {
                let index = ((raw % route.count) + route.count) % route.count
                return Stop(index: index, isRepeat: isRepeat, isJump: route.isJump)
            }
            if raw < route.count {
                return Stop(index: order.index(at: raw < 0 ? raw + route.count : raw), isRepeat: isRepeat)
            }
            var rest = round ?? route.nextRound(of: order)
            let index = rest.popFirst()
            round = rest
            return index.map { Stop(index: Int($0), isRepeat: true, beginsRound: true) }
        }
    }

    /// The next round, without the tracks that were tried on the way to it.
    private func nextRound(of order: ShuffledOrder) -> ArraySlice<UInt32> {
        let tried = Set(order.indices[Swift.min(start, count)...])
        let round = order.nextRound(after: start - 1).indices
        return tried.isEmpty ? round[...] : round.filter { !tried.contains($0) }[...]
    }
}
