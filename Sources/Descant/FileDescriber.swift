internal import DescantCore
internal import DescantMixing
internal import Foundation

/// Finds title, tags and codec of what a decoder opens: with a tag reader (TagLib takes less than a millisecond), or else with another
/// describer, which opens the source.
struct FileDescriber: TrackDescriber {
    let tags: any TagReaderPort & Sendable
    /// Describes sources that the tag reader cannot read. It reads the headers of FLAC files itself.
    let other: any TrackDescriber

    func describe(_ source: AudioSource) async throws -> TrackInfo {
        if case .url(let url) = source, url.isFileURL, let track = await read(url) { return track }
        return try await other.describe(source)
    }

    private func read(_ url: URL) async -> TrackInfo? {
        await withCheckedContinuation { continuation in
            DedicatedQueue.run("descant.deck.description") { continuation.resume(returning: track(url)) }
        }
    }

    private func track(_ url: URL) -> TrackInfo? {
        guard let input = try? ProbeInput(file: url), !input.header.starts(with: Array("fLaC".utf8)),
            var tags = try? tags.read(url: url), let technical = tags.technical ?? (tags.isEmpty ? nil : .init())
        else { return nil }
        // A player shows one picture.
        (tags.pictures, tags.technical) = (nil, nil)
        let format = AudioFormat(
            sampleRate: Double(technical.sampleRate ?? 0), channelCount: technical.channels ?? 0,
            bitDepth: technical.bitDepth,
            codec: Self.codecName(technical.codec))
        return TrackInfo(
            title: tags.title ?? url.deletingPathExtension().lastPathComponent, artist: tags.artist,
            duration: technical.duration ?? 0, format: format, tags: tags,
            replayGain: tags.replayGain.isEmpty ? nil : tags.replayGain)
    }

    /// The name that GStreamer gives a codec, so that it does not depend on the decoder.
    private static func codecName(_ name: String?) -> String {
        switch name {
        case "MP3": "MPEG-1 Layer 3 (MP3)"
        case "AAC": "MPEG-4 AAC"
        default: name ?? ""
        }
    }
}
