internal import DescantCore
internal import Dispatch
internal import Synchronization

/// The last change of the layers.
struct Change {
    var number: UInt64 = 0
    /// The output frame at which it took effect. The output does not return to a frame before it.
    var frame: Int64 = 0
    /// The frames from the heard one to ``frame``.
    var distance: Int64 = 0
}

/// Changes of layers. An output that can rewind has rendered far ahead of the loudspeaker: all layers then return to the
/// first frame that can still be replaced, the change takes effect there, and the output renders again from there.
extension Mixer {
    /// Changes a layer.
    func change<Result: Sendable>(
        _ layer: Layer, _ body: (inout LayerCore) throws -> Result
    ) rethrows -> Result {
        try changeAll { try layer(body) }
    }

    /// Changes any number of layers at the same frame.
    func changeAll<Result>(_ body: () throws -> Result) rethrows -> Result {
        try output.change { frame in
            guard let frame else { return try body() }
            rewind(to: frame)
            defer {
                let heard = output.heardFrame
                lastChange.withLock { $0 = Change(number: $0.number &+ 1, frame: frame, distance: frame - heard) }
                // Before the snapshots, which lie behind what the change has posted and released.
                for layer in state.withLock({ $0.layers }) { publish(layer) }
                keepSnapshots(at: frame)
            }
            return try body()
        }
    }

    /// Keeps the state of every layer at the frame that is rendered next.
    func keepSnapshots(at frame: Int64) {
        let (heard, submitted) = (output.heardFrame, scheduler.submitted)
        for layer in state.withLock({ $0.layers }) {
            layer.keepSnapshot(at: frame, heard: heard)
            release(layer.takeReleased(heard: heard))
        }
        eventMarks.withLock { marks in
            marks.removeAll { $0.frame >= frame }
            marks.append((frame, submitted))
            if let passed = marks.lastIndex(where: { $0.frame <= heard }) { marks.removeFirst(passed) }
        }
    }

    /// Returns all layers to a frame. Layers without a snapshot were added later and are idle.
    private func rewind(to frame: Int64) {
        guard frame < renderedFrame.withLock({ $0 }) else { return }
        let layers = state.withLock { $0.layers }
        var start = frame
        for layer in layers { start = min(start, layer.restore(before: frame) ?? frame) }
        state.withLock { state in state.usesDucking = layers.contains { layer in layer { $0.ducker != nil } } }
        let mark = eventMarks.withLock { marks in marks.last { $0.frame <= frame } }
        scheduler.remove(from: mark?.submitted ?? 0, at: frame)
        levelQueue.remove(at: frame)
        tapQueue.remove(at: frame)
        if start < frame { repeatFrames(of: layers, from: start, to: frame) }
        renderedFrame.withLock { $0 = frame }
        placeIdleLayers(at: frame)
    }

    /// Renders the frames between a snapshot and a change, which are in the output already, for the state after them.
    private func repeatFrames(of layers: [Layer], from start: Int64, to end: Int64) {
        let frames = Int(end - start)
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: frames * mixFormat.channels)
        defer { memory.deallocate() }
        for layer in layers {
            layer { core in
                guard !core.isFinished else { return }
                core.repeatFrames(into: memory, frames: frames, frame: start)
            }
        }
        // The layers' levels depend on each other's sound; the samples are not needed.
        duck([:], frame: start, frames: frames)
        // Meanwhile, a release of the device may have seen the layer that ended as one that plays.
        for layer in layers where layer.discardRepeated(before: end) { scheduleRelease() }
    }

    /// Renders the queued frames of a layer again when its deck without data has some.
    func renderAgainWhenReadable(_ layer: Layer) {
        guard let deck = layer({ $0.starvedDeck }) else { return }
        let identity = ObjectIdentifier(deck)
        let last = lastChange.withLock { $0.number }
        let isWatched = layer.watch.withLock { watch in
            if let watch, watch.deck == identity, watch.change ?? last == last { return true }
            watch = Layer.Watch(deck: identity)
            return false
        }
        guard !isWatched else { return }
        // Not on the layer's queue: another deck may start meanwhile.
        DedicatedQueue.run("descant.mixer.watch") { [weak self] in
            if deck.waitUntilReadable(deadline: MonotonicClock().now() + Self.watchInterval) {
                self?.renderMissingFrames(of: layer, from: identity)
            } else {
                layer.watch.withLock { if $0?.deck == identity { $0 = nil } }
            }
        }
    }

    /// Renders the queued frames again whose data has come, unless another change does so first.
    ///
    /// A decoder that has just begun gives a piece at a time, faster than real time. To render the whole queue again for each of them would
    /// take the processor from it, so half of the time until the first missing frame must be there is left to it.
    private func renderMissingFrames(of layer: Layer, from deck: ObjectIdentifier) {
        let last = lastChange.withLock { $0 }
        let ahead = layer { $0.firstMissingFrame }.map { $0 - output.heardFrame - last.distance } ?? 0
        let remaining = Double(ahead) / Double(mixFormat.sampleRate) - Self.renderedAtOnce
        let isAwaited = layer.watch.withLock { watch in
            guard watch?.deck == deck else { return false }
            watch = remaining > 0 ? Layer.Watch(deck: deck, change: last.number) : nil
            return true
        }
        guard isAwaited else { return }
        // Another change has come meanwhile, and did not start a watch because this one was there.
        guard remaining > 0, isLastChange(last) else { return changeAll {} }
        let moment = clock.now() + UInt64(remaining / 2 * 1e9)
        Task { [weak self, clock] in
            guard (try? await clock.sleep(until: moment)) != nil, let self, isLastChange(last) else { return }
            changeAll {}
        }
    }

    private func isLastChange(_ change: Change) -> Bool { lastChange.withLock { $0.number } == change.number }

    /// Missing frames that are due in less than this time, in seconds, are rendered as soon as their data has come: the next change may lie further
    /// behind the heard frame than the last one, by a step of PipeWire's device.
    private static let renderedAtOnce = 0.05

    /// The maximum time for which a deck without data is watched without a look at the layer, in nanoseconds.
    private static let watchInterval: UInt64 = 500_000_000
}
