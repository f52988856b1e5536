internal import CGStreamer
internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// Collects what a playbin reports on its own threads: errors, tags, progress.
///
/// Nothing here waits or changes a state. One observer hears of every event, on the thread that caused it.
final class PlaybinMonitor: Sendable {
    /// What can happen in a pipeline.
    enum Event: Sendable {
        /// Samples are there to be read.
        case sample
        /// The stream is over.
        case endOfStream
        /// The pipeline is prerolled.
        case prerolled
        /// The first error was posted.
        case failed(DeckFailure)
        /// Tags came in.
        case tagsChanged
        /// Another duration is known now.
        case durationChanged
        /// A network buffer fills.
        case buffering(percent: Int)
    }

    /// Hears what happened, and in which run; see ``PlaybinMonitor/run``.
    typealias Observer = @Sendable (_ event: Event, _ run: Int) -> Void

    private struct State {
        var observer: Observer?
        var run = 0
        var messages = 0
        var hasSample = false
        var failure: DeckFailure?
        var missing: [MissingCodec] = []
        var tags = StreamTags()
        var bufferPercent = 100
        var response: HTTPResponse?
        var hasContent = false
    }

    private let state = Mutex(State())

    /// Raised whenever there may be something new to read.
    let readiness = EventCount()

    /// Sets who hears of what happens; `nil` for nobody.
    func observe(_ observer: Observer?) { state.withLock { $0.observer = observer } }

    /// How often the pipeline was started again: what one run reported says nothing about the next.
    var run: Int { state.withLock { $0.run } }

    /// How many messages were posted, of whatever kind: they grow in number while a pipeline is being put together.
    var messages: Int { state.withLock { $0.messages } }

    /// Whether this run has brought a sample.
    var hasSample: Bool { state.withLock { $0.hasSample } }

    /// The first error.
    var failure: DeckFailure? { state.withLock { $0.failure } }

    /// The tags up to now.
    var tags: StreamTags { state.withLock { $0.tags } }

    /// How full the network buffer is; 100 for everything that has none.
    var bufferPercent: Int { state.withLock { $0.bufferPercent } }

    /// What the server said last; `nil` before it answered, and where there is none.
    var response: HTTPResponse? { state.withLock { $0.response } }

    /// Whether a server has agreed to send something.
    var hasContent: Bool { state.withLock { $0.hasContent } }

    /// What playbin found no element for.
    var missing: [MissingCodec] { state.withLock { $0.missing } }

    /// Takes a message from the bus.
    func receive(_ message: UnsafeMutablePointer<GstMessage>) {
        state.withLock { $0.messages += 1 }
        switch message.pointee.type {
        case GST_MESSAGE_ERROR: receiveError(message)
        case GST_MESSAGE_ELEMENT: receiveDetail(message)
        case GST_MESSAGE_TAG:
            state.withLock { $0.tags.merge(message) }
            report(.tagsChanged)
        case GST_MESSAGE_DURATION_CHANGED: report(.durationChanged)
        case GST_MESSAGE_ASYNC_DONE: report(.prerolled)
        case GST_MESSAGE_BUFFERING:
            var percent: gint = 0
            gst_message_parse_buffering(message, &percent)
            state.withLock { $0.bufferPercent = Int(percent) }
            // First the report: whoever reads on may be at the end before it is made.
            report(.buffering(percent: Int(percent)))
            if percent >= 100 { readiness.raise() }
        default: break
        }
    }

    /// The sink has a sample.
    func sampleArrived() {
        state.withLock { $0.hasSample = true }
        readiness.raise()
        report(.sample)
    }

    /// The sink was told that the stream is over.
    func streamEnded() {
        readiness.raise()
        report(.endOfStream)
    }

    /// Keeps the first error; what follows from it is of no interest.
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

    /// Forgets the error and the sample: another run begins. To be called while no streaming thread runs.
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
                if (200..<300).contains(response.status) { state.hasContent = true }
            }
        }
    }

    private func receiveError(_ message: UnsafeMutablePointer<GstMessage>) {
        guard var failure = StreamFailure(parsing: message) else { return }
        failure.missing = missing
        failure.status = response?.status
        fail(.stream(failure))
    }

    /// Passes on something that happened.
    func report(_ event: Event) {
        let (observer, run) = state.withLock { ($0.observer, $0.run) }
        observer?(event, run)
    }
}

/// Tells a monitor what arrives at an appsink, on the streaming thread.
enum AppSinkCallbacks {
    static func install(on sink: GStreamerElement, monitor: PlaybinMonitor) {
        var callbacks = GstAppSinkCallbacks()
        callbacks.eos = appSinkStreamEnded
        callbacks.new_sample = appSinkSampleArrived
        gst_app_sink_set_callbacks(
            sink.as(GstAppSink.self), &callbacks, Unmanaged.passRetained(monitor).toOpaque(), appSinkReleased)
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

private func appSinkReleased(_ data: gpointer?) {
    if let data { Unmanaged<PlaybinMonitor>.fromOpaque(data).release() }
}
