/// The order in which a shuffled playlist is played: a permutation of its indices with a place in it.
///
/// The entries before the place were played, those behind it follow. An edit of the playlist changes the order as well, which takes one pass over
/// 4 bytes an entry.
struct ShuffledOrder: Sendable {
    /// The playlist's indices in the order of playing.
    private(set) var indices: [UInt32]
    /// The current track's place in the order.
    private(set) var place = 0
    private var generator: ShuffleGenerator
    /// Whether the player goes on in this order when it begins with the current track, instead of in a new one.
    private var waits = false

    /// Takes over an order.
    ///
    /// - Parameters:
    ///   - order: The indices, each once.
    ///   - seed: Decides on what is drawn later.
    ///   - current: The current track, whose place in the order is the present one.
    ///   - waits: Whether the player goes on in this order when it begins with the current track.
    init(_ order: [Int], seed: UInt64, current: Int, waits: Bool) {
        generator = ShuffleGenerator(seed: seed)
        indices = order.map { UInt32($0) }
        place = order.firstIndex(of: current) ?? 0
        self.waits = waits
    }

    /// Draws an order.
    ///
    /// - Parameters:
    ///   - count: How many tracks there are.
    ///   - seed: Decides on the order.
    ///   - first: The index that comes first; `nil` to have it drawn too.
    init(count: Int, seed: UInt64, beginningWith first: Int?) {
        generator = ShuffleGenerator(seed: seed)
        indices = Array(0..<UInt32(count))
        if let first, count > 0 {
            indices.swapAt(0, first)
            generator.shuffle(&indices[1...])
        } else {
            generator.shuffle(&indices[...])
        }
    }

    /// Where an index is in the order.
    func place(of index: Int) -> Int? {
        if indices.indices.contains(place), indices[place] == UInt32(index) { return place }
        return indices.firstIndex(of: UInt32(index))
    }

    /// The index at a place.
    func index(at place: Int) -> Int { Int(indices[place]) }

    // MARK: Playing

    /// Makes a track the current one that lies on the way.
    mutating func select(_ index: Int) {
        waits = false
        if let place = place(of: index) { self.place = place }
    }

    /// Brings a track behind the current one and makes it the current one: what was played stays played.
    mutating func jump(to index: Int) {
        waits = false
        guard let source = place(of: index), source != place else { return }
        let moved = indices.remove(at: source)
        if source < place { place -= 1 }
        place += 1
        indices.insert(moved, at: place)
    }

    /// Draws a new order that begins with a track; an order that waits for the track goes on.
    mutating func begin(with index: Int) {
        defer { waits = false }
        guard let source = place(of: index), !waits || source != place else { return }
        indices.swapAt(0, source)
        generator.shuffle(&indices[1...])
        place = 0
    }

    // MARK: Rounds

    /// The order of the next round, which does not begin with the track that ends this one. Asking for it changes nothing: the
    /// answer is the same until the next edit.
    ///
    /// - Parameter last: The place after which the round begins.
    func nextRound(after last: Int) -> ShuffledOrder {
        var round = self
        round.place = 0
        guard indices.count > 1 else { return round }
        round.generator.shuffle(&round.indices[...])
        if indices.indices.contains(last), round.indices[0] == indices[last] {
            round.indices.swapAt(0, 1 + round.generator.below(indices.count - 1))
        }
        return round
    }

    /// Goes on to the next round.
    mutating func beginNextRound() { self = nextRound(after: place) }

    // MARK: Edits

    /// Lets new tracks enter what comes, each anywhere in it.
    mutating func insert(_ count: Int, at index: Int) {
        let bound = UInt32(index)
        let shift = UInt32(count)
        if index < indices.count {
            for position in indices.indices where indices[position] >= bound { indices[position] += shift }
        }
        var new = Array(bound..<bound + shift)[...]
        generator.shuffle(&new)
        if indices.isEmpty {
            indices = [bound] + new.filter { $0 != bound }
        } else if let only = new.first, new.count == 1 {
            indices.insert(only, at: place + 1 + generator.below(indices.count - place))
        } else {
            merge(new)
        }
    }

    /// Deals new tracks out among those that come, which keep their order.
    private mutating func merge(_ new: ArraySlice<UInt32>) {
        let coming = Array(indices[(place + 1)...])
        indices.removeSubrange((place + 1)...)
        indices.reserveCapacity(indices.count + coming.count + new.count)
        var new = new[...]
        var old = coming[...]
        while !new.isEmpty {
            let takesNew = generator.below(new.count + old.count) < new.count
            if let next = takesNew ? new.popFirst() : old.popFirst() { indices.append(next) }
        }
        indices.append(contentsOf: old)
    }

    /// Takes tracks out. When the current one is among them, the next one that is left takes its place, or the new last one.
    mutating func remove(_ removed: Set<Int>) {
        let gone = UInt32.max
        // The index that each track has afterwards.
        var later = [UInt32](repeating: 0, count: indices.count)
        for index in removed { later[index] = gone }
        var left: UInt32 = 0
        for index in later.indices where later[index] != gone {
            later[index] = left
            left += 1
        }
        place = indices[..<place].count { later[Int($0)] != gone }
        indices = indices.compactMap { later[Int($0)] == gone ? nil : later[Int($0)] }
        place = Swift.max(0, Swift.min(place, indices.count - 1))
    }

    /// Follows tracks that were moved in the playlist; the order of playing stays.
    ///
    /// - Parameter targets: The tracks' indices afterwards, each once, by their indices before.
    mutating func move(_ targets: [Int: Int]) {
        let open = UInt32.max
        // The index that each track has afterwards, and whether a moved track has it.
        var later = [UInt32](repeating: open, count: indices.count)
        var isTaken = [Bool](repeating: false, count: indices.count)
        for (source, target) in targets { (later[source], isTaken[target]) = (UInt32(target), true) }
        var free = 0
        for index in later.indices where later[index] == open {
            while isTaken[free] { free += 1 }
            later[index] = UInt32(free)
            free += 1
        }
        for position in indices.indices { indices[position] = later[Int(indices[position])] }
    }
}

/// The random numbers of a shuffled playlist: SplitMix64, whose sequence depends on the seed alone, on every machine and with
/// every version of Swift.
struct ShuffleGenerator: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A number in 0..<bound.
    mutating func below(_ bound: Int) -> Int {
        // 32 random bits times the bound: even enough for lists that fit into memory, and without a loop.
        Int(((next() >> 32) &* UInt64(bound)) >> 32)
    }

    /// Brings elements into random order.
    mutating func shuffle(_ elements: inout ArraySlice<UInt32>) {
        let start = elements.startIndex
        var last = elements.count - 1
        while last > 0 {
            elements.swapAt(start + last, start + below(last + 1))
            last -= 1
        }
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
