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
