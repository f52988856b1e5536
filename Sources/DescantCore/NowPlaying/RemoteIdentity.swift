/// How a program presents itself to remote controls.
public struct RemoteIdentity: Sendable, Hashable {
    /// The unique short name: letters, digits and underscores, not beginning with a digit. Other characters are replaced by
    /// underscores. `playerctl --player` takes it.
    public var name: String
    /// The name that people read.
    public var displayName: String
    /// The base name of the installed `.desktop` file, without its extension and without a path; `nil` when there is none.
    public var desktopEntry: String?
    /// The URI schemes that the program can open, in lower case.
    public var uriSchemes: [String]
    /// The media types that the program can open.
    public var mimeTypes: [String]
    /// Whether the program has playlists that can be activated.
    public var hasPlaylists: Bool

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - name: The unique short name.
    ///   - displayName: The name that people read.
    ///   - desktopEntry: The base name of the `.desktop` file.
    ///   - uriSchemes: The URI schemes that the program can open.
    ///   - mimeTypes: The media types that the program can open.
    ///   - hasPlaylists: Whether there are playlists to activate.
    public init(
        name: String, displayName: String, desktopEntry: String? = nil, uriSchemes: [String] = ["file"],
        mimeTypes: [String] = RemoteIdentity.usualMimeTypes, hasPlaylists: Bool = false
    ) {
        self.name = name
        self.displayName = displayName
        self.desktopEntry = desktopEntry
        self.uriSchemes = uriSchemes
        self.mimeTypes = mimeTypes
        self.hasPlaylists = hasPlaylists
    }

    /// What the built-in engine plays.
    public static let usualMimeTypes = [
        "audio/x-wav", "audio/flac", "audio/mpeg", "audio/ogg", "audio/x-vorbis+ogg", "audio/x-opus+ogg", "audio/mp4",
        "audio/aac", "audio/x-aiff", "audio/x-wavpack",
    ]
}
