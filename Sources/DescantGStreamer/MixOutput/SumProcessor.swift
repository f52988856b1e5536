internal import CGStreamer
internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// Equalises, passes through effects, limits and measures the sum of all layers in place, on the mixer's streaming thread.
final class SumProcessor: Sendable {
    private let plan: SessionPlan
    private let shared: OutputShared
    private let driver: RenderDriver
    private let state: Mutex<(sum: ResumedSum, meter: LevelMeter)>

    /// - Parameter past: The kept blocks from before the pipeline's first frame; equaliser, effects and limiter
    ///   continue from there.
    init(plan: SessionPlan, shared: OutputShared, driver: RenderDriver, past: [RenderedSpan]) {
        self.plan = plan
        self.shared = shared
        self.driver = driver
        let sum = ResumedSum(at: plan.epochFrame, format: plan.format, shared: shared, past: past)
        state = Mutex((sum, LevelMeter(sampleRate: plan.format.sampleRate, channels: plan.format.channels)))
    }

    /// Processes every buffer that leaves an element.
    func attach(to element: GStreamerElement) {
        BufferProbe.attach(to: "src", of: element) { [self] buffer in process(buffer) }
    }

    /// Processes a buffer.
    ///
    /// - Parameter buffer: A writable buffer.
    private func process(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let frames = Int(gst_buffer_get_size(buffer)) / plan.format.frameBytes
        var isChanged = false
        var done = 0
        // In parts, since an epoch may begin inside a block of the mixer.
        while done < frames {
            let (start, left) = beginPart()
            let part = Int(min(Int64(frames - done), left))
            keepState(before: start)
            if buffer.isGap && !shared.settings.wantsTap.load(ordering: .relaxed) && !hasTail(at: start) {
                processSilence(frames: part, start: start)
            } else {
                buffer.withSamples { samples, _ in
                    let first = samples + done * plan.format.channels
                    if process(first, frames: part, start: start) { isChanged = true }
                }
            }
            driver.mixedFrames.add(Int64(part), ordering: .relaxed)
            done += part
        }
        // The tail of equaliser and effects after the end of a sound is not silence, although the mixer has flagged the buffer as a gap.
        if isChanged { buffer.clearGap() }
    }

    /// Continues from an earlier state where a new epoch begins.
    ///
    /// - Returns: The output frame of the next part, and the frames until the next epoch.
    private func beginPart() -> (start: Int64, left: Int64) {
        let graphFrame = driver.mixedFrames.load(ordering: .relaxed)
        let (epoch, left) = driver.epochs.epoch(of: graphFrame)
        if epoch.graphFrame == graphFrame, let sum = epoch.sum {
            state.withLock { state in
                state.sum = sum
                state.meter.reset()
            }
        }
        return (epoch.frame + graphFrame - epoch.graphFrame, left)
    }

    /// Stores the state for a later pipeline, and drops outdated settings.
    private func keepState(before start: Int64) {
        let heard = plan.destination.isOffline ? start : shared.heard.known
        shared.settings.forget(before: min(start, heard - Int64(2 * plan.blockFrames)))
        guard !plan.destination.isOffline else { return }
        let sum = state.withLock { $0.sum }
        shared.sums.withLock { $0.keep(sum.tools, before: start, by: sum.generation, heard: heard) }
    }

    /// Whether silence must be processed: equaliser or effects have a tail, or their settings change.
    private func hasTail(at start: Int64) -> Bool {
        state.withLock { state in
            let setting = shared.settings.equalizer(at: start).value
            let plan = shared.settings.effects(at: start).value
            let tools = state.sum.tools
            return !tools.equalizer.isAtRest || setting != tools.equalizer.settings || !tools.effects.isAtRest
                || plan != tools.effects.plan
        }
    }

    /// Processes samples in place; returns whether equaliser or effects have processed them.
    private func process(_ samples: UnsafeMutablePointer<Float>, frames: Int, start: Int64) -> Bool {
        let isChanged = state.withLock { state in
            let isChanged = state.sum.tools.process(
                samples, frames: frames, channels: plan.format.channels, start: start, settings: shared.settings)
            measure(samples, frames: frames, start: start, with: &state.meter)
            return isChanged
        }
        guard shared.settings.wantsTap.load(ordering: .relaxed) else { return isChanged }
        let copy = [Float](UnsafeBufferPointer(start: samples, count: frames * plan.format.channels))
        shared.post(.tapped(PCMBlock(frame: start, format: plan.format, samples: copy)))
        return isChanged
    }

    private func processSilence(frames: Int, start: Int64) {
        state.withLock { state in
            state.sum.tools.limiter.skip(frames: frames)
            measure(nil, frames: frames, start: start, with: &state.meter)
        }
    }

    private func measure(
        _ samples: UnsafePointer<Float>?, frames: Int, start: Int64, with meter: inout LevelMeter
    ) {
        guard shared.settings.wantsLevels.load(ordering: .relaxed) else {
            meter.reset()
            return
        }
        meter.measure(samples, frames: frames, startingAt: start) { reading in
            shared.post(.levels(frame: reading.frame, reading.levels))
        }
    }
}

/// Equaliser, effects and limiter in the state before a frame that was processed earlier.
struct ResumedSum: Sendable {
    var tools: SumTools
    /// Identifies those who continue from here; states of earlier ones are ignored.
    var generation: Int

    /// The state before a frame. States are stored for the beginnings of blocks, so the frames between the last
    /// beginning and the frame are processed again.
    ///
    /// - Parameter past: The kept blocks from before the frame.
    init(at epochFrame: Int64, format: PCMFormat, shared: OutputShared, past: [RenderedSpan]) {
        let (known, generation) = shared.sums.withLock { $0.resume(at: epochFrame) }
        self.generation = generation
        tools = SumTools(
            format: format, equalizer: shared.settings.equalizer(at: epochFrame).value,
            effects: shared.settings.effects(at: epochFrame).value)
        guard var (frame, known) = known else { return }
        for span in past where span.end > frame {
            let span = span.dropping(before: frame, frameBytes: format.frameBytes)
            guard span.frame == frame, frame < epochFrame else { break }
            var sum = [Float](repeating: 0, count: span.frames * format.channels)
            span.add(to: &sum)
            let frames = Int(min(Int64(span.frames), epochFrame - frame))
            _ = sum.withUnsafeMutableBufferPointer { memory in
                memory.baseAddress.map {
                    known.process(
                        $0, frames: frames, channels: format.channels, start: frame, settings: shared.settings)
                }
            }
            frame += Int64(frames)
        }
        if frame == epochFrame { tools = known }
    }
}

/// Equaliser, effects and limiter of the sum of all layers.
struct SumTools: Sendable {
    var equalizer: GraphicEqualizer
    var effects: EffectChain
    var limiter: PeakLimiter

    init(format: PCMFormat, equalizer settings: EqualizerSettings, effects plan: EffectPlan) {
        equalizer = GraphicEqualizer(sampleRate: format.sampleRate, channels: format.channels, settings: settings)
        effects = EffectChain(format, plan: plan)
        limiter = PeakLimiter(sampleRate: format.sampleRate, channels: format.channels)
    }

    /// Equalises frames in place, passes them through the effects and limits them, each with the settings at that frame.
    ///
    /// - Parameter start: The first frame on the output's timeline.
    /// - Returns: Whether equaliser or effects have processed samples.
    mutating func process(
        _ samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int, start: Int64, settings: MixSettings
    ) -> Bool {
        var isChanged = false
        var done = 0
        while done < frames {
            let (requested, equalizerFrames) = settings.equalizer(at: start + Int64(done))
            let (plan, effectFrames) = settings.effects(at: start + Int64(done))
            let (isLimited, limiterFrames) = settings.limiter(at: start + Int64(done))
            let part = Int(min(Int64(frames - done), equalizerFrames, effectFrames, limiterFrames))
            if requested != equalizer.settings { equalizer.set(requested) }
            effects.set(plan)
            isChanged = isChanged || !equalizer.passesUntouched || !effects.passesUntouched
            equalizer.process(samples + done * channels, frames: part)
            effects.process(samples + done * channels, frames: part)
            limiter.isEnabled = isLimited
            limiter.process(samples + done * channels, frames: part)
            done += part
        }
        return isChanged
    }
}

/// The states of equaliser, effects and limiter at the beginnings of the last blocks.
///
/// A new pipeline begins at the heard frame, before the last frame that an earlier pipeline has processed. It continues
/// from the state at that frame, so that no transient is heard.
struct SumHistory: Sendable {
    private var states: [(frame: Int64, tools: SumTools)] = []
    /// Identifies the present pipeline; states of an abandoned one are ignored.
    private var generation = 0

    /// Stores the state before a frame.
    ///
    /// - Parameters:
    ///   - generation: The pipeline's generation, from ``resume(at:)``.
    ///   - heard: The heard frame; of the states before it only the last is kept.
    mutating func keep(_ tools: SumTools, before frame: Int64, by generation: Int, heard: Int64) {
        guard generation == self.generation else { return }
        var copy = tools
        copy.equalizer = tools.equalizer.snapshot
        copy.effects = tools.effects.snapshot
        states.append((frame, copy))
        while states.count > 1, states[1].frame <= heard { states.removeFirst() }
    }

    /// Returns to a frame, for a new pipeline.
    ///
    /// - Returns: The last state that lies at or before the frame, and the pipeline's generation.
    mutating func resume(at frame: Int64) -> (state: (frame: Int64, tools: SumTools)?, generation: Int) {
        generation += 1
        states.removeAll { $0.frame > frame }
        return (states.last, generation)
    }
}

extension RenderedSpan {
    /// Adds the frames of every layer to a sum.
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
