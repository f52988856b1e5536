public import DescantCore
public import Foundation

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

    /// Replaces the effects of a track: wherever its URL is in a playlist, now and later. They lie before the track's own gain and its
    /// fades, so that a crossfade fades them with the track; behind its end they ring on under the next one.
    ///
    /// A track that sounds fades from its old effects to the new ones over 20 ms; an insert that was there with the same
    /// identity keeps its state. An effect that cannot be prepared for a track that is opened later is reported in ``events``, and the track
    /// sounds without effects.
    ///
    /// - Parameters:
    ///   - effects: The effects in the order in which sound passes them; empty for none. They are kept until ``reset()``.
    ///   - url: The track, as it is in the playlist.
    /// - Throws: What `DeckEffectEngine.setEffects(_:of:)` throws when the track is open, with nothing changed; `CoreError.unsupported` for
    ///   an engine without effects on single decks.
    public func setEffects(_ effects: [EffectInsert], ofTrack url: URL) async throws {
        guard let engine = engine as? any DeckEffectEngine else {
            throw CoreError.unsupported("the engine \(engine.identifier) has no effects on single tracks")
        }
        try await command {
            for track in main.opened where track.item.url == url {
                try await engine.setEffects(effects, of: track.deck)
            }
            settings.trackEffects[url] = effects.isEmpty ? nil : effects
        }
    }

    /// The effects of a track, as they were set.
    ///
    /// - Parameter url: The track, as it is in the playlist.
    public func effects(ofTrack url: URL) async -> [EffectInsert] { settings.trackEffects[url] ?? [] }

    /// Gives a deck that was opened for a track the effects of that track.
    func applyEffects(to deck: DeckID, of url: URL) async {
        guard let effects = settings.trackEffects[url], let engine = engine as? any DeckEffectEngine else { return }
        do {
            try await engine.setEffects(effects, of: deck)
        } catch {
            report(AudioPlayerError(sounding: error))
        }
    }

    /// Tells of effects that were switched off because of what they did; `nil` for an engine without effects.
    public nonisolated var effectFailures: EventStream<EffectFailure>? { (engine as? any EffectEngine)?.effectFailures }
}
