internal import CGStreamer
internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// Collects what a playbin reports on its threads: errors, tags, progress.
///
/// Nothing here waits or changes a state. One observer receives every event, on the thread that caused it.
final class PlaybinMonitor: Sendable {
    /// An event of a pipeline.
    enum Event: Sendable {
        /// A sample has arrived.
        case sample
        /// The stream has ended.
        case endOfStream
        /// The pipeline is prerolled.
        case prerolled
        /// The first error was posted.
        case failed(DeckFailure)
        /// Tags have arrived.
        case tagsChanged
        /// The duration has changed.
        case durationChanged
        /// A network buffer is filling.
        case buffering(percent: Int)
    }

    /// Receives an event and the run that it belongs to; see ``PlaybinMonitor/run``.
    typealias Observer = @Sendable (_ event: Event, _ run: Int) -> Void

    private struct State {
        var observer: Observer?
        var run = 0
        var messages = 0
        var hasSample = false
        var failure: DeckFailure?
        var missing: [MissingCodec] = []
        var tags = StreamTags()
        /// The name of the stream at the sink.
        var stream: String?
        /// The tags of the stream that follows, until they name its song; those before it are known meanwhile.
        var nextTags: StreamTags?
        var bufferPercent = 100
        var response: HTTPResponse?
        var hasContent = false
        var isStation = false

        mutating func merge(_ message: UnsafeMutablePointer<GstMessage>) {
            guard var next = nextTags else { return tags.merge(message) }
            next.merge(message)
            nextTags = next.nameSong ? nil : next
            if next.nameSong { tags = next }
        }
    }

    private let state = Mutex(State())

    /// Raised when there may be something new to read.
    let readiness = EventCount()

    /// Sets the observer; `nil` for none.
    func observe(_ observer: Observer?) { state.withLock { $0.observer = observer } }

    /// The number of restarts. Reports of one run are not valid for the next.
    var run: Int { state.withLock { $0.run } }

    /// The number of messages of any kind; it grows while a pipeline is being built.
    var messages: Int { state.withLock { $0.messages } }

    /// Whether this run has brought a sample.
    var hasSample: Bool { state.withLock { $0.hasSample } }

    /// The first error.
    var failure: DeckFailure? { state.withLock { $0.failure } }

    /// The tags so far.
    var tags: StreamTags { state.withLock { $0.tags } }

    /// The fill level of the network buffer in percent; 100 for sources without one.
    var bufferPercent: Int { state.withLock { $0.bufferPercent } }

    /// The server's last response; `nil` before the first and for sources without a server.
    var response: HTTPResponse? { state.withLock { $0.response } }

    /// Whether a server has sent a successful response.
    var hasContent: Bool { state.withLock { $0.hasContent } }

    /// Whether the source is a radio station, by the last successful response: a proxy that answers with an error says nothing of it.
    var isStation: Bool { state.withLock { $0.isStation } }

    /// The codecs for which playbin found no element.
    var missing: [MissingCodec] { state.withLock { $0.missing } }

    /// Handles a message of the bus.
    func receive(_ message: UnsafeMutablePointer<GstMessage>) {
        state.withLock { $0.messages += 1 }
        switch message.pointee.type {
        case GST_MESSAGE_ERROR: receiveError(message)
        case GST_MESSAGE_ELEMENT: receiveDetail(message)
        case GST_MESSAGE_TAG:
            state.withLock { $0.merge(message) }
            report(.tagsChanged)
        case GST_MESSAGE_DURATION_CHANGED: report(.durationChanged)
        case GST_MESSAGE_ASYNC_DONE: report(.prerolled)
        case GST_MESSAGE_BUFFERING:
            var percent: gint = 0
            gst_message_parse_buffering(message, &percent)
            state.withLock { $0.bufferPercent = Int(percent) }
            // Reported first: a reader that is woken may reach the end before the report.
            report(.buffering(percent: Int(percent)))
            if percent >= 100 { readiness.raise() }
        default: break
        }
    }

    /// Handles the beginning of a stream at the sink. Another stream is another song, as with the links of a chain: what its tags do not
    /// tell is not taken from the one before it.
    func streamBegan(_ name: String) {
        state.withLock { state in
            if let last = state.stream, last != name { state.nextTags = StreamTags(codec: state.tags.codec) }
            state.stream = name
        }
    }

    /// Handles a sample at the sink.
    func sampleArrived() {
        state.withLock { $0.hasSample = true }
        readiness.raise()
        report(.sample)
    }

    /// Handles the end of the stream at the sink.
    func streamEnded() {
        readiness.raise()
        report(.endOfStream)
    }

    /// Keeps the first error; later ones follow from it.
    func fail(_ failure: DeckFailure) {
        let isFirst = state.withLock { state in
            guard state.failure == nil else { return false }
            state.failure = failure
            return true
        }
        guard isFirst else { return }
        readiness.raise()
        report(.failed(failure))
    }

    /// Begins another run, without error and sample. Must be called while no streaming thread runs.
    func beginAgain() {
        state.withLock { state in
            state.failure = nil
            state.hasSample = false
            state.run += 1
        }
    }

    private func receiveDetail(_ message: UnsafeMutablePointer<GstMessage>) {
        if let codec = MissingCodec(parsing: message) {
            state.withLock { $0.missing.append(codec) }
        } else if let response = HTTPResponse(parsing: message) {
            state.withLock { state in
                state.response = response
                guard (200..<300).contains(response.status) else { return }
                state.hasContent = true
                state.isStation = response.isStation
            }
        }
    }

    private func receiveError(_ message: UnsafeMutablePointer<GstMessage>) {
        guard var failure = StreamFailure(parsing: message) else { return }
        failure.missing = missing
        failure.status = response?.status
        fail(.stream(failure))
    }

    /// Reports an event to the observer.
    func report(_ event: Event) {
        let (observer, run) = state.withLock { ($0.observer, $0.run) }
        observer?(event, run)
    }
}

/// Reports the samples and the end of an appsink to a monitor, on the streaming thread.
enum AppSinkCallbacks {
    static func install(on sink: GStreamerElement, monitor: PlaybinMonitor) {
        var callbacks = GstAppSinkCallbacks()
        callbacks.eos = appSinkStreamEnded
        callbacks.new_sample = appSinkSampleArrived
        gst_app_sink_set_callbacks(
            sink.as(GstAppSink.self), &callbacks, Unmanaged.passRetained(monitor).toOpaque(), releaseObject)
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func monitor(behind data: gpointer?) -> PlaybinMonitor? {
    data.map { Unmanaged<PlaybinMonitor>.fromOpaque($0).takeUnretainedValue() }
}

private func appSinkStreamEnded(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) {
    monitor(behind: data)?.streamEnded()
}

private func appSinkSampleArrived(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) -> GstFlowReturn {
    monitor(behind: data)?.sampleArrived()
    return GST_FLOW_OK
}
