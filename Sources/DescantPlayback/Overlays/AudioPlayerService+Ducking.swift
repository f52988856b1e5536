public import DescantCore

extension AudioPlayerService {
    /// Makes a part of the sound quieter while others sound: the main layer under a voice or a bell, for instance. Parts that
    /// are not there yet count as soon as they are.
    ///
    /// - Parameters:
    ///   - ducking: How far and how quickly; `nil` ends it.
    ///   - part: What is made quieter.
    ///   - keys: The parts under which it becomes quieter; a part is never ducked under itself.
    public func setDucking(
        _ ducking: Ducking?, of part: PlayerPart = .main, under keys: Set<PlayerPart> = [.overlay(.default)]
    ) async {
        settings.duckings[part] = ducking.map { PartDucking(ducking: $0, keys: keys) }
        guard ducking == nil else { return await refreshDucking() }
        for layer in layers(of: part) { await applyDucking(of: part, to: layer) }
    }

    /// Sets the ducking of the engine's layers, after layers were added or removed.
    func refreshDucking() async {
        for part in settings.duckings.keys {
            for layer in layers(of: part) { await applyDucking(of: part, to: layer) }
        }
    }

    /// Brings a layer to the ducking that its part has by then: it may change while that of another layer is set.
    private func applyDucking(of part: PlayerPart, to layer: LayerID) async {
        await commands.mix.run {
            let plan = settings.duckings[part].map { rule in
                DuckingPlan(keys: Set(rule.keys.flatMap(layers(of:))).subtracting([layer]), ducking: rule.ducking)
            }
            do {
                try await engine.setDucking(plan, of: layer)
            } catch {
                // Only a layer that has just gone is refused.
                logger.debug("player: ducking of \(layer): \(error)")
            }
        }
    }

    private func layers(of part: PlayerPart) -> [LayerID] {
        switch part {
        case .main: [engine.mainLayer]
        case .overlay(let id): overlays[id].map { [$0.layer] } ?? []
        case .effects: effects.layers
        case .layer(let layer): [layer]
        }
    }
}

/// A part of what a player sounds, or of what sounds beside it.
public enum PlayerPart: Sendable, Hashable {
    /// The playlist.
    case main
    /// One overlay, while it is active.
    case overlay(OverlayID)
    /// All sound effects.
    case effects
    /// Another layer of the same engine, such as a voice's.
    case layer(LayerID)
}

/// The ducking of a part of the sound, and the parts under which it is ducked.
struct PartDucking: Sendable {
    var ducking: Ducking
    var keys: Set<PlayerPart>
}
