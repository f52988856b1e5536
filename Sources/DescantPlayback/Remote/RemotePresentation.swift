internal import DescantCore

/// The tracks of a player as remote controls have seen them.
struct RemotePresentation {
    /// The most tracks that remote controls are shown at once.
    static let limit = 64

    /// Connects the player with a remote control; `nil` for none.
    var bridge: RemoteControlBridge?
    /// The item that began last; `nil` when nothing has begun since the end.
    private var begunItem: PlaylistItem.ID?
    private var infos: [PlaylistItem.ID: TrackInfo] = [:]

    /// Notes that an item begins, or that playing has ended.
    ///
    /// - Returns: Whether this is a jump to the beginning: the same item again, or the end after an item.
    mutating func begin(_ item: PlaylistItem.ID?) -> Bool {
        defer { begunItem = item }
        return item == nil ? begunItem != nil : begunItem == item
    }

    /// What is known of an item that was played.
    func info(of item: PlaylistItem.ID) -> TrackInfo? { infos[item] }

    /// Keeps what is known of an item, without its cover, which takes too much memory.
    mutating func remember(_ info: TrackInfo, of item: PlaylistItem.ID) {
        var info = info
        info.tags.artworkData = nil
        infos[item] = info
    }

    /// Forgets items that are not shown, once there are more than ``limit``.
    mutating func keepOnly(_ items: [PlaylistItem]) {
        guard infos.count > Self.limit else { return }
        let ids = Set(items.map(\.id))
        infos = infos.filter { ids.contains($0.key) }
    }
}
