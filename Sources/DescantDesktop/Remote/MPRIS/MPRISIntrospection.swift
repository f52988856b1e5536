internal import DescantCore

/// The interfaces of the specification (MPRIS 2.2) as introspection data.
enum MPRISIntrospection {
    /// The interfaces of a program.
    static func xml(_ identity: RemoteIdentity) -> String {
        "<node>" + root(hasDesktopEntry: identity.desktopEntry != nil) + player + trackList
            + (identity.hasPlaylists ? playlists : "") + "</node>"
    }

    private static func changes(_ how: String) -> String {
        "<annotation name='org.freedesktop.DBus.Property.EmitsChangedSignal' value='\(how)'/>"
    }

    private static let optional = "<annotation name='org.mpris.MediaPlayer2.property.optional' value='true'/>"

    private static func property(
        _ name: String, _ type: String, writable: Bool = false, changes how: String = "true", isOptional: Bool = false
    ) -> String {
        "<property name='\(name)' type='\(type)' access='\(writable ? "readwrite" : "read")'>"
            + changes(how) + (isOptional ? optional : "") + "</property>"
    }

    private static func root(hasDesktopEntry: Bool) -> String {
        "<interface name='\(MPRISName.root)'><method name='Raise'/><method name='Quit'/>"
            + property("CanQuit", "b") + property("Fullscreen", "b", writable: true, isOptional: true)
            + property("CanSetFullscreen", "b", isOptional: true) + property("CanRaise", "b")
            + property("HasTrackList", "b") + property("Identity", "s")
            + (hasDesktopEntry ? property("DesktopEntry", "s", isOptional: true) : "")
            + property("SupportedUriSchemes", "as") + property("SupportedMimeTypes", "as") + "</interface>"
    }

    private static let player =
        "<interface name='\(MPRISName.player)'>"
        + ["Next", "Previous", "Pause", "PlayPause", "Stop", "Play"].map { "<method name='\($0)'/>" }.joined()
            + """
            <method name='Seek'><arg direction='in' type='x' name='Offset'/></method>
            <method name='SetPosition'><arg direction='in' type='o' name='TrackId'/>\
            <arg direction='in' type='x' name='Position'/></method>
            <method name='OpenUri'><arg direction='in' type='s' name='Uri'/></method>
            <signal name='Seeked'><arg type='x' name='Position'/></signal>
            """
        + property("PlaybackStatus", "s") + property("LoopStatus", "s", writable: true, isOptional: true)
        + property("Rate", "d", writable: true) + property("Shuffle", "b", writable: true, isOptional: true)
        + property("Metadata", "a{sv}") + property("Volume", "d", writable: true)
        + property("Position", "x", changes: "false") + property("MinimumRate", "d") + property("MaximumRate", "d")
        + ["CanGoNext", "CanGoPrevious", "CanPlay", "CanPause", "CanSeek"].map { property($0, "b") }.joined()
        + property("CanControl", "b", changes: "false") + "</interface>"

    private static let trackList =
        """
        <interface name='\(MPRISName.trackList)'>
        <method name='GetTracksMetadata'><arg direction='in' name='TrackIds' type='ao'/>\
        <arg direction='out' type='aa{sv}' name='Metadata'/></method>
        <method name='AddTrack'><arg direction='in' type='s' name='Uri'/>\
        <arg direction='in' type='o' name='AfterTrack'/><arg direction='in' type='b' name='SetAsCurrent'/></method>
        <method name='RemoveTrack'><arg direction='in' type='o' name='TrackId'/></method>
        <method name='GoTo'><arg direction='in' type='o' name='TrackId'/></method>
        <signal name='TrackListReplaced'><arg name='Tracks' type='ao'/><arg name='CurrentTrack' type='o'/></signal>
        <signal name='TrackAdded'><arg type='a{sv}' name='Metadata'/><arg type='o' name='AfterTrack'/></signal>
        <signal name='TrackRemoved'><arg type='o' name='TrackId'/></signal>
        <signal name='TrackMetadataChanged'><arg type='o' name='TrackId'/><arg type='a{sv}' name='Metadata'/></signal>
        """
        + property("Tracks", "ao", changes: "invalidates") + property("CanEditTracks", "b") + "</interface>"

    private static let playlists =
        """
        <interface name='\(MPRISName.playlists)'>
        <method name='ActivatePlaylist'><arg direction='in' name='PlaylistId' type='o'/></method>
        <method name='GetPlaylists'><arg direction='in' name='Index' type='u'/>\
        <arg direction='in' name='MaxCount' type='u'/><arg direction='in' name='Order' type='s'/>\
        <arg direction='in' name='ReverseOrder' type='b'/>\
        <arg direction='out' name='Playlists' type='a(oss)'/></method>
        <signal name='PlaylistChanged'><arg name='Playlist' type='(oss)'/></signal>
        """
        + property("PlaylistCount", "u") + property("Orderings", "as") + property("ActivePlaylist", "(b(oss))")
        + "</interface>"
}
