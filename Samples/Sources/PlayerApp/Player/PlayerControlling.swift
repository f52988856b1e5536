public import Foundation

/// The player as the application sees it. The integration layer implements it on the library's service; tests on a fake.
///
/// Methods may be called from any thread and return when the player has accepted the command. Its effects arrive
/// in ``updates``.
public protocol PlayerControlling: Sendable {
    /// The changes of the player, for one reader. Ends after ``PlayerUpdate/finished``.
    var updates: AsyncStream<PlayerUpdate> { get }

    /// Begins with the first playable track.
    ///
    /// - Throws: An error whose description names what is wrong and the remedy.
    func start() async throws

    /// Pauses or resumes playback.
    ///
    /// - Throws: An error with its reason, for instance inside a transition that cannot be paused.
    func togglePause() async throws

    /// Goes to the next track.
    ///
    /// - Throws: An error with its reason.
    func next() async throws

    /// Goes to the previous track.
    ///
    /// - Throws: An error with its reason.
    func previous() async throws

    /// Goes to a track.
    ///
    /// - Parameter index: The track's place in the playlist, from 0.
    /// - Throws: An error with its reason.
    func jump(to index: Int) async throws

    /// Moves within the track.
    ///
    /// - Parameter seconds: How far; negative for backwards. The result is clamped to the track.
    /// - Throws: An error with its reason.
    func seek(by seconds: TimeInterval) async throws

    /// Sets the volume.
    ///
    /// - Parameter volume: 0…1.
    func setVolume(_ volume: Double) async

    /// Pauses or resumes the overlay.
    ///
    /// - Throws: An error with its reason; also when there is no overlay.
    func toggleOverlay() async throws

    /// Fades everything out and releases the device; the updates end.
    ///
    /// - Parameter fade: Length of the fade, in seconds.
    func stop(fade: TimeInterval) async
}
