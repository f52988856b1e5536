public import DescantPlayback
public import Foundation

/// The state on services that play and read single files.
///
/// It is the same state for all views; ``entries``, ``activity``, ``position`` and the others are described there. What is
/// here concerns files, tags and the person's product.
extension AppState {
    /// Creates a state that plays files with the services of a factory. ``follow()`` brings it up to date.
    ///
    /// - Parameters:
    ///   - factory: Makes the services.
    ///   - iap: Knows whether the person has Pro.
    ///   - storage: Keeps the preferences; `nil` keeps nothing.
    ///   - preferences: What the person chose earlier.
    ///   - staysOpen: Whether the app waits for a command when everything was played.
    ///   - clock: Times the reading of the position.
    public convenience init(
        factory: any CoreFactory, iap: any IAPManager, storage: (any PlayerStorage)? = nil,
        preferences: ViewPreferences = ViewPreferences(), staysOpen: Bool = true,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let player = FilePlayer(factory: factory, iap: iap, storage: storage, preferences: preferences, clock: clock)
        self.init(
            player: player, entries: [], volume: preferences.volume,
            modes: PlaybackModes(repeats: preferences.repeats, isShuffled: preferences.isShuffled),
            heading: "one file at a time", staysOpen: staysOpen)
    }

    /// The player for single files; `nil` for a state that was made with another player.
    public var files: FilePlayer? { player as? FilePlayer }

    /// The tracks with all their tags; empty for a state that was made with another player.
    public var playlist: FilePlaylist { files?.playlist ?? FilePlaylist() }

    /// The present track; `nil` before one was played.
    public var currentTrack: Track? { files?.playlist.current }

    /// Whether the person has Pro; a state that was made with another player knows no products.
    public var isProUser: Bool { files?.product.isProUser ?? false }

    /// What the person has chosen.
    public var viewPreferences: ViewPreferences { files?.preferences ?? ViewPreferences() }

    /// The last error that was reported; `nil` after the next track has begun without one.
    public var lastError: PlaybackError? { files?.lastError }

    /// The player's activity.
    public var playbackState: PlayerActivity { activity }

    /// Adds files and the audio files in folders to the end of the playlist. What cannot be read is reported and left out.
    ///
    /// - Parameter urls: File URLs.
    public func loadFiles(urls: [URL]) async {
        if let files {
            await files.insert(urls, at: .max)
        } else {
            do {
                try await player.insert(urls.map { PlaylistEntry(url: $0) }, at: entries.count)
            } catch {
                notices.add(Notice(.error, "\(error)"))
            }
        }
    }

    /// Plays the present track, or lets it go on; the first one when none was played.
    ///
    /// - Throws: An error with its reason, such as for an empty playlist. A track that cannot be played is not an error of the command: it
    ///   is marked, reported as ``lastError`` and passed over.
    public func play() async throws {
        if let files {
            try await files.setSounding(true)
        } else if activity != .playing {
            try await player.togglePause()
        }
    }

    /// Freezes the sound.
    ///
    /// - Throws: An error with its reason, for instance inside a transition that cannot be paused.
    public func pause() async throws {
        if let files {
            try await files.setSounding(false)
        } else if activity == .playing {
            try await player.togglePause()
        }
    }

    /// Ends the sound; the present track stays the present one.
    public func stop() async { await player.halt() }

    /// Ends the sound and the updates; the last call.
    public func shutDown() async { await player.stop(fade: 0) }

    /// Moves within the track.
    ///
    /// - Parameter seconds: The position, from the beginning of the track.
    /// - Throws: ``PlaybackError``.
    public func seek(to seconds: TimeInterval) async throws { try await player.seek(to: seconds) }

    /// Sorts the playlist.
    ///
    /// - Parameter sorting: The order.
    public func sort(by sorting: TrackSorting) async { await files?.sort(by: sorting) }

    /// Shows the time that is left, or the time that has passed.
    ///
    /// - Parameter isOn: Whether the time that is left.
    public func setShowsRemainingTime(_ isOn: Bool) async { await files?.change { $0.showsRemainingTime = isOn } }
}
