internal import CGStreamer
internal import CGStreamerShim
internal import DescantContainers
internal import DescantCore
internal import Dispatch
internal import Synchronization

/// A playbin whose sound ends in an appsink: Float32 at the source's own rate, with the source's own channels.
///
/// The pipeline always runs; it stands still by itself while nobody pulls. Functions that may block are to be called on
/// ``queue``, which is serial.
final class PlaybinPipeline: Sendable {
    /// The shape of the decoded stream before it is brought to the mix.
    struct SourceShape: Sendable {
        var sampleRate: Int
        var channels: Int
        var bitDepth: Int
    }

    /// What a pipeline looks like in which nothing goes on: two that are equal, some time apart, tell of rest between them.
    struct Rest: Sendable, Equatable {
        var run: Int
        var messages: Int
        var elements: Int
    }

    let queue = DispatchQueue(label: "descant.deck", qos: .userInitiated)
    let monitor = PlaybinMonitor()
    let playbin: GStreamerElement
    let sink: GStreamerElement
    private let feed: PatchedByteStream?
    private let shape: Mutex<SourceShape?> = Mutex(nil)
    private let rateFilter: GStreamerElement
    /// The channels that a deck delivers; `nil` for those of the source.
    private let channels: Int?
    /// Whether GStreamer's FLAC decoder is at work.
    private let hasFLACDecoder = Mutex(false)
    /// Whether the bytes come from this machine, so that nothing may keep them away for long.
    let isLocal: Bool

    /// Builds the pipeline; nothing runs yet.
    ///
    /// - Parameters:
    ///   - material: What to play.
    ///   - channels: The channels of the mix; `nil` keeps those of the source, in their order.
    /// - Throws: `CoreError.unsupported` naming an element that is not installed.
    init(_ material: ResolvedSource, channels: Int?) throws {
        let monitor = monitor
        feed = (material.makeFeed? { monitor.fail(.source($0)) }).map(PatchedByteStream.init)
        feed?.patch(material.exactLength?.patches ?? [])
        playbin = try GStreamerElement("playbin")
        sink = try GStreamerElement("appsink")
        rateFilter = try GStreamerElement("capsfilter")
        self.channels = channels
        isLocal = material.makeFeed != nil || material.uri.hasPrefix("file:")
        // Sound only, without the converters that playbin would add: the sink has its own (15 % off the time to open).
        playbin.set("flags", "audio+native-audio")
        playbin.set("uri", material.uri)
        if material.network?.readsAheadLittle == true { playbin.set("buffer-size", NetworkSource.littleAhead) }
        // Without these, playbin looks for a display when a file has pictures, and can crash on the way.
        playbin.set("video-sink", element: try GStreamerElement("fakesink"))
        playbin.set("text-sink", element: try GStreamerElement("fakesink"))
        playbin.set("audio-sink", element: try makeSinkBin())
        SourceSetup.connect(playbin) { [feed, network = material.network] source in
            if let feed { AppSourceBinding.bind(source, to: feed) } else { network?.configure(source) }
        }
        SourceSetup.connect(playbin, to: "element-setup") { [weak self] in self?.prepareElement($0) }
        HeaderGuard.install(on: playbin) { monitor.fail(.refused($0)) }
        BusListener.listen(to: playbin) { monitor.receive($0) }
    }

    /// The source's shape; `nil` before the first sample.
    var sourceShape: SourceShape? { shape.withLock { $0 } }

    /// How a stream's channels come to those of the deck.
    func channelMap(for info: GstAudioInfo) -> ChannelMap {
        let count = Int(info.channels)
        let own = channels == nil && count == sourceShape?.channels
        let outputs = channels ?? sourceShape?.channels ?? count
        guard hasFLACDecoder.withLock({ $0 }), count == 7 || count == 8 else {
            if own { return ChannelMap(channels: count) }
            return ChannelMap(speakers: info.speakers, outputs: outputs)
        }
        // flacdec takes the second and the third pair of 6.1 and 7.1 channels for each other's (seen in GStreamer 1.22): centre
        // and bass come out behind, and what is behind in their places.
        let speakers = ChannelMap.speakers(channels: count)
        let map = own ? ChannelMap(channels: count) : ChannelMap(speakers: speakers, outputs: outputs)
        return map.reading(order: [0, 1, 4, 5, 2, 3, 6, 7])
    }

    /// On whatever thread makes an element, before it runs.
    private func prepareElement(_ pointer: UnsafeMutablePointer<GstElement>) {
        let element = GStreamerElement(owning: pointer)
        switch element.factoryName {
        case "flacdec": hasFLACDecoder.withLock { $0 = true }
        // Encoders turn the phase of one channel to save bits; left as it is, both channels sound alike. In mono they would cancel out.
        case "opusdec" where channels != 1 && element.has("phase-inversion"): element.set("phase-inversion", true)
        default: break
        }
    }

    private func makeSinkBin() throws -> GStreamerElement {
        let bin = try GStreamerElement.bin()
        let convert = try GStreamerElement("audioconvert")
        let resample = try GStreamerElement("audioresample")
        let tempo = try GStreamerElement("scaletempo")
        rateFilter.set("caps", RawAudioCaps.anyShape)
        sink.set("sync", false)
        sink.set("drop", false)
        sink.set("enable-last-sample", false)
        sink.set("wait-on-eos", false)
        AppSinkCallbacks.install(on: sink, monitor: monitor)
        SinkQueue.install(on: sink)
        bin.add(convert, resample, tempo, rateFilter, sink)
        try GStreamerElement.link([convert, resample, tempo, rateFilter, sink])
        try bin.exposePad("sink", of: convert)
        CapsProbe.install(on: convert) { [weak self] in
            self?.sourceCapsArrived($0)
        } refused: { [monitor] in
            monitor.fail(.refused($0))
        }
        return bin
    }

    /// The first caps decide the deck's sample rate; a stream that changes its rate later is resampled to it.
    private func sourceCapsArrived(_ info: GstAudioInfo) {
        let found = SourceShape(
            sampleRate: Int(info.rate), channels: Int(info.channels), bitDepth: Int(info.finfo?.pointee.depth ?? 0))
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
    /// Ends what a streaming thread may be waiting for, so that the queue comes free.
    func interrupt() { feed?.cancel() }

    /// Whether the host was asked for bytes and has not answered yet.
    var isAwaitingHost: Bool { feed?.isAwaitingHost ?? false }

    /// Whether what reads the source rests: it has read everything, or has met an error.
    var hasGivenUp: Bool { Self.haveGivenUp(playbin.descendants) }

    /// How the pipeline looks when what reads the source rests and no sample has come; `nil` otherwise.
    var rest: Rest? {
        let elements = playbin.descendants
        guard !monitor.hasSample, Self.haveGivenUp(elements) else { return nil }
        return Rest(run: monitor.run, messages: monitor.messages, elements: elements.count)
    }

    private static func haveGivenUp(_ elements: [GStreamerElement]) -> Bool {
        elements.contains { $0.factoryName != "typefind" && $0.isReadingPaused }
    }
}

// MARK: Control, on the queue

extension PlaybinPipeline {
    /// The length that the headers of the host's bytes tell; `nil` for everything that is not fed.
    func readFedLength() -> ExactLength? {
        guard let feed, let bytes = StreamBytes(feed) else { return nil }
        defer { feed.move(to: 0) }
        let length = ExactLength.read(bytes)
        feed.patch(length?.patches ?? [])
        return length
    }

    func start() { playbin.setState(GST_STATE_PLAYING) }

    /// Plays from the beginning again, also after an error.
    ///
    /// - Parameter isUnsure: Whether the pipeline may have failed on its way to running, which it forgets only in its
    ///   first state.
    func restart(isUnsure: Bool = false) {
        playbin.setState(isUnsure ? GST_STATE_NULL : GST_STATE_READY)
        feed?.move(to: 0)
        monitor.beginAgain()
        start()
    }

    /// Waits until the first sample after a start is there, an error, or a time limit.
    ///
    /// - Returns: Whether the pipeline runs.
    func waitUntilRunning(seconds: Double) -> Bool {
        gst_element_get_state(playbin.pointer, nil, nil, GstClockTime(seconds * 1_000_000_000))
            == GST_STATE_CHANGE_SUCCESS
    }

    /// Moves the stream and sets its speed; samples from before are gone when this returns.
    ///
    /// - Returns: Whether the stream could be moved.
    func seek(toNanoseconds time: Int64, rate: Double) -> Bool {
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        return gst_element_seek(
            playbin.pointer, rate, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, gint64(time), GST_SEEK_TYPE_NONE, -1) != 0
    }

    /// How many sound streams the source has; `nil` for none that playbin could decode.
    var audioStreamCount: Int { playbin.int("n-audio") }

    /// Ends everything; the pipeline cannot be used again.
    func tearDown() {
        monitor.observe(nil)
        playbin.setState(GST_STATE_NULL)
        BusListener.stop(playbin)
    }
}

// MARK: Reading, never blocking

extension PlaybinPipeline {
    /// The next sample, which the caller then owns; `nil` when none is there now.
    func pullSample() -> OpaquePointer? { gst_app_sink_try_pull_sample(sink.as(GstAppSink.self), 0) }

    /// Whether the stream is over and everything was pulled; also true before the pipeline has started.
    var isDrained: Bool { gst_app_sink_is_eos(sink.as(GstAppSink.self)) != 0 }
}

/// Calls a closure with an element that playbin has made, before that element runs.
final class SourceSetup: Sendable {
    typealias Handler = @Sendable (UnsafeMutablePointer<GstElement>) -> Void

    private let handler: Handler

    private init(_ handler: @escaping Handler) { self.handler = handler }

    /// - Parameters:
    ///   - signal: "source-setup" for what reads the source, "element-setup" for all.
    ///   - handler: Called on the thread that makes the element.
    static func connect(
        _ playbin: GStreamerElement, to signal: String = "source-setup", _ handler: @escaping Handler
    ) {
        let setup = Unmanaged.passRetained(SourceSetup(handler)).toOpaque()
        let receive: @convention(c) (gpointer?, UnsafeMutablePointer<GstElement>?, gpointer?) -> Void = sourceIsSetUp
        descant_gst_connect(
            playbin.pointer, signal, unsafeBitCast(receive, to: GCallback.self), setup, sourceSetupReleased)
    }

    fileprivate func receive(_ source: UnsafeMutablePointer<GstElement>) { handler(source) }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func sourceIsSetUp(_ playbin: gpointer?, _ source: UnsafeMutablePointer<GstElement>?, _ data: gpointer?) {
    guard let source, let data else { return }
    Unmanaged<SourceSetup>.fromOpaque(data).takeUnretainedValue().receive(source)
}

private func sourceSetupReleased(_ data: gpointer?) {
    if let data { Unmanaged<SourceSetup>.fromOpaque(data).release() }
}
