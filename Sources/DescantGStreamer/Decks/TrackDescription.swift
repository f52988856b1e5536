internal import DescantCore

/// The length and the track info of a deck, as far as they are known.
///
/// Made on the pipeline's queue.
struct TrackDescription {
    let length: DeckLength
    let track: TrackInfo

    init(resolved: ResolvedSource, pipeline: PlaybinPipeline, shape: PlaybinPipeline.SourceShape) {
        let rate = Double(shape.sampleRate)
        let found = pipeline.monitor.tags
        let extent = resolved.exactLength?.scaled(to: shape.sampleRate)
        // A server is asked for bytes by the same estimate, so nothing behind it can be reached.
        let isEstimated = resolved.network == nil && pipeline.estimatesLength
        if let frames = extent?.frames {
            length = DeckLength(frames: frames, isExact: true, isCutOff: extent?.isCutOff ?? false)
        } else if let nanoseconds = pipeline.playbin.durationNanoseconds,
            let decoded = FrameCount(exactly: Int64((Double(nanoseconds) * rate / 1_000_000_000).rounded()))
        {
            length = DeckLength(
                frames: max(0, decoded.value - (extent?.lead ?? 0)), isExact: false,
                // The length of lossy streams may be an estimate from their first frames.
                isAnnounced: resolved.network != nil && CodecName.isLossless(found.codec), isEstimated: isEstimated)
        } else {
            length = DeckLength(frames: nil, isExact: false, isEstimated: isEstimated)
        }
        let format = AudioFormat(
            sampleRate: rate, channelCount: shape.channels,
            bitDepth: CodecName.isLossless(found.codec) ? shape.bitDepth : nil,
            codec: CodecName.display(found.codec))
        track = TrackInfo(
            title: found.tags.title ?? resolved.fallbackTitle, artist: found.tags.artist,
            duration: length.frames.map { Double($0) / rate } ?? 0, format: format, tags: found.tags,
            replayGain: found.replayGain)
    }
}

/// The length of a source and its reliability.
struct DeckLength: Sendable, Equatable {
    /// The length in source frames; `nil` while unknown.
    var frames: Int64?
    /// Whether the length is exact to the frame: the deck then delivers exactly this many.
    var isExact: Bool
    /// Whether the stream states its length, so that a stream that ends long before it is truncated.
    var isAnnounced = false
    /// Whether the length is a guess from the bit rate of what was read so far, so that sound may lie behind it.
    var isEstimated = false
    /// Whether the source ends before its sound does.
    var isCutOff = false

    static let unknown = DeckLength(frames: nil, isExact: false)
}

/// Display names of codecs.
private enum CodecName {
    /// The display name for an element's codec tag.
    static func display(_ tag: String?) -> String {
        guard let tag else { return "" }
        if tag.hasPrefix("Free Lossless Audio Codec") { return "FLAC" }
        if tag.hasPrefix("Apple Lossless") { return "ALAC" }
        if tag.hasPrefix("Uncompressed") { return "PCM" }
        return tag
    }

    /// Whether a codec is lossless, so that its samples have a bit depth.
    static func isLossless(_ tag: String?) -> Bool {
        guard let tag = tag?.lowercased() else { return false }
        return ["lossless", "pcm", "flac", "alac", "wavpack", "true audio", "monkey"].contains { tag.contains($0) }
    }
}
