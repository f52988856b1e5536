public import Foundation

/// What the lines of a list of tracks stand for; two of them tell which lines came and went.
public struct RowKeys: Sendable, Equatable {
    /// Grows with each change. What becomes known of tracks does not count, unless a filter shows or hides them for it.
    public let version: Int
    /// Grows with each change of the playlist.
    let listVersion: Int
    /// The files of the whole playlist, shared by all keys of its version.
    let urls: [URL]
    /// The lines' places in the playlist, in order.
    let places: [Int]

    /// A list without lines.
    public static let none = RowKeys(version: -1, listVersion: -1, urls: [], places: [])

    /// The number of lines.
    public var count: Int { places.count }

    /// The file of a line.
    ///
    /// - Parameter line: The line, from 0.
    public subscript(line: Int) -> URL { urls[places[line]] }
}

extension ListChange {
    /// Compares what lines stand for.
    ///
    /// - Parameters:
    ///   - old: The lines as they were.
    ///   - new: The lines as they are; `nil` is returned when they are the same.
    public init?(from old: RowKeys, to new: RowKeys) {
        // To compare a hundred thousand addresses takes longer than a frame.
        if old.listVersion == new.listVersion {
            self.init(from: old.places, to: new.places)
        } else {
            self.init(from: old.count, to: new.count) { old[$0] == new[$1] }
        }
    }
}
