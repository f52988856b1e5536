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
        let shorter = min(old.count, new.count)
        let start = (0..<shorter).first { old[$0] != new[$0] } ?? shorter
        let end = (0..<shorter - start).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? shorter - start
        self.start = start
        removed = old.count - start - end
        added = new.count - start - end
        if removed == 0, added == 0 { return nil }
    }
}
