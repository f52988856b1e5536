public import DescantCore
public import Foundation

/// Makes the sound of tracks whose URLs only the host knows: text that is to be spoken, sound that is computed.
///
/// A player asks it before it opens a URL, from any task.
public protocol TrackSourceProvider: Sendable {
    /// The sound that a URL stands for; `nil` for a URL that the engine opens itself.
    ///
    /// - Parameter url: A track, overlay or effect that is about to be opened.
    /// - Throws: Any error; the track then counts as one that cannot be opened.
    func audioSource(for url: URL) async throws -> AudioSource?
}
