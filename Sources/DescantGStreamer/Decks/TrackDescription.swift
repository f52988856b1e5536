internal import DescantCore

/// What is known of a track at one moment: its length and its description for people.
///
/// Made on the pipeline's queue.
struct TrackDescription {
    let length: DeckLength
    let track: TrackInfo

    init(material: PlaybinMaterial, pipeline: PlaybinPipeline, shape: PlaybinPipeline.SourceShape) {
        let rate = Double(shape.sampleRate)
        if let exact = material.exactLength, exact.sampleRate == shape.sampleRate {
            length = DeckLength(frames: exact.frames, isExact: true)
        } else if let nanoseconds = pipeline.playbin.durationNanoseconds {
            length = DeckLength(frames: Int64((Double(nanoseconds) * rate / 1_000_000_000).rounded()), isExact: false)
        } else {
            length = .unknown
        }
        let found = pipeline.monitor.tags
        let format = AudioFormat(
            sampleRate: rate, channelCount: shape.channels,
            bitDepth: CodecName.isLossless(found.codec) ? shape.bitDepth : nil,
            codec: CodecName.display(found.codec))
        track = TrackInfo(
            title: found.tags.title ?? material.fallbackTitle, artist: found.tags.artist,
            duration: length.frames.map { Double($0) / rate } ?? 0, format: format, tags: found.tags)
    }
}
