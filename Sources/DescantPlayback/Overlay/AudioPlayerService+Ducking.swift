public import DescantCore

extension AudioPlayerService {
    /// Makes a part of the sound quieter while others sound: the main line under a voice or a bell, for instance. Parts that
    /// are not there yet count as soon as they are.
    ///
    /// - Parameters:
    ///   - ducking: How far and how quickly; `nil` ends it.
    ///   - part: What is made quieter.
    ///   - keys: For what; a part never makes way for itself.
    public func setDucking(
        _ ducking: Ducking?, of part: PlayerPart = .main, under keys: Set<PlayerPart> = [.overlay(.default)]
    ) async {
        settings.duckings[part] = ducking.map { PartDucking(ducking: $0, keys: keys) }
        guard ducking == nil else { return await refreshDucking() }
        for layer in layers(of: part) { await setDucking(nil, of: layer) }
    }

    /// Tells the engine which layers make way for which, after layers came or went.
    func refreshDucking() async {
        for (part, rule) in settings.duckings {
            let keys = Set(rule.keys.flatMap(layers(of:)))
            for layer in layers(of: part) {
                await setDucking(DuckingPlan(keys: keys.subtracting([layer]), ducking: rule.ducking), of: layer)
            }
        }
    }

    private func setDucking(_ plan: DuckingPlan?, of layer: LayerID) async {
        do {
            try await engine.setDucking(plan, of: layer)
        } catch {
            // Only a layer that has just gone is refused.
            logger.debug("player: ducking of \(layer): \(error)")
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
