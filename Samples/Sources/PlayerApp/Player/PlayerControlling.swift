public import Foundation

/// The player as the application sees it. The integration layer implements it on the library's service; tests on a fake.
///
/// Methods may be called from any thread and return when the player has accepted the command. Its effects arrive
/// in ``updates``.
///
/// Changes of the playlist have numbers, each greater than those before: ``PlayerUpdate/playlist(_:current:edit:)`` may tell a long list when
/// later changes were carried out.
///
/// The methods that pause, stop or choose a track begin on the main actor, as keys do: on the way to another thread, commands of keys that are
/// pressed together could overtake each other.
public protocol PlayerControlling: Sendable {
    /// The changes of the player, for one reader. Ends after ``PlayerUpdate/finished``.
    var updates: AsyncStream<PlayerUpdate> { get }

    /// Begins with the first playable track.
    ///
    /// - Throws: An error whose description names what is wrong and the remedy.
    func start() async throws

    /// Pauses or resumes playback; a player that was stopped or has ended plays the present track from its beginning.
    ///
    /// - Throws: An error with its reason, for instance inside a transition that cannot be paused.
    @MainActor func togglePause() async throws

    /// Stops playback after a short fade; ``togglePause()`` begins the track again.
    @MainActor func halt() async

    /// Goes to the next track.
    ///
    /// - Throws: An error with its reason; also on the last track, which plays on.
    @MainActor func next() async throws

    /// Goes to the previous track.
    ///
    /// - Throws: An error with its reason.
    @MainActor func previous() async throws

    /// Goes to a track.
    ///
    /// - Parameter index: The track's place in the playlist, from 0.
    /// - Throws: An error with its reason.
    @MainActor func jump(to index: Int) async throws

    /// Moves within the track.
    ///
    /// - Parameter seconds: How far; negative for backwards. The result is clamped to the track.
    /// - Throws: An error with its reason.
    func seek(by seconds: TimeInterval) async throws

    /// Moves to a position.
    ///
    /// - Parameter seconds: The position, from the beginning of the track.
    /// - Throws: An error with its reason.
    func seek(to seconds: TimeInterval) async throws

    /// Decides what happens at the natural end.
    ///
    /// - Parameter setting: What happens.
    func setRepeat(_ setting: RepeatSetting) async

    /// Plays in an order drawn by chance, or as the playlist lies.
    ///
    /// - Parameter isOn: Whether by chance.
    func setShuffle(_ isOn: Bool) async

    /// Sets the speed; the pitch is kept.
    ///
    /// - Parameter rate: 0.5…3; 1 is normal.
    /// - Throws: An error with its reason.
    func setRate(_ rate: Double) async throws

    /// Sets the overlap of tracks, from the next join on.
    ///
    /// - Parameter seconds: 0 for gapless joins, or 1…30.
    /// - Throws: An error with its reason.
    func setCrossfade(_ seconds: TimeInterval) async throws

    /// Brings tracks to one loudness by their tags, or ends that.
    ///
    /// - Parameter setting: Which tags are used.
    func setLoudness(_ setting: LoudnessSetting) async

    /// Lets the player fade out and stop later, or takes that back.
    ///
    /// - Parameter setting: When it stops.
    /// - Throws: An error with its reason.
    func setSleep(_ setting: SleepSetting) async throws

    /// Adds tracks to the playlist.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - index: The place of the first of them afterwards.
    /// - Returns: The number of the change.
    /// - Throws: An error with its reason.
    @discardableResult
    func insert(_ entries: [PlaylistEntry], at index: Int) async throws -> Int

    /// Removes tracks from the playlist, with one change of it among the updates. When the present one is among them, the next one that is
    /// left is played, or the new last one.
    ///
    /// - Parameter places: The tracks' places before the call.
    /// - Returns: The tracks, in the order of their places, and the number of the change. When commands follow each other, ``updates`` may not
    ///   have told the list yet that they were removed from.
    /// - Throws: An error with its reason; no track was removed then.
    @discardableResult
    func remove(at places: Set<Int>) async throws -> (entries: [PlaylistEntry], edit: Int)

    /// Moves tracks within the playlist, with one change of it among the updates; the others keep their order, and the present one plays on.
    ///
    /// - Parameter targets: The tracks' places afterwards by their places before.
    /// - Returns: The number of the change.
    /// - Throws: An error with its reason; no track was moved then.
    @discardableResult
    func move(_ targets: [Int: Int]) async throws -> Int

    /// Writes a playlist as M3U, PLS or XSPF, as the ending says.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - path: The file, absolute or relative to the folder that the program was started in; `.m3u` is added to a name
    ///     without an ending.
    ///   - replaces: Whether a file of that name is overwritten.
    /// - Returns: The path of the file.
    /// - Throws: ``PlaylistFileExists``, or an error with its reason.
    func save(_ entries: [PlaylistEntry], as path: String, replaces: Bool) async throws -> String

    /// Sets the volume.
    ///
    /// - Parameter volume: 0…1.
    func setVolume(_ volume: Double) async

    /// Begins or ends the spectrum among the updates; while nobody sees it, it is not computed.
    ///
    /// - Parameter isShown: Whether a view shows it.
    /// - Throws: An error with its reason, when the sound does not pass through this program.
    func showSpectrum(_ isShown: Bool) async throws

    /// Pauses or resumes the overlay.
    ///
    /// - Throws: An error with its reason; also when there is no overlay.
    func toggleOverlay() async throws

    /// Fades everything out and releases the device; the updates end.
    ///
    /// - Parameter fade: Length of the fade, in seconds.
    func stop(fade: TimeInterval) async
}

/// A playlist was not saved, because there is a file of its name.
public struct PlaylistFileExists: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path of the file.
    public let path: String

    /// Creates an error.
    ///
    /// - Parameter path: The path of the file.
    public init(path: String) { self.path = path }

    /// The path and the remedy.
    public var description: String { "\(path) exists; choose another name" }
}
