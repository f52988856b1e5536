public import DescantCore

/// Effects on what the player sounds.
extension AudioPlayerService {
    /// Replaces the effects of the mix or of a layer. The sound fades from the old effects to the new ones over 20 ms; an insert that
    /// was there with the same identity keeps its state.
    ///
    /// - Parameters:
    ///   - effects: The effects in the order in which sound passes them; empty for none. Those of the mix are kept until ``reset()``.
    ///   - place: Where.
    /// - Throws: What `EffectEngine.setEffects(_:at:)` throws; `CoreError.unsupported` for an engine without effects.
    public func setEffects(_ effects: [EffectInsert], at place: EffectPlace = .mix) async throws {
        guard let engine = engine as? any EffectEngine else {
            throw CoreError.unsupported("the engine \(engine.identifier) has no effects")
        }
        try await engine.setEffects(effects, at: place)
    }

    /// The effects of a place, as they were set.
    ///
    /// - Parameter place: Where.
    public func effects(at place: EffectPlace = .mix) async -> [EffectInsert] {
        await (engine as? any EffectEngine)?.effects(at: place) ?? []
    }

    /// Tells of effects that were switched off because of what they did; `nil` for an engine without effects.
    public nonisolated var effectFailures: EventStream<EffectFailure>? { (engine as? any EffectEngine)?.effectFailures }
}
