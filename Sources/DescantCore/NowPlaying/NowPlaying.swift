/// What is playing, and what can be done about it: everything that a desktop's player panel shows.
public struct NowPlaying: Sendable, Hashable {
    /// What the player does.
    public enum Status: String, Sendable, Hashable, Codable {
        /// A track sounds.
        case playing
        /// Frozen at a position.
        case paused
        /// There is no current track.
        case stopped
    }

    /// What happens at the natural end.
    public enum Repeat: String, Sendable, Hashable, Codable {
        /// Playing ends with the last track.
        case off
        /// The current track is played again.
        case track
        /// The first track follows the last one.
        case playlist
    }

    /// What the player does.
    public var status: Status
    /// The current track; `nil` when there is none. It need not be among ``tracks``.
    public var track: NowPlayingTrack?
    /// The tracks around the current one, in their order. Long lists show a part only: about a hundred are plenty.
    public var tracks: [NowPlayingTrack]
    /// The speed; 1 is normal.
    public var rate: Double
    /// The speeds that can be set; contains 1, and nothing else when the speed is fixed.
    public var rateRange: ClosedRange<Double>
    /// The volume, linear, 0…1.
    public var volume: Double
    /// What happens at the natural end; `nil` when that is not for a remote control to know.
    public var repeats: Repeat?
    /// Whether the order is drawn by chance; `nil` when that is not for a remote control to know.
    public var isShuffled: Bool?
    /// The playlists that can be activated, in the user's order.
    public var playlists: [NowPlayingPlaylist]
    /// The playlist that is played; `nil` when that is none of ``playlists``.
    public var activePlaylist: NowPlayingPlaylist.ID?
    /// Which commands have an effect at present.
    public var abilities: RemoteAbilities

    /// Nothing is playing, and nothing can be done.
    public static let nothing = NowPlaying()

    /// Creates a snapshot; every field defaults to a player that has nothing and can do nothing.
    ///
    /// - Parameters:
    ///   - status: What the player does.
    ///   - track: The current track.
    ///   - tracks: The tracks around the current one.
    ///   - rate: The speed.
    ///   - rateRange: The speeds that can be set.
    ///   - volume: The volume, 0…1.
    ///   - repeats: What happens at the natural end.
    ///   - isShuffled: Whether the order is drawn by chance.
    ///   - playlists: The playlists that can be activated.
    ///   - activePlaylist: The playlist that is played.
    ///   - abilities: Which commands have an effect.
    public init(
        status: Status = .stopped, track: NowPlayingTrack? = nil, tracks: [NowPlayingTrack] = [], rate: Double = 1,
        rateRange: ClosedRange<Double> = 1...1, volume: Double = 1, repeats: Repeat? = nil, isShuffled: Bool? = nil,
        playlists: [NowPlayingPlaylist] = [], activePlaylist: NowPlayingPlaylist.ID? = nil,
        abilities: RemoteAbilities = []
    ) {
        self.status = status
        self.track = track
        self.tracks = tracks
        self.rate = rate
        self.rateRange = rateRange
        self.volume = volume
        self.repeats = repeats
        self.isShuffled = isShuffled
        self.playlists = playlists
        self.activePlaylist = activePlaylist
        self.abilities = abilities
    }
}
