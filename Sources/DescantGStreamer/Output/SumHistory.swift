internal import CGStreamer
internal import DescantCore
internal import DescantMixing

/// What works on the sum of all layers and remembers what came before.
struct SumTools: Sendable {
    var equalizer: GraphicEqualizer
    var limiter: PeakLimiter

    init(format: PCMFormat, equalizer settings: EqualizerSettings) {
        equalizer = GraphicEqualizer(sampleRate: format.sampleRate, channels: format.channels, settings: settings)
        limiter = PeakLimiter(sampleRate: format.sampleRate, channels: format.channels)
    }

    /// Equalises and limits frames in place, each with the settings of its time.
    ///
    /// - Parameter start: The first frame on the output's timeline.
    /// - Returns: Whether the equaliser was at work.
    mutating func process(
        _ samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int, start: Int64, settings: MixSettings
    ) -> Bool {
        var isEqualized = false
        var done = 0
        while done < frames {
            let (wanted, equalizerFrames) = settings.equalizer(at: start + Int64(done))
            let (isLimited, limiterFrames) = settings.limiter(at: start + Int64(done))
            let part = Int(min(Int64(frames - done), equalizerFrames, limiterFrames))
            if wanted != equalizer.settings { equalizer.set(wanted) }
            isEqualized = isEqualized || !equalizer.passesUntouched
            equalizer.process(samples + done * channels, frames: part)
            limiter.isEnabled = isLimited
            limiter.process(samples + done * channels, frames: part)
            done += part
        }
        return isEqualized
    }
}

/// What equaliser and limiter remembered where each of the last blocks began.
///
/// A new pipeline begins where the listener is, some way before the last frame that an earlier one has equalised and limited. It
/// goes on from the state of then, so that neither is heard to begin anew.
struct SumHistory: Sendable {
    private var states: [(frame: Int64, tools: SumTools)] = []
    /// Tells the present pipeline from one that hangs and may still come to add something.
    private var generation = 0

    /// Keeps the state before a frame.
    ///
    /// - Parameters:
    ///   - generation: What ``resume(at:)`` gave to the pipeline.
    ///   - heard: Where the listener is: of what lies before that only the last state is kept.
    mutating func keep(_ tools: SumTools, before frame: Int64, by generation: Int, heard: Int64) {
        guard generation == self.generation else { return }
        var copy = tools
        copy.equalizer = tools.equalizer.snapshot
        states.append((frame, copy))
        while states.count > 1, states[1].frame <= heard { states.removeFirst() }
    }

    /// Goes back to a frame, for a new pipeline.
    ///
    /// - Returns: The last state that lies at or before the frame, and the pipeline's generation.
    mutating func resume(at frame: Int64) -> (state: (frame: Int64, tools: SumTools)?, generation: Int) {
        generation += 1
        states.removeAll { $0.frame > frame }
        return (states.last, generation)
    }
}

extension RenderedSpan {
    /// Adds every layer's frames to a sum.
    ///
    /// - Parameter sum: Interleaved samples, as many as the span has.
    func add(to sum: inout [Float]) {
        for buffer in layers.compactMap(\.buffer) {
            var map = GstMapInfo()
            guard gst_buffer_map(buffer.pointer, &map, GST_MAP_READ) != 0 else { continue }
            let count = min(sum.count, Int(map.size) / MemoryLayout<Float>.stride)
            map.data.withMemoryRebound(to: Float.self, capacity: count) { samples in
                for index in 0..<count { sum[index] += samples[index] }
            }
            gst_buffer_unmap(buffer.pointer, &map)
        }
    }
}
