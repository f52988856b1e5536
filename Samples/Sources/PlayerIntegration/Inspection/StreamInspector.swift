public import Descant
public import Foundation

/// Opens files as the player would and tells what it finds, without a sound.
public struct StreamInspector: Sendable {
    private let engine: any MixingEngine

    /// Creates an inspector.
    ///
    /// - Parameter environment: Which plugins and decoders there are.
    /// - Throws: `CoreError` when GStreamer cannot be used.
    public init(environment: AudioEnvironment) throws {
        engine = try environment.makeEngine(output: .discard)
    }

    /// Opens a file, reads its first frame and closes it.
    ///
    /// - Parameter url: A file or stream.
    /// - Throws: `CoreError` naming it, also when it has not one frame.
    public func inspect(_ url: URL) async throws -> DeckInfo {
        let info = try await engine.openDeck(.url(url), gain: 1, isClip: false)
        await engine.closeDeck(info.id)
        guard info.frameCount != 0 else {
            throw CoreError.decodeError("\(url.shownAddress) opens, but it has not one frame")
        }
        return info
    }

    /// Releases what the inspector holds.
    public func close() async { await engine.shutdown() }
}
