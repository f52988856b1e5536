@testable import DescantDesktop

/// The members of the interfaces according to the specification (version 2.2), independent of the adapter.
enum MPRISTable {
    /// Property: type, writable, signal of a change.
    static let properties: [String: [String: (type: String, isWritable: Bool, emits: String)]] = [
        MPRISName.root: [
            "CanQuit": ("b", false, "true"), "Fullscreen": ("b", true, "true"),
            "CanSetFullscreen": ("b", false, "true"), "CanRaise": ("b", false, "true"),
            "HasTrackList": ("b", false, "true"), "Identity": ("s", false, "true"),
            "DesktopEntry": ("s", false, "true"), "SupportedUriSchemes": ("as", false, "true"),
            "SupportedMimeTypes": ("as", false, "true"),
        ],
        MPRISName.player: [
            "PlaybackStatus": ("s", false, "true"), "LoopStatus": ("s", true, "true"), "Rate": ("d", true, "true"),
            "Shuffle": ("b", true, "true"), "Metadata": ("a{sv}", false, "true"), "Volume": ("d", true, "true"),
            "Position": ("x", false, "false"), "MinimumRate": ("d", false, "true"),
            "MaximumRate": ("d", false, "true"), "CanGoNext": ("b", false, "true"),
            "CanGoPrevious": ("b", false, "true"), "CanPlay": ("b", false, "true"), "CanPause": ("b", false, "true"),
            "CanSeek": ("b", false, "true"), "CanControl": ("b", false, "false"),
        ],
        MPRISName.trackList: [
            "Tracks": ("ao", false, "invalidates"), "CanEditTracks": ("b", false, "true"),
        ],
        MPRISName.playlists: [
            "PlaylistCount": ("u", false, "true"), "Orderings": ("as", false, "true"),
            "ActivePlaylist": ("(b(oss))", false, "true"),
        ],
    ]

    /// Properties that a player may leave out because it has nothing of the kind.
    static let optional: Set<String> = ["DesktopEntry", "LoopStatus", "Shuffle"]

    /// Method: types of the input and output arguments.
    static let methods: [String: [String: (in: [String], out: [String])]] = [
        MPRISName.root: ["Raise": ([], []), "Quit": ([], [])],
        MPRISName.player: [
            "Next": ([], []), "Previous": ([], []), "Pause": ([], []), "PlayPause": ([], []), "Stop": ([], []),
            "Play": ([], []), "Seek": (["x"], []), "SetPosition": (["o", "x"], []), "OpenUri": (["s"], []),
        ],
        MPRISName.trackList: [
            "GetTracksMetadata": (["ao"], ["aa{sv}"]), "AddTrack": (["s", "o", "b"], []), "RemoveTrack": (["o"], []),
            "GoTo": (["o"], []),
        ],
        MPRISName.playlists: [
            "ActivatePlaylist": (["o"], []), "GetPlaylists": (["u", "u", "s", "b"], ["a(oss)"]),
        ],
    ]

    static let signals: [String: [String: [String]]] = [
        MPRISName.root: [:],
        MPRISName.player: ["Seeked": ["x"]],
        MPRISName.trackList: [
            "TrackListReplaced": ["ao", "o"], "TrackAdded": ["a{sv}", "o"], "TrackRemoved": ["o"],
            "TrackMetadataChanged": ["o", "a{sv}"],
        ],
        MPRISName.playlists: ["PlaylistChanged": ["(oss)"]],
    ]

    static let metadata = [
        "mpris:trackid": "o", "mpris:length": "x", "mpris:artUrl": "s", "xesam:album": "s", "xesam:albumArtist": "as",
        "xesam:artist": "as", "xesam:asText": "s", "xesam:audioBPM": "i", "xesam:autoRating": "d",
        "xesam:comment": "as", "xesam:composer": "as", "xesam:contentCreated": "s", "xesam:discNumber": "i",
        "xesam:firstUsed": "s", "xesam:genre": "as", "xesam:lastUsed": "s", "xesam:lyricist": "as",
        "xesam:title": "s", "xesam:trackNumber": "i", "xesam:url": "s", "xesam:useCount": "i", "xesam:userRating": "d",
    ]
}
