internal import Foundation

/// One entry of a playlist. The same file twice is two items.
struct PlaylistItem: Sendable, Hashable {
    /// Tells an item from every other one of the process.
    struct ID: Sendable, Hashable {
        let rawValue: UInt64
    }

    /// The item's identity.
    var id: ID
    /// What it plays.
    var url: URL
}
