internal import DescantCore
internal import Dispatch
internal import Synchronization

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
                lastChange.withLock { $0 = frame }
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
        let isWatched = layer.watchedDeck.withLock { watched in
            defer { watched = identity }
            return watched == identity
        }
        guard !isWatched else { return }
        // Not on the layer's queue: another deck may start meanwhile.
        DedicatedQueue.run("descant.mixer.watch") { [weak self] in
            let isReadable = deck.waitUntilReadable(deadline: MonotonicClock().now() + Self.watchInterval)
            let isStillAwaited = layer.watchedDeck.withLock { watched in
                guard watched == identity else { return false }
                watched = nil
                return true
            }
            guard let self, isReadable, isStillAwaited else { return }
            changeAll {}
        }
    }

    /// The maximum time for which a deck without data is watched without a look at the layer, in nanoseconds.
    private static let watchInterval: UInt64 = 500_000_000
}
