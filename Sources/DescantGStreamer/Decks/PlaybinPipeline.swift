internal import CGStreamer
internal import CGStreamerShim
internal import DescantContainers
internal import DescantCore
internal import Dispatch
internal import Synchronization

/// A playbin with an appsink that delivers Float32 at the source's own rate, with the source's own channels.
///
/// The pipeline always runs; it blocks while no sample is pulled. Functions that may block must be called on ``queue``,
/// which is serial.
final class PlaybinPipeline: Sendable {
    /// The format of the decoded stream before the conversion to the mix.
    struct SourceShape: Sendable {
        var sampleRate: Int
        var channels: Int
        var bitDepth: Int
    }

    /// A snapshot of a pipeline that reads nothing. Two equal snapshots some time apart mean that the pipeline is idle.
    struct StallSnapshot: Sendable, Equatable {
        var run: Int
        var messages: Int
        var elements: Int
    }

    let queue = DispatchQueue(label: "descant.deck", qos: .userInitiated)
    let monitor = PlaybinMonitor()
    let playbin: GStreamerElement
    let sink: GStreamerElement
    /// Plays at other speeds.
    private let tempo: TempoStage
    private let stream: PatchedByteStream?
    private let shape: Mutex<SourceShape?> = Mutex(nil)
    private let rateFilter: GStreamerElement
    private let seeks = Mutex(SeekTimes())
    /// The channels of the deck; `nil` for those of the source.
    private let channels: Int?
    /// The sample rate and the channels to which the source is converted; `nil` for its own.
    private let format: PCMFormat?
    /// Whether GStreamer's FLAC decoder is in use.
    private let hasFLACDecoder = Mutex(false)
    /// Whether the bytes come from this machine, so that they must not be delayed for long.
    let isLocal: Bool

    /// Builds the pipeline without starting it.
    ///
    /// - Parameters:
    ///   - resolved: The source.
    ///   - channels: The channels of the mix; `nil` for those of the source, in their order.
    ///   - format: What the source is taken for, whatever its own sample rate and channels are.
    /// - Throws: `CoreError.unsupported` naming an element that is not installed.
    init(_ resolved: ResolvedSource, channels: Int?, as format: PCMFormat? = nil) throws {
        let monitor = monitor
        stream = (resolved.makeStream? { monitor.fail(.source($0)) }).map(PatchedByteStream.init)
        stream?.patch(resolved.exactLength?.patches ?? [])
        playbin = try GStreamerElement("playbin")
        sink = try GStreamerElement("appsink")
        rateFilter = try GStreamerElement("capsfilter")
        tempo = TempoStage.install(on: rateFilter) { monitor.fail(.refused($0)) }
        self.channels = channels
        self.format = format
        isLocal = resolved.makeStream != nil || ["file:", "data:"].contains(where: resolved.uri.lowercased().hasPrefix)
        // Audio only, without playbin's converters: the sink bin has its own. Opening takes 15 % less time.
        playbin.set("flags", "audio+native-audio")
        playbin.set("uri", resolved.uri)
        if resolved.network?.isHeldBack == true { playbin.set("buffer-size", SourceHold.readAhead) }
        // Without these, playbin looks for a display when a file has pictures, and can crash on the way.
        playbin.set("video-sink", element: try GStreamerElement("fakesink"))
        playbin.set("text-sink", element: try GStreamerElement("fakesink"))
        playbin.set("audio-sink", element: try makeSinkBin())
        let addressGuard = AddressGuard(resolved, isLocal: isLocal) { monitor.fail(.refused($0)) }
        ElementSetup.connect(playbin) { [weak playbin, stream, network = resolved.network] source in
            guard addressGuard.admits(source, of: playbin) else { return }
            if let stream { return AppSourceBinding.bind(source, to: stream) }
            network?.configure(source)
            if network?.isHeldBack == true { SourceHold.install(on: source, until: monitor) }
        }
        // The guard outlives this object: playbin may go on to another address while it is torn down.
        ElementSetup.connect(playbin, to: "element-setup") { [weak self] element in
            addressGuard.check(GStreamerElement(owning: element))
            self?.prepareElement(element)
        }
        HeaderGuard.install(on: playbin) { monitor.fail(.refused($0)) }
        BusListener.listen(to: playbin) { monitor.receive($0) }
    }

    /// The source's format; `nil` before the first sample.
    var sourceShape: SourceShape? { shape.withLock { $0 } }

    /// The map from a stream's channels to those of the deck.
    func channelMap(for info: GstAudioInfo) -> ChannelMap {
        let count = Int(info.channels)
        let expected = format?.channels ?? sourceShape?.channels
        let own = channels == nil && count == expected
        let outputs = channels ?? expected ?? count
        guard hasFLACDecoder.withLock({ $0 }), count == 7 || count == 8 else {
            if own { return ChannelMap(channels: count) }
            return ChannelMap(speakers: info.speakers, outputs: outputs)
        }
        // flacdec swaps the second and the third pair of 6.1 and 7.1 channels (seen in GStreamer 1.22).
        let speakers = ChannelMap.speakers(channels: count)
        let map = own ? ChannelMap(channels: count) : ChannelMap(speakers: speakers, outputs: outputs)
        return map.reading(order: [0, 1, 4, 5, 2, 3, 6, 7])
    }

    /// Called on the thread that makes an element, before the element runs.
    private func prepareElement(_ pointer: UnsafeMutablePointer<GstElement>) {
        let element = GStreamerElement(owning: pointer)
        switch element.factoryName {
        case "flacdec": hasFLACDecoder.withLock { $0 = true }
        case "aiffparse": FirstBufferHold.install(on: element)
        // Encoders invert the phase of one channel to save bits. Without the inversion both channels sound alike; in
        // mono, with it, they would cancel out.
        case "opusdec" where channels != 1 && element.has("phase-inversion"): element.set("phase-inversion", true)
        default: break
        }
    }

    private func makeSinkBin() throws -> GStreamerElement {
        let bin = try GStreamerElement.bin()
        let convert = try GStreamerElement("audioconvert")
        let resample = try GStreamerElement("audioresample")
        rateFilter.set(
            "caps", format.map { RawAudioCaps.text(sampleRate: $0.sampleRate) } ?? RawAudioCaps.anyShape)
        sink.set("sync", false)
        sink.set("drop", false)
        sink.set("enable-last-sample", false)
        sink.set("wait-on-eos", false)
        AppSinkCallbacks.install(on: sink, monitor: monitor)
        SinkQueue.install(on: sink)
        bin.add(convert, resample, rateFilter, sink)
        try GStreamerElement.link([convert, resample, rateFilter, sink])
        try bin.exposePad("sink", of: convert)
        CapsProbe.install(on: convert) { [weak self] in
            self?.sourceCapsArrived($0)
        } streamBegan: { [monitor] in
            monitor.streamBegan($0)
        } refused: { [monitor] in
            monitor.fail(.refused($0))
        }
        return bin
    }

    /// Keeps the first caps, which determine the deck's sample rate. A stream that changes its rate later is resampled.
    private func sourceCapsArrived(_ info: GstAudioInfo) {
        let found = SourceShape(
            sampleRate: format?.sampleRate ?? Int(info.rate), channels: Int(info.channels),
            bitDepth: Int(info.finfo?.pointee.depth ?? 0))
        let isFirst = shape.withLock { shape in
            defer { shape = shape ?? found }
            return shape == nil
        }
        guard isFirst else { return }
        rateFilter.set("caps", RawAudioCaps.text(sampleRate: found.sampleRate))
    }
}

// MARK: Control, on any thread

extension PlaybinPipeline {
    /// Ends a wait of a streaming thread for bytes, so that the queue becomes free.
    func interrupt() { stream?.cancel() }

    /// Whether a request for the host's bytes is pending.
    var isAwaitingHost: Bool { stream?.isAwaitingHost ?? false }

    /// Whether the element that reads the source has stopped, at the end or after an error.
    var hasStoppedReading: Bool { Self.haveStoppedReading(playbin.descendants) }

    /// A snapshot when the reading element has stopped and no sample has arrived; `nil` otherwise.
    var stallSnapshot: StallSnapshot? {
        let elements = playbin.descendants
        guard !monitor.hasSample, Self.haveStoppedReading(elements) else { return nil }
        return StallSnapshot(run: monitor.run, messages: monitor.messages, elements: elements.count)
    }

    private static func haveStoppedReading(_ elements: [GStreamerElement]) -> Bool {
        elements.contains { $0.factoryName != "typefind" && $0.isReadingPaused }
    }
}

// MARK: Control, on the queue

extension PlaybinPipeline {
    /// The reason to refuse the bytes that Descant feeds before playbin gets them; `nil` for other sources.
    var problemOfStream: String? {
        guard let stream, let bytes = StreamBytes(stream) else { return nil }
        defer { stream.move(to: 0) }
        return ReferenceMovie.problem(in: bytes)
    }

    /// Reads the length from the headers of bytes that Descant feeds; `nil` for other sources.
    func readStreamLength() -> ExactLength? {
        guard let stream, let bytes = StreamBytes(stream) else { return nil }
        defer { stream.move(to: 0) }
        let length = ExactLength.read(bytes)
        stream.patch(length?.patches ?? [])
        return length
    }

    func start() { playbin.setState(GST_STATE_PLAYING) }

    /// Restarts the pipeline at the beginning, also after an error.
    ///
    /// - Parameter isUnsure: Whether the pipeline may have failed while it was starting; only the NULL state clears
    ///   such a failure.
    func restart(isUnsure: Bool = false) {
        playbin.setState(isUnsure ? GST_STATE_NULL : GST_STATE_READY)
        stream?.move(to: 0)
        tempo.restart(rate: 1)
        seeks.withLock { $0 = SeekTimes() }
        monitor.beginAgain()
        start()
    }

    /// Waits for the first sample after a start, an error, or a time limit.
    ///
    /// - Returns: Whether the pipeline runs.
    func waitUntilRunning(seconds: Double) -> Bool {
        gst_element_get_state(playbin.pointer, nil, nil, GstClockTime(seconds * 1_000_000_000))
            == GST_STATE_CHANGE_SUCCESS
    }

    /// Seeks and sets the speed; earlier samples are dropped when this returns.
    ///
    /// - Returns: Whether the seek succeeded.
    func seek(toNanoseconds time: Int64, rate: Double) -> Bool {
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        tempo.prepare(rate: rate)
        let answer = gst_element_seek(
            playbin.pointer, 1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, gint64(time), GST_SEEK_TYPE_NONE, -1)
        guard answer != 0 else { return false }
        seeks.withLock { $0.begin(time) }
        return true
    }

    /// Whether the stream plays from its beginning and has not brought a sample.
    var isStarting: Bool { !monitor.hasSample && !monitor.isStation && seeks.withLock { !$0.isMoved } }

    /// Whether the source is known not to be movable, such as a station.
    var isFixed: Bool {
        guard let query = gst_query_new_seeking(GST_FORMAT_TIME) else { return false }
        defer { gst_query_unref(query) }
        guard gst_element_query(playbin.pointer, query) != 0 else { return false }
        var isSeekable: gboolean = 1
        gst_query_parse_seeking(query, nil, &isSeekable, nil, nil)
        return isSeekable == 0
    }

    /// Whether the length is GStreamer's estimate from the bit rate: coded blocks one after another, in no container that states it.
    var estimatesLength: Bool {
        let names = playbin.descendants.map(\.factoryName)
        let isContained = names.contains { name in
            name == "wavparse" || name.contains("demux") && !Self.tagDemuxers.contains(name)
        }
        return !isContained && names.contains(where: Self.blockParsers.contains)
    }

    private static let blockParsers = ["mpegaudioparse", "aacparse", "ac3parse", "dcaparse", "flacparse"]
    /// Elements that take tags off and leave the stream as it is.
    private static let tagDemuxers = ["id3demux", "apedemux", "icydemux"]

    /// The number of audio streams that playbin can decode.
    var audioStreamCount: Int { playbin.int("n-audio") }

    /// Stops the pipeline for good.
    func tearDown() {
        monitor.observe(nil)
        playbin.setState(GST_STATE_NULL)
        BusListener.stop(playbin)
    }
}

// MARK: Reading, never blocking

extension PlaybinPipeline {
    /// Pulls the next sample, which the caller then owns; `nil` when none is there now.
    func pullSample() -> OpaquePointer? { gst_app_sink_try_pull_sample(sink.as(GstAppSink.self), 0) }

    /// Whether a sample, the first one since a seek, belongs to an earlier seek.
    func isMisplaced(_ sample: OpaquePointer) -> Bool {
        guard let segment = gst_sample_get_segment(sample) else { return false }
        return seeks.withLock { $0.isMisplaced(UInt64(segment.pointee.start)) }
    }

    /// Whether the stream has ended and all samples were pulled; also true before the start.
    var isDrained: Bool { gst_app_sink_is_eos(sink.as(GstAppSink.self)) != 0 }
}

/// The times of a pipeline's seeks, in nanoseconds.
///
/// Parsers of MP3, FLAC and other streams without a container tell two seeks apart by the byte at which they begin to decode. When no data
/// came between them and that byte is the same, the sound that arrives is that of the earlier one (seen in GStreamer 1.22).
private struct SeekTimes {
    private var newest: Int64?
    private var earlier: [Int64] = []

    /// A limit for sources that answer none of many seeks.
    private static let limit = 64

    /// Whether there was a seek since the start of the pipeline.
    var isMoved: Bool { newest != nil }

    mutating func begin(_ time: Int64) {
        earlier = (earlier + [newest].compactMap { $0 }).suffix(Self.limit)
        newest = time
    }

    /// - Parameter start: The beginning of the segment that has arrived.
    mutating func isMisplaced(_ start: UInt64) -> Bool {
        guard let newest, start != UInt64(newest), let index = earlier.firstIndex(where: { UInt64($0) == start }) else {
            return false
        }
        earlier.remove(at: index)
        return true
    }
}

/// Calls a closure with an element that playbin has made, before the element runs.
private final class ElementSetup: Sendable {
    typealias Handler = @Sendable (UnsafeMutablePointer<GstElement>) -> Void

    private let handler: Handler

    private init(_ handler: @escaping Handler) { self.handler = handler }

    /// - Parameters:
    ///   - signal: "source-setup" for the source element, "element-setup" for all.
    ///   - handler: Called on the thread that makes the element.
    static func connect(
        _ playbin: GStreamerElement, to signal: String = "source-setup", _ handler: @escaping Handler
    ) {
        let setup = Unmanaged.passRetained(ElementSetup(handler)).toOpaque()
        let receive: @convention(c) (gpointer?, UnsafeMutablePointer<GstElement>?, gpointer?) -> Void = elementIsSetUp
        descant_gst_connect(
            playbin.pointer, signal, unsafeBitCast(receive, to: GCallback.self), setup, releaseObject)
    }

    fileprivate func receive(_ source: UnsafeMutablePointer<GstElement>) { handler(source) }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func elementIsSetUp(_ playbin: gpointer?, _ source: UnsafeMutablePointer<GstElement>?, _ data: gpointer?) {
    guard let source, let data else { return }
    Unmanaged<ElementSetup>.fromOpaque(data).takeUnretainedValue().receive(source)
}
