internal import CGStreamer
internal import DescantCore
internal import Foundation

/// Passes the blocks of an appsink to a closure, on a thread of its own. An error of the closure is the sink's and ends the passing.
final class CallbackPump: Sendable {
    private let sink: GStreamerElement
    private let plan: SessionPlan
    private let handler: @Sendable (PCMBlock) throws -> Void
    private let finished = Promise<Void>()

    init(sink: GStreamerElement, plan: SessionPlan, handler: @escaping @Sendable (PCMBlock) throws -> Void) {
        self.sink = sink
        self.plan = plan
        self.handler = handler
    }

    /// Starts the thread; it ends when the stream ends or the pipeline is stopped.
    func start() {
        let thread = Thread { [self] in
            run()
            finished.resolve(())
        }
        thread.name = "descant-callback"
        thread.start()
    }

    /// Waits until the closure has received the last block.
    ///
    /// - Returns: Whether that happened within the limit.
    func waitUntilFinished(within seconds: Double) async -> Bool { await finished.value(within: seconds) != nil }

    private func run() {
        var frame = plan.epochFrame
        while let sample = gst_app_sink_pull_sample(sink.as(GstAppSink.self)) {
            let samples = Self.samples(of: sample)
            gst_sample_unref(sample)
            do {
                try handler(PCMBlock(frame: frame, format: plan.format, samples: samples))
            } catch {
                return sink.post((error as? CoreError ?? .ioError(underlying: error)).message)
            }
            frame += Int64(samples.count / plan.format.channels)
        }
    }

    private static func samples(of sample: OpaquePointer) -> [Float] {
        guard let buffer = gst_sample_get_buffer(sample) else { return [] }
        let count = Int(gst_buffer_get_size(buffer)) / MemoryLayout<Float>.stride
        return [Float](unsafeUninitializedCapacity: count) { memory, initialized in
            initialized = Int(gst_buffer_extract(buffer, 0, memory.baseAddress, gsize(count * 4))) / 4
        }
    }
}
