internal import CGStreamer
internal import DescantCore

/// The mixer's inputs: a leading one that always has data and drives the rest, and one for every further layer.
///
/// All of them receive the same frames block by block. A layer that appears gets a feed whose first buffer lies at the
/// block's frame; since no feed is ever ahead of another by more than the block being pushed, it is never late.
struct MixerInputs: Sendable {
    private let pipeline: GStreamerElement
    private let mixer: GStreamerElement
    private let format: PCMFormat
    private let epochFrame: Int64
    private let silence: RenderedBuffer?
    private var lead: LayerInput
    private var others: [LayerInput] = []
    private var ending: [(feed: LayerInput, end: Int64)] = []

    /// Makes the leading feed.
    ///
    /// - Throws: `CoreError.unsupported` when an element is missing.
    init(
        pipeline: GStreamerElement, mixer: GStreamerElement, format: PCMFormat, epochFrame: Int64, blockFrames: Int
    ) throws {
        self.pipeline = pipeline
        self.mixer = mixer
        self.format = format
        self.epochFrame = epochFrame
        silence = RenderedBuffer.silence(bytes: blockFrames * format.frameBytes)
        lead = try LayerInput(pipeline: pipeline, mixer: mixer, caps: Self.caps(of: format))
    }

    static func caps(of format: PCMFormat) -> String {
        RawAudioCaps.text(channels: format.channels, sampleRate: format.sampleRate)
    }

    func drive(_ driver: RenderDriver) { lead.drive(driver) }

    /// How many feeds the mixer has, ending ones included.
    var count: Int { 1 + others.count + ending.count }

    /// Queues the same frames of every layer.
    ///
    /// - Parameters:
    ///   - span: What to queue; follows what was queued before.
    /// - Throws: `CoreError.unsupported` when a feed for a new layer cannot be made.
    mutating func push(_ span: RenderedSpan) throws {
        endFeeds(absentFrom: span)
        fillLead(from: span)
        for layer in span.layers where layer.id != lead.layer {
            if let feed = others.first(where: { $0.layer == layer.id }) {
                push(layer.buffer, of: span, to: feed)
            } else {
                let feed = try addFeed(for: layer.id)
                push(layer.buffer, of: span, to: feed)
                feed.activate()
            }
        }
        push(span.layers.first { $0.id == lead.layer }?.buffer, of: span, to: lead)
    }

    /// Ends every feed after what is queued.
    func end() {
        for feed in others { feed.end() }
        lead.end()
    }

    /// Takes the feeds out of the rack whose end the mixer has passed.
    ///
    /// - Parameter mixedFrame: The first frame that the mixer has not put out.
    mutating func takeEnded(mixedFrame: Int64) -> [LayerInput] {
        guard !ending.isEmpty else { return [] }
        defer { ending.removeAll { $0.end <= mixedFrame } }
        return ending.filter { $0.end <= mixedFrame }.map(\.feed)
    }

    /// Takes every feed out of the rack, when the pipeline has stopped.
    mutating func takeAll() -> [LayerInput] {
        defer {
            others = []
            ending = []
        }
        return others + ending.map(\.feed) + [lead]
    }

    // MARK: Layers coming and going

    private mutating func endFeeds(absentFrom span: RenderedSpan) {
        if let layer = lead.layer, !span.layers.contains(where: { $0.id == layer }) { lead.layer = nil }
        for index in others.indices.reversed()
        where !span.layers.contains(where: { $0.id == others[index].layer }) {
            endFeed(at: index, frame: span.frame)
        }
    }

    /// Lets the leading feed carry a layer rather than silence: a new one, or one of another feed, which then ends.
    private mutating func fillLead(from span: RenderedSpan) {
        guard lead.layer == nil, let first = span.layers.first else { return }
        let carried = others.map(\.layer)
        let chosen = span.layers.first { !carried.contains($0.id) } ?? first
        if let index = others.firstIndex(where: { $0.layer == chosen.id }) { endFeed(at: index, frame: span.frame) }
        lead.layer = chosen.id
    }

    private mutating func endFeed(at index: Int, frame: Int64) {
        let feed = others.remove(at: index)
        feed.end()
        ending.append((feed, frame))
    }

    private mutating func addFeed(for layer: LayerID) throws -> LayerInput {
        var feed = try LayerInput(pipeline: pipeline, mixer: mixer, caps: Self.caps(of: format))
        feed.layer = layer
        others.append(feed)
        return feed
    }

    // MARK: Buffers

    private func push(_ buffer: RenderedBuffer?, of span: RenderedSpan, to feed: LayerInput) {
        let bytes = span.frames * format.frameBytes
        guard let samples = buffer ?? silence?.excerpt(offset: 0, size: bytes) else { return }
        let start = time(of: span.frame)
        feed.push(samples, isSilent: buffer == nil, time: start, duration: time(of: span.end) - start)
    }

    /// A frame's time in the pipeline. Rounded up, it becomes the same frame again when the mixer rounds down.
    private func time(of frame: Int64) -> UInt64 {
        UInt64(gst_util_uint64_scale_ceil(UInt(frame - epochFrame), 1_000_000_000, UInt(format.sampleRate)))
    }
}

extension PCMFormat {
    /// Bytes of one interleaved Float32 frame.
    var frameBytes: Int { channels * MemoryLayout<Float>.stride }
}
