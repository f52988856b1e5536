internal import CGStreamer
internal import CGStreamerShim
internal import DescantCore
internal import DescantMixing
internal import Foundation
internal import Synchronization

/// The elements behind the master volume, which play the mix, write it to a file or pass it to a closure.
struct SinkChain: Sendable {
    /// In the order of the data flow; the last one is the sink.
    let elements: [GStreamerElement]
    /// Passes the sink's blocks to a host's closure.
    let pump: CallbackPump?
    /// The output that the pump writes to.
    let port: PortWriter?

    var sink: GStreamerElement { elements[elements.count - 1] }

    /// Makes the elements.
    ///
    /// - Throws: `CoreError.unsupported` naming an element that is missing, `CoreError.invalidArgument` for a
    ///   destination that makes no sense.
    init(plan: SessionPlan) throws {
        var pump: CallbackPump?
        var port: PortWriter?
        switch plan.destination {
        // Devices have a ``QueueWriter`` in front of the sink.
        case .pulse, .alsa, .null, .discard: elements = [try Self.fake()]
        case .wav(let url, let encoding, let isDithered):
            elements = try Self.encode(encoding, with: "wavenc", to: url, isDithered: isDithered, plan: plan)
        case .flac(let url, let bits, let isDithered):
            let encoding = try Self.encoding(ofFLAC: bits)
            elements = try Self.encode(encoding, with: "flacenc", to: url, isDithered: isDithered, plan: plan)
        case .raw(let url, let encoding, let isDithered):
            elements = try Self.encode(encoding, with: nil, to: url, isDithered: isDithered, plan: plan)
        case .callback(_, let handler):
            let sink = try Self.makeAppSink(blocks: 4)
            elements = [sink]
            pump = CallbackPump(sink: sink, plan: plan, handler: handler)
        case .port(_, let bits, let make):
            let sink = try Self.makeAppSink(blocks: 4)
            if let bits {
                guard bits == 16 || bits == 24 else {
                    throw CoreError.invalidArgument("samples are rounded to 16 or 24 bits, not \(bits)")
                }
                Self.dither(bits: bits, before: sink, plan: plan)
            }
            elements = [sink]
            let writer = PortWriter(plan: plan, make: make) { sink.post($0) }
            port = writer
            pump = CallbackPump(sink: sink, plan: plan) { try writer.write($0) }
        }
        self.pump = pump
        self.port = port
    }

    // MARK: Without a file

    // The driver keeps the time: blocks that wait in a sink would delay the next sound.

    private static func fake() throws -> GStreamerElement {
        let sink = try GStreamerElement("fakesink")
        sink.set("sync", false)
        sink.set("async", false)
        sink.set("enable-last-sample", false)
        return sink
    }

    private static func makeAppSink(blocks: Int) throws -> GStreamerElement {
        let sink = try GStreamerElement("appsink")
        sink.set("sync", false)
        sink.set("async", false)
        sink.set("enable-last-sample", false)
        sink.set("emit-signals", false)
        sink.set("max-buffers", blocks)
        sink.set("drop", false)
        return sink
    }

    // MARK: Files

    private static func encode(
        _ encoding: SampleEncoding, with encoder: String?, to url: URL, isDithered: Bool, plan: SessionPlan
    ) throws -> [GStreamerElement] {
        try OutputDestination.check(url)
        let convert = try GStreamerElement("audioconvert")
        // The converter's dither would also change samples that need no rounding.
        convert.set("dithering", "none")
        convert.set("noise-shaping", "none")
        if isDithered, encoding != .f32 { dither(bits: 8 * encoding.bytes, before: convert, plan: plan) }
        let caps = try GStreamerElement("capsfilter")
        caps.set("caps", "audio/x-raw,format=\(encoding.gstreamerName),layout=interleaved")
        let sink = try GStreamerElement("filesink")
        descant_gst_set_string(sink.pointer, "location", url.path)
        sink.set("sync", false)
        sink.set("async", false)
        sink.set("enable-last-sample", false)
        let encoders = try encoder.map { [try GStreamerElement($0)] } ?? []
        if encoder == "wavenc" { encoders.forEach { descant_gst_write_open_ended_wav($0.pointer) } }
        return [convert, caps] + encoders + [sink]
    }

    /// Dithers and rounds the input of an element; a converter then rounds nothing.
    private static func dither(bits: Int, before element: GStreamerElement, plan: SessionPlan) {
        let channels = plan.format.channels
        let box = DitherBox(Dither(bits: bits, sampleRate: plan.format.sampleRate, channels: channels))
        BufferProbe.attach(to: "sink", of: element) { buffer in
            box.dither.withLock { dither in
                guard !buffer.isGap || !dither.isIdle else { return }
                buffer.withSamples { samples, count in dither.process(samples, frames: count / channels) }
                buffer.clearGap()
            }
        }
    }

    private static func encoding(ofFLAC bits: Int) throws -> SampleEncoding {
        switch bits {
        case 16: .s16
        case 24: .s24
        default: throw CoreError.invalidArgument("FLAC files are written with 16 or 24 bits a sample, not \(bits)")
        }
    }
}

/// The dither of a file; used by its streaming thread only.
private final class DitherBox: Sendable {
    let dither: Mutex<Dither>

    init(_ dither: Dither) { self.dither = Mutex(dither) }
}

/// The parameters of an output's pipeline.
struct SessionPlan: Sendable {
    var format: PCMFormat
    var destination: OutputDestination
    /// The maximum frames per block.
    var blockFrames: Int
    /// The pipeline's first frame on the output's timeline.
    var epochFrame: Int64
    /// The name that a sound server shows for the stream.
    var applicationName: String
    /// The role of the stream on a sound server.
    var role = AudioRole.music

    /// Makes the writer of a sound device; `nil` for another destination, whose sink takes the blocks.
    func makeWriter(_ report: @escaping @Sendable (QueueEvent) -> Void) -> (any QueueWriter)? {
        switch destination {
        case .pulse: PulseWriter(plan: self, report: report)
        case .alsa: ALSAWriter(plan: self, report: report)
        default: nil
        }
    }

    /// Whether blocks that were not heard can be replaced.
    var isRewound: Bool { destination.isRewound }

    /// How far the mix is rendered ahead of the heard frame where blocks can be replaced, in seconds. PulseAudio cuts queues of more than
    /// 4 MiB without a word.
    var queue: Double {
        guard case .pulse = destination else { return destination.queue }
        return min(destination.queue, Double(4 << 20) * 0.9 / Double(format.sampleRate * format.frameBytes))
    }

    /// Whether the output's own clock sets the pace. A device requests blocks itself.
    var isTimed: Bool { !destination.isOffline && !destination.isDevice }
}
