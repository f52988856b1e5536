internal import DescantContainers
package import DescantCore
internal import DescantMixing
internal import Foundation

extension GStreamerDecks: TrackDescriber {
    /// Title, tags and codec of a source: read from a FLAC file itself, otherwise found by opening it for a moment.
    ///
    /// - Throws: What opening throws.
    package func describe(_ source: AudioSource) async throws -> TrackInfo {
        if case .url(let url) = source, url.isFileURL, let file = FileBytes(path: url.path) {
            try GStreamerRuntime.start()
            let title = url.deletingPathExtension().lastPathComponent
            if let track = FLACDescription.read(file, fallbackTitle: title) { return track }
        }
        let opened = try await open(source, mix: PCMFormat(sampleRate: 48_000, channels: 2)) { _ in }
        opened.deck.close()
        return opened.track
    }
}
