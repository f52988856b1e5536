internal import DescantCore
internal import Foundation

/// The MPRIS properties of a playback state, except the position.
enum MPRISProperties {
    /// The properties of every interface.
    static func all(_ playing: NowPlaying, _ identity: RemoteIdentity, cover: URL?) -> [String: [String: BusValue]] {
        var interfaces = [
            MPRISName.root: root(playing, identity), MPRISName.player: player(playing, cover),
            MPRISName.trackList: trackList(playing),
        ]
        if identity.hasPlaylists { interfaces[MPRISName.playlists] = playlists(playing) }
        return interfaces
    }

    private static func root(_ playing: NowPlaying, _ identity: RemoteIdentity) -> [String: BusValue] {
        var properties: [String: BusValue] = [
            "CanQuit": .bool(playing.abilities.contains(.quit)), "CanRaise": .bool(playing.abilities.contains(.raise)),
            "HasTrackList": .bool(true), "Fullscreen": .bool(false), "CanSetFullscreen": .bool(false),
            "Identity": .string(identity.displayName.busText), "SupportedUriSchemes": .strings(identity.uriSchemes),
            "SupportedMimeTypes": .strings(identity.mimeTypes),
        ]
        properties["DesktopEntry"] = identity.desktopEntry.map { .string($0.busText) }
        return properties
    }

    private static func player(_ playing: NowPlaying, _ cover: URL?) -> [String: BusValue] {
        let can = { (ability: RemoteAbilities) in BusValue.bool(playing.abilities.contains(ability)) }
        var properties: [String: BusValue] = [
            "PlaybackStatus": .string(status(playing.status)), "Rate": .double(playing.rate),
            "Metadata": .dictionary(playing.track.map { MPRISMetadata.of($0, cover: cover) } ?? MPRISMetadata.none),
            "Volume": .double(playing.volume), "MinimumRate": .double(min(1, playing.rateRange.lowerBound)),
            "MaximumRate": .double(max(1, playing.rateRange.upperBound)), "CanGoNext": can(.next),
            "CanGoPrevious": can(.previous), "CanPlay": can(.play), "CanPause": can(.pause), "CanSeek": can(.seek),
            "CanControl": .bool(true),
        ]
        // Both are optional. A player without a repeat mode or a shuffle mode leaves them out, and clients show no button.
        properties["LoopStatus"] = playing.repeats.map { .string(loop($0)) }
        properties["Shuffle"] = playing.isShuffled.map { .bool($0) }
        return properties
    }

    private static func trackList(_ playing: NowPlaying) -> [String: BusValue] {
        [
            "Tracks": .paths(playing.tracks.map { MPRISPath.track($0.id) }),
            "CanEditTracks": .bool(playing.abilities.contains(.editTracks)),
        ]
    }

    private static func playlists(_ playing: NowPlaying) -> [String: BusValue] {
        let active = playing.playlists.first { $0.id == playing.activePlaylist }
        let nothing = BusValue.tuple([.path("/"), .string(""), .string("")])
        return [
            "PlaylistCount": .uint32(UInt32(playing.playlists.count)),
            "Orderings": .strings(PlaylistOrdering.allCases.map(\.rawValue)),
            "ActivePlaylist": .tuple([.bool(active != nil), active.map(playlist) ?? nothing]),
        ]
    }

    static func playlist(_ playlist: NowPlayingPlaylist) -> BusValue {
        .tuple([
            .path(MPRISPath.playlist(playlist.id)), .string(playlist.name.busText),
            .string(playlist.icon?.absoluteString ?? ""),
        ])
    }

    // MARK: Enumerations

    private static func status(_ status: NowPlaying.Status) -> String {
        switch status {
        case .playing: "Playing"
        case .paused: "Paused"
        case .stopped: "Stopped"
        }
    }

    private static func loop(_ mode: NowPlaying.Repeat) -> String {
        switch mode {
        case .off: "None"
        case .track: "Track"
        case .playlist: "Playlist"
        }
    }

    /// The repeat mode of a loop status; `nil` for an unknown one.
    static func repeats(_ word: String) -> NowPlaying.Repeat? {
        switch word {
        case "None": .off
        case "Track": .track
        case "Playlist": .playlist
        default: nil
        }
    }
}

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
