internal import DescantCore

/// The orders in which playlists are listed.
enum PlaylistOrdering: String, CaseIterable {
    case user = "User"
    case alphabetical = "Alphabetical"

    func sort(_ playlists: [NowPlayingPlaylist]) -> [NowPlayingPlaylist] {
        switch self {
        case .user: playlists
        case .alphabetical: playlists.sorted { ($0.name, $0.id.rawValue) < ($1.name, $1.id.rawValue) }
        }
    }
}
