import CGStreamer
import DescantCore
import DescantMixing
import DescantTestSupport
import DescantTesting
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import DescantGStreamer

/// A connection that is lost while a seek begins.
@Suite(.timeLimit(.minutes(5))) struct LossDuringSeekTests {
    private let fixture: NetworkFixture

    init() throws { fixture = try NetworkFixture() }

    /// The deck knows of no loss when it seeks, and the source refuses the seek because of the loss.
    ///
    /// - Parameter reconnectLimit: Without reconnections the deck begins again at the start of the file.
    @Test(arguments: [60.0, 0])
    func refusedSeekLeadsToItsTarget(reconnectLimit: Double) async throws {
        let (flac, loss) = (fixture.flac, DispatchSemaphore(value: 0))
        let isFirst = Mutex(true)
        defer { loss.signal() }
        let server = try LoopbackWebServer { request in
            let isCut = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isCut { return WebAnswer(body: flac, ending: .cut(after: flac.count / 2)) }
            guard request.rangeStart ?? 0 > 0 else { return WebAnswer(body: flac) }
            // GStreamer asks for the bytes behind the cut. The answer, which is the whole file, makes it give up.
            loss.wait()
            loss.signal()
            return WebAnswer(body: flac)
        }
        let opened = try await fixture.open(
            server.url("/noise.flac"), access: NetworkAccess(timeLimit: 60, reconnectLimit: reconnectLimit))
        defer { opened.deck.close() }
        let deck = try #require(opened.deck as? PlaybinDeck)
        #expect(try DeckDrain.read(deck, channels: 2, atMost: 100_000).failure == nil)
        let limit = ContinuousClock.now + .seconds(30)
        while server.requests.count < 2, ContinuousClock.now < limit { await Task.yield() }
        try #require(server.requests.count == 2 && deck.pipeline.monitor.failure == nil)
        SeekProbe.attach(to: deck.pipeline) { [monitor = deck.pipeline.monitor] in
            loss.signal()
            var seen = monitor.readiness.raises
            while monitor.failure == nil, monitor.readiness.wait(after: seen, limit: 30) {
                seen = monitor.readiness.raises
            }
        }
        deck.seek(toFrame: 333_333)
        let remainder = try DeckDrain.read(deck, channels: 2)
        #expect(remainder.failure == nil)
        #expect(remainder.firstPosition == 333_333)
        #expect((remainder.samples == fixture.samples.slice(333_333..<480_000)) == true)
    }
}

/// Calls a closure when the next seek enters a pipeline, before an element sees it.
private final class SeekProbe: Sendable {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    static func attach(to pipeline: PlaybinPipeline, _ body: @escaping @Sendable () -> Void) {
        guard let pad = gst_element_get_static_pad(pipeline.sink.pointer, "sink") else { return }
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, seekProbeSees, Unmanaged.passRetained(SeekProbe(body)).toOpaque(),
            seekProbeIsReleased)
        gst_object_unref(pad)
    }

    fileprivate func see(_ info: UnsafeMutablePointer<GstPadProbeInfo>) -> GstPadProbeReturn {
        guard let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_SEEK else {
            return GST_PAD_PROBE_OK
        }
        body()
        return GST_PAD_PROBE_REMOVE
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func seekProbeSees(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let info, let data else { return GST_PAD_PROBE_OK }
    return Unmanaged<SeekProbe>.fromOpaque(data).takeUnretainedValue().see(info)
}

private func seekProbeIsReleased(_ data: gpointer?) {
    if let data { Unmanaged<SeekProbe>.fromOpaque(data).release() }
}
