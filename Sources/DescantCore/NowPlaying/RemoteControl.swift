public import Foundation

/// Shows the outside what is playing, and hears what it wants: media keys, the desktop's player panel, `playerctl`.
///
/// A service publishes a ``NowPlaying`` whenever it changes and gets ``RemoteCommand``s back through a ``RemoteCommandTarget``. No
/// method waits for the outside, so a frozen or missing bus never holds a player up. Any thread.
public protocol RemoteControlPort: Sendable {
    /// Names who carries out commands from now on, and begins to be visible to the outside.
    ///
    /// - Parameter target: Who carries out commands; not retained. Without one every command is refused.
    func connect(to target: any RemoteCommandTarget)

    /// Shows what is playing and what is possible. What did not change is not told again; several changes in a row may reach the
    /// outside as one.
    ///
    /// - Parameter nowPlaying: The whole of it; ``NowPlaying/nothing`` clears it.
    func publish(_ nowPlaying: NowPlaying)

    /// Announces a jump of the position: a seek, a restart of the track, a stop.
    ///
    /// - Parameter position: Seconds from the beginning of the current track.
    func positionJumped(to position: Double)

    /// Becomes invisible to the outside and removes whatever was written for it (cover files). Harmless when repeated.
    func close() async
}

extension RemoteControlPort {
    /// Shows that nothing is playing and nothing can be done.
    public func clear() { publish(.nothing) }
}

/// Carries out what a remote control asks for.
public protocol RemoteCommandTarget: AnyObject, Sendable {
    /// Carries out a command. Returns when it has taken effect and the state it led to was given to the
    /// ``RemoteControlPort``, so that later reads see it.
    ///
    /// A command that makes no sense any more (a position within a track that is not the current one, a track that is gone) has no
    /// effect and is not an error.
    ///
    /// - Parameter command: The command.
    /// - Throws: The reason for a failure; the text reaches the sender. ``CoreError/unsupported(_:)`` for what this target cannot do.
    func perform(_ command: RemoteCommand) async throws

    /// Where the current track is, in seconds from its beginning, as heard; 0 without a track.
    var remotePosition: Double { get async }
}

/// What a remote control asks for.
public enum RemoteCommand: Sendable, Hashable {
    /// Plays, or goes on; starts the present track again after a stop.
    case play
    /// Freezes.
    case pause
    /// Pauses what plays, and plays otherwise.
    case togglePlayPause
    /// Ends playing.
    case stop
    /// Moves on to the next track; paused stays paused.
    case next
    /// Moves back to the previous track; paused stays paused.
    case previous
    /// Moves by seconds, negative for backwards; stops at the beginning, and moves on to the next track past the end.
    case seek(by: TimeInterval)
    /// Moves to a position in seconds; without effect unless the track is the current one, `nil` for whichever it is.
    case seekTo(TimeInterval, of: NowPlayingTrack.ID?)
    /// Sets the speed; 1 is normal. What is out of range is clamped.
    case setRate(Double)
    /// Sets the volume, linear; what is out of 0…1 is clamped.
    case setVolume(Double)
    /// Decides what happens at the natural end.
    case setRepeat(NowPlaying.Repeat)
    /// Plays in a random order, or as the tracks lie.
    case setShuffle(Bool)
    /// Adds a file or stream to the tracks and plays it.
    case open(URL)
    /// Adds a track behind another one, `nil` for the beginning; makes it the current one if asked to.
    case addTrack(URL, after: NowPlayingTrack.ID?, makeCurrent: Bool)
    /// Removes a track.
    case removeTrack(NowPlayingTrack.ID)
    /// Makes a track the current one.
    case goTo(NowPlayingTrack.ID)
    /// Plays a playlist.
    case activatePlaylist(NowPlayingPlaylist.ID)
    /// Brings the program's window to the front.
    case raise
    /// Ends the program.
    case quit
}

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

/// Which remote commands have an effect. Stopping always has.
public struct RemoteAbilities: OptionSet, Sendable, Hashable {
    /// The abilities as bits.
    public let rawValue: UInt32
    /// Creates a set from bits.
    ///
    /// - Parameter rawValue: The abilities as bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There is something to play, whether or not it plays already.
    public static let play = RemoteAbilities(rawValue: 1 << 0)
    /// The content can be paused, whether or not it is paused already.
    public static let pause = RemoteAbilities(rawValue: 1 << 1)
    /// The current track has positions to go to.
    public static let seek = RemoteAbilities(rawValue: 1 << 2)
    /// There is a next track, or there may be one.
    public static let next = RemoteAbilities(rawValue: 1 << 3)
    /// There is a previous track, or there may be one.
    public static let previous = RemoteAbilities(rawValue: 1 << 4)
    /// Volume, repetition, order and speed can be set, as far as the snapshot has them.
    public static let adjust = RemoteAbilities(rawValue: 1 << 5)
    /// Files and streams can be opened.
    public static let open = RemoteAbilities(rawValue: 1 << 6)
    /// Tracks can be added and removed.
    public static let editTracks = RemoteAbilities(rawValue: 1 << 7)
    /// The program has a window to show.
    public static let raise = RemoteAbilities(rawValue: 1 << 8)
    /// The program can be ended.
    public static let quit = RemoteAbilities(rawValue: 1 << 9)

    /// Everything.
    public static let all: RemoteAbilities = [
        .play, .pause, .seek, .next, .previous, .adjust, .open, .editTracks, .raise, .quit,
    ]
}
