package import DescantCore
internal import Dispatch
internal import Synchronization

/// The output: its device, level and time.
extension Mixer {
    package func setMasterVolume(_ volume: Double) async {
        changeAll { output.setVolume(min(1, max(0, volume.isNaN ? 0 : volume))) }
    }

    package func setStreamRole(_ role: AudioRole) async { output.setRole(role) }

    package func setLimiter(enabled: Bool) async {
        changeAll { output.setLimiter(enabled: enabled) }
    }

    package func setEqualizer(_ settings: EqualizerSettings) async {
        state.withLock { $0.equalizer = settings }
        changeAll { output.setEqualizer(settings) }
    }

    package var equalizer: EqualizerSettings { get async { state.withLock { $0.equalizer } } }

    package func outputDevices() async throws -> [OutputDevice] { try await output.devices() }

    package func selectOutput(_ identifier: String?) async throws { try await output.selectDevice(identifier) }

    package func advance(frames: Int64, untilIdle layer: LayerID?) async throws -> Int64 {
        guard output.isOffline else {
            throw CoreError.unsupported(
                "advance(frames:untilIdle:) is for offline outputs; this one plays in real time")
        }
        guard frames >= 0 else { throw CoreError.invalidArgument("\(frames) frames to render; 0 or more are possible") }
        try state.withLock { state in
            guard !state.isAdvancing else { throw CoreError.invalidState("the engine is being advanced already") }
            state.isAdvancing = true
            state.offlineFailure = nil
        }
        defer { state.withLock { $0.isAdvancing = false } }
        stopLayer.withLock { $0 = layer }
        let rendered = try await output.advance(frames: frames)
        let (failure, isShutDown) = state.withLock { ($0.offlineFailure, $0.isShutDown) }
        if let failure { throw failure }
        if isShutDown { throw CoreError.invalidState("the engine was shut down while it rendered") }
        return rendered
    }

    package func finishOutput() async throws { try await output.finish() }

    func startOutput() async throws {
        state.withLock { $0.activity += 1 }
        if !output.isOffline { try await output.start() }
    }

    /// Wakes the output as soon as a layer has the samples of its next block. Returns at once.
    func wakeOutput(for layer: Layer) {
        guard !output.isOffline else { return }
        let deadline = MonotonicClock().now() + Self.maximumWakeDelay
        // Usually the samples are there: the start then depends on no other thread.
        if layer({ $0.readAhead(frames: mixFormat.frames(in: Self.readAhead)) }) == nil { return output.wake() }
        layer.queue.async { [self] in
            while let deck = layer({ $0.readAhead(frames: mixFormat.frames(in: Self.readAhead)) }) {
                guard deck.waitUntilReadable(deadline: deadline) else { break }
            }
            output.wake()
        }
    }

    /// The maximum wait for the first samples of a started deck, in nanoseconds; the block is then rendered without
    /// them.
    private static let maximumWakeDelay: UInt64 = 100_000_000

    /// The sound that a layer has read before its first block is rendered, in seconds. Blocks for a sound server are longer; what a deck lacks
    /// is rendered again as soon as it is there.
    private static let readAhead = 0.05

    /// Releases the device after ``idleRelease`` seconds of silence, and after a minimum.
    func scheduleRelease(minimum: Double = 0) {
        guard !output.isOffline else { return }
        let activity = state.withLock { $0.activity }
        // At most 31 years.
        let deadline = clock.now() + UInt64((min(max(minimum, idleRelease), 1e9) + mixEffectTail) * 1e9)
        Task { [weak self, clock] in
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
            await self?.releaseIfQuiet(since: activity)
        }
    }

    /// The minimum time between two tries to release the device, in seconds.
    private static let releaseInterval = 0.05

    /// Gives a lost device up when all layers are idle or paused. Otherwise the device would play unheard blocks as
    /// soon as it is back. The next start continues there.
    func giveUpLostOutput() {
        let (layers, activity) = state.withLock { ($0.isOutputLost ? $0.layers : nil, $0.activity) }
        guard let layers, layers.allSatisfy({ layer in layer { $0.isIdle || $0.gate.isClosing } }) else { return }
        Task { [weak self] in
            guard let self else { return }
            let isUnused = { @Sendable in self.state.withLock { $0.activity == activity } }
            await self.output.suspend(if: isUnused)
            // Nothing is rendered any more that would release the pending events later.
            if isUnused() { self.scheduler.flush() }
        }
    }

    private func releaseIfQuiet(since activity: UInt64) async {
        await output.suspend { [self] in
            let layers: [Layer]? = state.withLock { $0.activity == activity ? $0.layers : nil }
            return layers?.allSatisfy { layer in layer { $0.isSilent } } ?? false
        }
        // A layer that is neither playing nor silent has effects that still sound, or its pause is still fading.
        if state.withLock({ $0.layers }).contains(where: { layer in
            layer { ($0.isIdle || $0.gate.isClosing) && !$0.isSilent }
        }) {
            scheduleRelease(minimum: Self.releaseInterval)
        }
        let heard = output.heardFrame
        for layer in state.withLock({ $0.layers }) { release(layer.takeReleased(heard: heard)) }
    }
}
