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
