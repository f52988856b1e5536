public import DescantCore
public import Foundation

/// What a player with a mixer can do besides: overlays, an equaliser, the curve of crossfades, and folders and playlists as inputs.
///
/// Methods may be called from any thread and return when the player has accepted the command. Their effects on tracks and on the overlay
/// arrive in ``PlayerControlling/updates``.
public protocol MixControlling: PlayerControlling {
    /// Pauses everything that sounds; harmless when nothing does.
    ///
    /// - Throws: An error with its reason, for instance inside a transition that cannot be paused.
    func pause() async throws

    /// Finds the tracks that files, folders, playlists and web addresses stand for, in their order. An input without tracks is left out, with a
    /// notice among the updates, while others have tracks.
    ///
    /// - Parameter urls: What a person has chosen or dropped.
    /// - Throws: An error that names an input and the reason, when nothing is left.
    func entries(for urls: [URL]) async throws -> [PlaylistEntry]

    /// Finds the tracks of a file, folder, playlist or web address, in their order.
    ///
    /// - Parameter input: A path, which may begin with `~`, or an address, as a person types it.
    /// - Throws: An error that names the input and the reason; also when there is no such file.
    func entries(named input: String) async throws -> [PlaylistEntry]

    /// Sets the overlap of tracks and its curve, from the next join on.
    ///
    /// - Parameters:
    ///   - seconds: 0 for gapless joins, or 1…30.
    ///   - curve: The curve of both gains.
    /// - Throws: An error with its reason.
    func setCrossfade(_ seconds: TimeInterval, curve: FadeCurve) async throws

    /// Plays a sound over the tracks until it is stopped. It replaces the present overlay with a crossfade.
    ///
    /// - Parameters:
    ///   - url: Where the sound is.
    ///   - volume: 0…1.
    /// - Throws: An error with its reason; the present overlay plays on then.
    func startOverlay(_ url: URL, volume: Double) async throws

    /// Sets the volume of the overlay, also of the one that starts next.
    ///
    /// - Parameter volume: 0…1.
    func setOverlayVolume(_ volume: Double) async

    /// Fades the overlay out.
    func stopOverlay() async

    /// Sets the equaliser of the mix.
    ///
    /// - Parameter settings: The settings.
    func setEqualizer(_ settings: EqualizerSettings) async
}
