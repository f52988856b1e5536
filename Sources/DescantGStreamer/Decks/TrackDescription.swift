internal import DescantCore

/// What is known of a track at one moment: its length and its description for people.
///
/// Made on the pipeline's queue.
struct TrackDescription {
    let length: DeckLength
    let track: TrackInfo

    init(material: ResolvedSource, pipeline: PlaybinPipeline, shape: PlaybinPipeline.SourceShape) {
        let rate = Double(shape.sampleRate)
        let found = pipeline.monitor.tags
        let extent = material.exactLength?.scaled(to: shape.sampleRate)
        if let frames = extent?.frames {
            length = DeckLength(frames: frames, isExact: true)
        } else if let nanoseconds = pipeline.playbin.durationNanoseconds,
            let decoded = FrameCount(exactly: Int64((Double(nanoseconds) * rate / 1_000_000_000).rounded()))
        {
            length = DeckLength(
                frames: max(0, decoded.value - (extent?.lead ?? 0)), isExact: false,
                // The length of lossy streams may be a guess from their first frames.
                isTold: material.network != nil && CodecName.isLossless(found.codec))
        } else {
            length = .unknown
        }
        let format = AudioFormat(
            sampleRate: rate, channelCount: shape.channels,
            bitDepth: CodecName.isLossless(found.codec) ? shape.bitDepth : nil,
            codec: CodecName.display(found.codec))
        track = TrackInfo(
            title: found.tags.title ?? material.fallbackTitle, artist: found.tags.artist,
            duration: length.frames.map { Double($0) / rate } ?? 0, format: format, tags: found.tags,
            replayGain: found.replayGain)
    }
}

/// How long a source is, and how that is known.
struct DeckLength: Sendable, Equatable {
    /// In source frames; `nil` while unknown.
    var frames: Int64?
    /// Whether the count is exact to the frame: the deck then delivers exactly so many.
    var isExact: Bool
    /// Whether the stream itself tells the count, so that one that ends long before is not whole.
    var isTold = false

    static let unknown = DeckLength(frames: nil, isExact: false)
}

/// Names of codecs as a person would say them.
enum CodecName {
    /// The name to show for what an element put into the codec tag.
    static func display(_ tag: String?) -> String {
        guard let tag else { return "" }
        if tag.hasPrefix("Free Lossless Audio Codec") { return "FLAC" }
        if tag.hasPrefix("Apple Lossless") { return "ALAC" }
        if tag.hasPrefix("Uncompressed") { return "PCM" }
        return tag
    }

    /// Whether a codec keeps every bit, so that its samples have a depth.
    static func isLossless(_ tag: String?) -> Bool {
        guard let tag = tag?.lowercased() else { return false }
        return ["lossless", "pcm", "flac", "alac", "wavpack", "true audio", "monkey"].contains { tag.contains($0) }
    }
}
