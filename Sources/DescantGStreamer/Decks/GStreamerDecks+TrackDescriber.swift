package import DescantCore
internal import DescantMixing

extension GStreamerDecks: TrackDescriber {
    /// Title, tags and codec of a source, found by opening it for a moment.
    ///
    /// - Throws: What opening throws.
    package func describe(_ source: AudioSource) async throws -> TrackInfo {
        let opened = try await open(source, mix: PCMFormat(sampleRate: 48_000, channels: 2)) { _ in }
        opened.deck.close()
        return opened.track
    }
}
