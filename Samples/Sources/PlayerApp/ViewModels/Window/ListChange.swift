/// The smallest single stretch of a list that has changed, as list views take it.
public struct ListChange: Sendable, Equatable {
    /// Where the stretch begins.
    public let start: Int
    /// How many elements it had.
    public let removed: Int
    /// How many it has.
    public let added: Int

    /// Compares two lists.
    ///
    /// - Parameters:
    ///   - old: The list as it was.
    ///   - new: The list as it is; `nil` is returned when it is the same.
    public init?<Element: Equatable>(from old: [Element], to new: [Element]) {
        self.init(from: old.count, to: new.count) { old[$0] == new[$1] }
    }

    /// - Parameter isSame: Whether an element of the old list is the same as one of the new list.
    init?(from old: Int, to new: Int, isSame: (Int, Int) -> Bool) {
        let shorter = min(old, new)
        let start = (0..<shorter).first { !isSame($0, $0) } ?? shorter
        let end = (0..<shorter - start).first { !isSame(old - 1 - $0, new - 1 - $0) } ?? shorter - start
        self.start = start
        removed = old - start - end
        added = new - start - end
        if removed == 0, added == 0 { return nil }
    }

    /// Where an element of the list as it was lies now; `nil` for one of the stretch.
    func place(of old: Int) -> Int? {
        old < start ? old : old >= start + removed ? old + added - removed : nil
    }
}

/// Where the elements of a list lie after others have come or gone, or after some were moved.
struct MovedPlaces: Sendable {
    private let change: ListChange
    /// Where the elements of the stretch that has changed lie now; `nil` for those that are gone.
    private let places: [Int?]

    /// Compares two lists.
    ///
    /// - Parameters:
    ///   - old: The list as it was.
    ///   - new: The list as it is; `nil` is returned when it is the same.
    init?<Element: Hashable>(from old: [Element], to new: [Element]) {
        guard let change = ListChange(from: old, to: new) else { return nil }
        self.change = change
        let before = old[change.start..<change.start + change.removed]
        let now = new[change.start..<change.start + change.added]
        if change.added > change.removed, let found = Self.places(of: before, in: now) {
            places = found
        } else if change.added < change.removed, let kept = Self.places(of: now, in: before) {
            var found = [Int?](repeating: nil, count: before.count)
            for (offset, place) in kept.enumerated() { found[place - change.start] = change.start + offset }
            places = found
        } else {
            places = Self.places(ofMoved: before, in: now)
        }
    }

    /// Where an element of the list as it was lies now; `nil` for one that is gone.
    func place(of old: Int) -> Int? {
        let offset = old - change.start
        return places.indices.contains(offset) ? places[offset] : change.place(of: old)
    }

    /// Where an element of the list as it was lies now, or else the first one behind it that is left.
    func target(of old: Int) -> Int {
        let end = max(old, change.start + change.removed)
        return (old...end).lazy.compactMap { place(of: $0) }.first ?? end
    }

    /// Finds elements in a list that has them in their order, with others between them; `nil` when it has not.
    private static func places<Element: Equatable>(
        of part: ArraySlice<Element>, in whole: ArraySlice<Element>
    ) -> [Int]? {
        var places: [Int] = []
        var next = whole.startIndex
        for element in part {
            guard let place = whole[next...].firstIndex(of: element) else { return nil }
            places.append(place)
            next = place + 1
        }
        return places
    }

    /// Finds elements in a list that has them in another order. Equal elements keep their order.
    private static func places<Element: Hashable>(
        ofMoved elements: ArraySlice<Element>, in list: ArraySlice<Element>
    ) -> [Int?] {
        // The last place first, so that the first one is taken from the end.
        var places: [Element: [Int]] = [:]
        for place in list.indices.reversed() { places[list[place], default: []].append(place) }
        return elements.map { places[$0]?.popLast() }
    }
}
