public import DescantCore
package import DescantMixing
internal import Dispatch
internal import Synchronization

/// An output that keeps everything rendered, and renders only when a test or `advance` says so.
///
/// Offline it renders inside the engine's `advance`. Otherwise it plays the part of a device in real time: a test pulls
/// blocks with ``step(frames:)`` and says with ``setLatency(frames:)`` how much of it has left the loudspeaker.
/// Callable from any thread.
public final class ManualOutput: Sendable {
    private struct Connection {
        var source: any MixSource
        var onEvent: @Sendable (OutputEvent) -> Void
    }

    private struct Recording {
        /// The output frame of the first sample.
        var start: Int64
        var samples: [Float] = []
    }

    private struct State {
        var connection: Connection?
        var isStarted = false
        var isLost = false
        var startCount = 0
        var releaseWatchers: [CheckedContinuation<Void, Never>] = []
        var startError: CoreError?
        var duringStart: (@Sendable () async throws -> Void)?
        var devices: [OutputDevice] = []
        var device: String?
        var volume = GainEnvelope(gain: 1)
        var equalizer: GraphicEqualizer
        var effects: EffectChain
        var limiter: PeakLimiter
        var meter: LevelMeter
        var wantsLevels = false
        var wantsTap = false
        var rendered: Int64 = 0
        var heard: Int64 = 0
        var lastChange: Int64 = 0
        var latency: Int64 = 0
        var mix = Recording(start: 0)
        var layers: [LayerID: Recording] = [:]
    }

    /// The shape of the mix.
    public let format: PCMFormat
    /// Whether the output renders inside the engine's `advance` only.
    public let isOffline: Bool
    package let canRewind: Bool
    private let blockFrames: Int
    /// Held while a block is rendered or changed.
    private let rendering = Mutex(())
    private let state: Mutex<State>
    /// The queue that renders. A render may wait for a deck, which must not block a thread of the task pool.
    private let queue = DispatchQueue(label: "descant.manual-output")

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - format: The shape of the mix.
    ///   - isOffline: Whether the output renders inside the engine's `advance` only.
    ///   - blockFrames: The maximum number of frames asked for at once.
    ///   - canRewind: Whether rendered frames that were not heard are rendered again after a command, as on a sound
    ///     server.
    public init(format: PCMFormat, isOffline: Bool, blockFrames: Int = 480, canRewind: Bool = false) {
        self.canRewind = canRewind
        self.format = format
        self.isOffline = isOffline
        self.blockFrames = blockFrames
        state = Mutex(
            State(
                equalizer: GraphicEqualizer(sampleRate: format.sampleRate, channels: format.channels),
                effects: EffectChain(format),
                limiter: PeakLimiter(sampleRate: format.sampleRate, channels: format.channels),
                meter: LevelMeter(sampleRate: format.sampleRate, channels: format.channels)))
    }

    // MARK: What was rendered

    /// Everything rendered so far, after equaliser, effects, limiter and volume; frame 0 is the output's first frame.
    public var rendered: SampleBuffer {
        state.withLock { SampleBuffer(format: format, samples: $0.mix.samples) }
    }

    /// How many frames were rendered.
    public var renderedFrames: Int64 { state.withLock { $0.rendered } }

    /// The sound of one layer, before limiter and volume; frame 0 is the output's first frame.
    ///
    /// - Parameter layer: The layer; silence for frames in which it was not rendered.
    public func rendered(of layer: LayerID) -> SampleBuffer {
        state.withLock { state in
            guard let recording = state.layers[layer] else { return SampleBuffer(format: format) }
            let lead = [Float](repeating: 0, count: Int(recording.start) * format.channels)
            return SampleBuffer(format: format, samples: lead + recording.samples)
        }
    }

    // MARK: The device

    /// Whether the device is acquired.
    public var isStarted: Bool { state.withLock { $0.isStarted } }

    /// The number of times that the device was acquired.
    public var startCount: Int { state.withLock { $0.startCount } }

    /// Waits until the device is released; returns at once when it is not acquired.
    public func waitForRelease() async {
        await withCheckedContinuation { continuation in
            let isReleased = state.withLock { state in
                if state.isStarted { state.releaseWatchers.append(continuation) }
                return !state.isStarted
            }
            if isReleased { continuation.resume() }
        }
    }

    /// Makes acquiring the device fail from now on.
    ///
    /// - Parameter error: What is thrown; `nil` for no error.
    public func setStartError(_ error: CoreError?) { state.withLock { $0.startError = error } }

    /// Sets what happens while the device is acquired, between the first moment of the start and its end.
    ///
    /// - Parameter body: Awaited by each start, which fails with its error; `nil` for nothing.
    package func setDuringStart(_ body: (@Sendable () async throws -> Void)?) {
        state.withLock { $0.duringStart = body }
    }

    /// Sets the available devices.
    ///
    /// - Parameter devices: The devices that can be selected.
    public func setDevices(_ devices: [OutputDevice]) { state.withLock { $0.devices = devices } }

    /// The identifier of the selected device; `nil` for the default.
    public var selectedDevice: String? { state.withLock { $0.device } }

    /// Sets the latency: the number of frames between rendering and hearing.
    ///
    /// - Parameter frames: The latency in frames.
    public func setLatency(frames: Int64) { state.withLock { $0.latency = frames } }

    /// Renders frames, as a device in real time requests them.
    ///
    /// - Parameter frames: How many.
    /// - Returns: The number of frames rendered; 0 while the device is not acquired or lost.
    @discardableResult
    public func step(frames: Int) async -> Int {
        guard state.withLock({ $0.isStarted && !$0.isLost }) else { return 0 }
        return Int(await pull(frames: Int64(frames)))
    }

    /// Reports the device as lost.
    ///
    /// - Parameter reason: What is told.
    public func lose(reason: String) {
        let onEvent = state.withLock { state in
            state.isLost = true
            return state.connection?.onEvent
        }
        onEvent?(.lost(reason: reason))
    }

    /// Reports the device as available again.
    public func restore() {
        let onEvent = state.withLock { state in
            state.isLost = false
            return state.connection?.onEvent
        }
        onEvent?(.restored)
    }

    // MARK: Rendering

    private func pull(frames: Int64) async -> Int64 {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.renderBlocks(frames: frames)) }
        }
    }

    /// Renders until a number of frames is reached or the source stops.
    private func renderBlocks(frames: Int64) -> Int64 {
        guard let connection = state.withLock({ $0.connection }) else { return 0 }
        var scratch: [LayerID: UnsafeMutablePointer<Float>] = [:]
        defer { for memory in scratch.values { memory.deallocate() } }
        var done: Int64 = 0
        while done < frames {
            let wanted = Int(min(Int64(blockFrames), frames - done))
            let rendered = rendering.withLock { _ in
                let block = connection.source.render(frames: wanted) { layer in
                    if let memory = scratch[layer] { return memory }
                    let memory = UnsafeMutablePointer<Float>.allocate(capacity: blockFrames * format.channels)
                    scratch[layer] = memory
                    return memory
                }
                if block.frames > 0 { finish(block, scratch: scratch, onEvent: connection.onEvent) }
                return block.frames
            }
            if rendered == 0 { break }
            done += Int64(rendered)
        }
        return done
    }

    /// Sums a block, applies equaliser, limiter and volume, keeps it, and reports levels and tap blocks to subscribers.
    private func finish(
        _ block: RenderedBlock, scratch: [LayerID: UnsafeMutablePointer<Float>], onEvent: (OutputEvent) -> Void
    ) {
        let count = block.frames * format.channels
        var mix = [Float](repeating: 0, count: count)
        for layer in block.layers where !layer.isSilent {
            guard let samples = scratch[layer.id] else { continue }
            for index in 0..<count { mix[index] += samples[index] }
        }
        let reports = state.withLock { state in
            var reports: [OutputEvent] = []
            for layer in block.layers {
                keep(layer.isSilent ? nil : scratch[layer.id], count: count, of: layer.id, at: block.frame, in: &state)
            }
            mix.withUnsafeMutableBufferPointer { mix in
                guard let base = mix.baseAddress else { return }
                state.equalizer.process(base, frames: block.frames)
                state.effects.process(base, frames: block.frames)
                state.limiter.process(base, frames: block.frames)
                if state.wantsLevels {
                    state.meter.measure(base, frames: block.frames, startingAt: block.frame) { reading in
                        reports.append(.levels(frame: reading.frame, reading.levels))
                    }
                }
            }
            if state.wantsTap { reports.append(.tapped(PCMBlock(frame: block.frame, format: format, samples: mix))) }
            scale(&mix, frame: block.frame, by: state.volume)
            state.mix.samples += mix
            state.rendered = block.frame + Int64(block.frames)
            return reports
        }
        for report in reports { onEvent(report) }
    }

    private func keep(
        _ samples: UnsafeMutablePointer<Float>?, count: Int, of layer: LayerID, at frame: Int64, in state: inout State
    ) {
        var recording = state.layers.removeValue(forKey: layer) ?? Recording(start: frame)
        let gap = Int(frame - recording.start) * format.channels - recording.samples.count
        if gap > 0 { recording.samples += [Float](repeating: 0, count: gap) }
        if let samples {
            recording.samples += UnsafeBufferPointer(start: samples, count: count)
        } else {
            recording.samples += [Float](repeating: 0, count: count)
        }
        state.layers[layer] = recording
    }

    private func scale(_ mix: inout [Float], frame: Int64, by volume: GainEnvelope) {
        if volume.isConstant(from: frame), volume.final == 1 { return }
        for index in mix.indices {
            mix[index] *= Float(volume.gain(at: frame + Int64(index / format.channels)))
        }
    }
}

extension ManualOutput: MixOutput {
    package func connect(source: any MixSource, onEvent: @escaping @Sendable (OutputEvent) -> Void) {
        state.withLock { $0.connection = Connection(source: source, onEvent: onEvent) }
    }

    package func start() async throws {
        let duringStart = try state.withLock { state in
            if let error = state.startError { throw error }
            if !state.isStarted { state.startCount += 1 }
            state.isStarted = true
            return state.duringStart
        }
        do { try await duringStart?() } catch {
            state.withLock { $0.isStarted = false }
            throw error
        }
    }

    /// A test decides when the next block is rendered.
    package func wake() {}

    /// The source continues behind the heard frame, whose events have been told, or at the frame of the last change.
    package func change<Result>(_ body: (Int64?) throws -> Result) rethrows -> Result {
        guard canRewind else { return try body(nil) }
        return try rendering.withLock { _ in
            let frame = state.withLock { state in
                let frame = max(state.lastChange, min(state.rendered, heard(&state) + 1))
                state.lastChange = frame
                let count = Int(frame - state.mix.start) * format.channels
                state.mix.samples.removeLast(max(0, state.mix.samples.count - count))
                state.layers = state.layers.mapValues { recording in
                    let count = max(0, Int(frame - recording.start) * format.channels)
                    return Recording(start: recording.start, samples: Array(recording.samples.prefix(count)))
                }
                state.rendered = frame
                state.meter.reset()
                return frame
            }
            return try body(frame)
        }
    }

    private func heard(_ state: inout State) -> Int64 {
        state.heard = max(state.heard, state.rendered - (isOffline ? 0 : state.latency))
        return state.heard
    }

    package func suspend(if isUnused: @escaping @Sendable () -> Bool) async {
        if isUnused() { release() }
    }

    package func shutdown() async {
        release()
        state.withLock { $0.connection = nil }
    }

    private func release() {
        let watchers = state.withLock { state in
            state.isStarted = false
            defer { state.releaseWatchers = [] }
            return state.releaseWatchers
        }
        for watcher in watchers { watcher.resume() }
    }

    package var heardFrame: Int64 {
        state.withLock { heard(&$0) }
    }

    package func setVolume(_ volume: Double) {
        state.withLock { state in
            state.volume.forget(before: state.rendered)
            state.volume.ramp(to: volume, from: state.rendered, over: Int64(format.sampleRate / 100))
        }
    }

    package func setEqualizer(_ settings: EqualizerSettings) {
        state.withLock { $0.equalizer.set(settings) }
    }

    package func setEffects(_ plan: EffectPlan) { state.withLock { $0.effects.set(plan) } }

    package func setLimiter(enabled: Bool) { state.withLock { $0.limiter.isEnabled = enabled } }

    package func setMetering(levels: Bool, tap: Bool) {
        state.withLock { state in
            state.wantsLevels = levels
            state.wantsTap = tap
        }
    }

    package func devices() async throws -> [OutputDevice] { state.withLock { $0.devices } }

    package func selectDevice(_ identifier: String?) async throws {
        let (onEvent, name) = try state.withLock { state in
            if let identifier, !state.devices.contains(where: { $0.identifier == identifier }) {
                throw state.devices.isEmpty
                    ? CoreError.unsupported("this output has no devices")
                    : CoreError.notFound("output device \(identifier)")
            }
            state.device = identifier
            return (state.connection?.onEvent, identifier ?? "default")
        }
        onEvent?(.deviceChanged(name))
    }

    package func advance(frames: Int64) async throws -> Int64 {
        guard isOffline else { throw CoreError.unsupported("an output in real time is not advanced") }
        return await pull(frames: frames)
    }

    package func finish() async throws {}
}
