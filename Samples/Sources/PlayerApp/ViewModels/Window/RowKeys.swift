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
    /// Whether the places that a command names are where its tracks will lie after the moves that wait before it, rather than where they are
    /// in the list of these keys.
    var areAheadOfMoves = false

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

extension MovedPlaces {
    /// Compares what lines stand for. Lines of the same playlist are known by their places, others by their files.
    ///
    /// - Parameters:
    ///   - old: The lines as they were.
    ///   - new: The lines as they are; `nil` is returned when they are the same.
    init?(from old: RowKeys, to new: RowKeys) {
        if old.listVersion == new.listVersion {
            // Tags and filters show and hide lines without an order of their own, in several places at once.
            self.init(from: old.places, to: new.places)
        } else {
            self.init(from: old.places.map { old.urls[$0] }, to: new.places.map { new.urls[$0] })
        }
    }
}
