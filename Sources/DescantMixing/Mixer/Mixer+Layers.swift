internal import Dispatch
package import DescantCore
internal import Synchronization

/// Layers and their playback.
extension Mixer {
    package func addLayer(_ role: LayerRole) async -> LayerID {
        state.withLock { state in
            state.lastLayer += 1
            let id = LayerID(rawValue: state.lastLayer)
            let layer = makeLayer(id, role: role)
            layer { $0.nextFrame = nextBlock.withLock { $0 } }
            state.layers.append(layer)
            return id
        }
    }

    package func removeLayer(_ layer: LayerID) async {
        guard layer != mainLayer, let present = self.layer(layer) else { return }
        giveBack(
            change(present) { core in
                core.isRemoved = true
                return core.stop(fadeFrames: 0, curve: .linear)
            })
        publishChange(of: present)
        state.withLock { $0.effects[.layer(layer)] = nil }
        dropRemovedLayers()
    }

    /// Drops removed layers that are idle.
    func dropRemovedLayers() {
        state.withLock { $0.layers.removeAll(where: \.isGone) }
    }

    package func play(_ deck: DeckID, on layer: LayerID, entry: DeckEntry, loop: LoopPlan?) async throws {
        try await play(deck, on: layer, entry: entry, loop: loop, at: 0)
    }

    /// Starts a deck at a position of it, in seconds; no frame before it is rendered.
    func play(
        _ deck: DeckID, on layer: LayerID, entry: DeckEntry, loop: LoopPlan?, at seconds: Double
    ) async throws {
        let target = try existingLayer(layer)
        // Sound that froze when the output was lost is kept until an output can be started.
        if state.withLock(\.isOutputLost), target({ !$0.isIdle && !$0.gate.isClosing }) { try await startOutput() }
        var queued = Optional(try queue(deck, for: layer))
        let ramp = mixFormat.keptLength(of: 0.01)
        giveBack(
            change(target) { core in
                queued.take().flatMap { core.play($0, entry: entry, loop: loop, at: seconds, rampFrames: ramp) }
            })
        publishChange(of: target)
        decisions.raise()
        guard !target({ $0.gate.isClosing }) else { return }
        do { try await startOutput() } catch {
            giveBack(change(target) { $0.abandon(deck) })
            publishChange(of: target)
            throw error
        }
        wakeOutput(for: target)
    }

    package func setFollowUp(_ followUp: FollowUp, on layer: LayerID) async throws {
        let target = try existingLayer(layer)
        let takenBack: DeckID?
        switch followUp {
        case .undecided: takenBack = change(target) { $0.setFollowUp(nil, isDecided: false) }
        case .nothing: takenBack = change(target) { $0.setFollowUp(nil, isDecided: true) }
        case .deck(let deck, let join):
            // The same deck again only changes the join.
            if change(target, { $0.changeJoin(join, ifNextIs: deck) }) {
                takenBack = nil
            } else {
                var queued = Optional(try queue(deck, for: layer))
                takenBack = change(target) { core in
                    queued.take().flatMap { core.setFollowUp(($0, join), isDecided: true) }
                }
            }
        }
        giveBack(takenBack)
        publishChange(of: target)
        decisions.raise()
    }

    package func setLoop(_ loop: LoopPlan, on layer: LayerID) async {
        if let target = self.layer(layer) { change(target) { $0.setLoop(loop) } }
    }

    package func pause(_ layer: LayerID, ramp: Double) async {
        guard let target = self.layer(layer) else { return }
        change(target) { $0.pause(rampFrames: mixFormat.keptLength(of: ramp)) }
        publishChange(of: target)
        scheduleRelease()
        giveUpLostOutput()
    }

    package func resume(_ layer: LayerID, ramp: Double) async throws {
        let target = try existingLayer(layer)
        guard let pauses = target({ $0.gate.isClosing ? $0.pauses : nil }) else { return }
        try await startOutput()
        change(target) { if $0.pauses == pauses { $0.resume(rampFrames: mixFormat.keptLength(of: ramp)) } }
        publishChange(of: target)
        wakeOutput(for: target)
    }

    package func stop(_ layer: LayerID, fade: Double, curve: FadeCurve) async {
        guard let target = self.layer(layer) else { return }
        // On a lost device, a fade would sound when the device is back.
        let isUnheard = state.withLock(\.isOutputLost)
        let frames = mixFormat.length(of: fade)
        giveBack(change(target) { $0.stop(fadeFrames: frames, curve: curve, isUnheard: isUnheard) })
        publishChange(of: target)
        decisions.raise()
        scheduleRelease()
        giveUpLostOutput()
    }

    package func planStop(_ plan: PlannedStop?, of layer: LayerID) async {
        guard let target = self.layer(layer) else { return }
        change(target) { core in
            core.plannedStop = plan.map {
                (mixFormat.length(of: $0.after), mixFormat.length(of: $0.fade), $0.curve)
            }
            // The state at this frame, which is asked for when its event is told, is that of the stop.
            if !core.isIdle, !core.gate.isClosing { core.stopAsPlanned(at: core.nextFrame) }
        }
    }

    package func seek(_ layer: LayerID, to position: Double, fade: Double) async throws {
        let target = try existingLayer(layer)
        try change(target) { try $0.seek(to: position, fadeFrames: mixFormat.keptLength(of: fade)) }
        publishChange(of: target)
        if !target({ $0.isSilent }) { wakeOutput(for: target) }
    }

    package func shortenCrossfade(_ layer: LayerID, within duration: Double) async {
        guard let target = self.layer(layer) else { return }
        change(target) { $0.shortenCrossfade(withinFrames: mixFormat.length(of: duration)) }
    }

    package func setGain(_ gain: Double, of layer: LayerID, ramp: Double) async {
        guard gain.isFinite, let target = self.layer(layer) else { return }
        let gain = min(max(0, gain), Self.maximumGain)
        change(target) { $0.setGain(gain, rampFrames: mixFormat.length(of: ramp)) }
    }

    package func setRate(_ rate: Double, of layer: LayerID) async throws {
        guard (0.5...3).contains(rate) else {
            throw CoreError.invalidArgument("a rate of \(rate); 0.5 to 3 are possible")
        }
        let target = try existingLayer(layer)
        change(target) { $0.setRate(rate) }
        publishChange(of: target)
    }

    package func status(of layer: LayerID) async -> LayerStatus {
        let heard = output.heardFrame
        return self.layer(layer)?.status(heard: heard, changed: lastChange.withLock { $0.frame })
            ?? LayerStatus(
                activity: .idle, deck: nil, position: 0, duration: nil, isCrossfading: false, crossfadeRemaining: 0)
    }
}
