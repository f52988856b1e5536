internal import DescantCore
internal import Synchronization

/// Rendering, on the output's thread.
extension Mixer {
    func render(frames: Int, buffer: (LayerID) -> UnsafeMutablePointer<Float>) -> RenderedBlock {
        let frame = renderedFrame.withLock { $0 }
        if output.canRewind { keepSnapshots(at: frame) }
        let stop = stopLayer.withLock { $0 }
        var active = soundingLayers(at: frame, frames: frames)
        var count = 0
        defer { placeIdleLayers(at: frame + Int64(count)) }
        // The layer that ends the render goes first: its last frame is the last of all layers.
        if let index = active.firstIndex(where: { $0.id == stop }) { active.swapAt(0, index) }
        if stop != nil, active.first?.id != stop { return RenderedBlock(frame: frame, frames: 0, layers: []) }
        updateMetering()
        count = frames
        var rendered: [(id: LayerID, isSilent: Bool)] = []
        var parts: [LayerID: UnsafeMutablePointer<Float>] = [:]
        for layer in active {
            let memory = buffer(layer.id)
            let part = render(layer, into: memory, frames: count, frame: frame, stops: layer.id == stop)
            count = part.frames
            rendered.append((layer.id, part.isSilent))
            if !part.isSilent { parts[layer.id] = memory }
            if count == 0 { break }
        }
        duck(parts, frame: frame, frames: count)
        meter(active, parts, frame: frame, frames: count)
        renderedFrame.withLock { $0 += Int64(count) }
        active.forEach(publish)
        if output.canRewind { active.forEach(renderAgainWhenReadable) }
        dropRemovedLayers()
        return RenderedBlock(
            frame: frame, frames: count, layers: count == 0 ? [] : rendered,
            isQuiet: rendered.allSatisfy(\.isSilent) && isQuiet)
    }

    /// Whether all layers are silent until the next command.
    private var isQuiet: Bool { state.withLock { $0.layers }.allSatisfy { layer in layer { $0.isSilent } } }

    /// The layers of this block. A deck that is started on another layer meanwhile begins after this block.
    private func soundingLayers(at frame: Int64, frames: Int) -> [Layer] {
        let end = frame + Int64(frames)
        nextBlock.withLock { $0 = end }
        return state.withLock { $0.layers }.filter { layer in
            layer { core in
                if core.isIdle { core.nextFrame = end }
                return !core.isFinished
            }
        }
    }

    /// Sets the frame at which a deck begins that is started now on an idle layer.
    func placeIdleLayers(at frame: Int64) {
        nextBlock.withLock { $0 = frame }
        for layer in state.withLock({ $0.layers }) {
            layer { core in if core.isIdle { core.nextFrame = frame } }
        }
    }

    /// Renders one layer; offline, waits for its decks and for decisions about what follows.
    private func render(
        _ layer: Layer, into buffer: UnsafeMutablePointer<Float>, frames: Int, frame: Int64, stops: Bool
    ) -> (frames: Int, isSilent: Bool) {
        var done = 0
        var silent = true
        while done < frames {
            let target = buffer + done * mixFormat.channels
            let decided = decisions.raises
            let part = layer {
                $0.render(into: target, frames: frames - done, frame: frame + Int64(done), stopsWhenIdle: stops)
            }
            done += part.frames
            silent = silent && part.isSilent
            guard let stall = part.stall else { break }
            publish(layer)
            guard wait(for: stall, after: decided) else { return (done, silent) }
        }
        return (done, silent)
    }

    /// The maximum wait of an offline render for a source or a decision, in seconds.
    private static let waitLimit = 30.0

    /// - Parameter decided: The count of decisions before the layer was rendered.
    private func wait(for stall: LayerCore.Stall, after decided: UInt64) -> Bool {
        // A shutdown raises the count of decisions and closes the decks; both end only the waits that it finds.
        // After one wait has failed, the render ends.
        if state.withLock({ $0.isShutDown || $0.offlineFailure != nil }) { return false }
        let deadline = MonotonicClock().now() + UInt64(Self.waitLimit * 1e9)
        switch stall {
        case .deck(let deck):
            if deck.waitUntilReadable(deadline: deadline) || state.withLock({ $0.isShutDown }) {
                return !state.withLock { $0.isShutDown }
            }
            return fail("a source gave no data for \(Int(Self.waitLimit)) s")
        case .decision:
            if decisions.wait(after: decided, deadline: deadline) { return !state.withLock { $0.isShutDown } }
            return fail(
                "nobody decided for \(Int(Self.waitLimit)) s what follows; call setFollowUp for every deck that starts")
        }
    }

    private func fail(_ message: String) -> Bool {
        state.withLock { $0.offlineFailure = .ioError("rendering stopped: \(message)") }
        return false
    }
}
