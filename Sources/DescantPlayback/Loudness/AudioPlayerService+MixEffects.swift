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
    /// fades, so that a crossfade fades them with the track; after its end their tail continues under the next one.
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
        try await settings.trackEffects.queue.run {
            let old = settings.trackEffects[url]
            // A deck that is opened from here on takes what this change leaves.
            settings.trackEffects[url] = effects
            var changed: [DeckID] = []
            do {
                for deck in settings.trackEffects.decks(of: url) {
                    if try await engine.setEffects(effects, of: deck) {
                        changed.append(deck)
                    } else {
                        settings.trackEffects.closed(deck)
                    }
                }
            } catch {
                settings.trackEffects[url] = old
                for deck in changed { _ = try? await engine.setEffects(old, of: deck) }
                throw error
            }
        }
    }

    /// The effects of a track, as they were set.
    ///
    /// - Parameter url: The track, as it is in the playlist.
    public func effects(ofTrack url: URL) async -> [EffectInsert] { settings.trackEffects[url] }

    /// Gives a deck that was opened for a track the effects of that track.
    func applyEffects(to deck: DeckID, of url: URL) async {
        guard let engine = engine as? any DeckEffectEngine else { return }
        settings.trackEffects.opened(deck, of: url)
        guard !settings.trackEffects[url].isEmpty else { return }
        await settings.trackEffects.queue.run {
            let effects = settings.trackEffects[url]
            guard !effects.isEmpty else { return }
            do {
                _ = try await engine.setEffects(effects, of: deck)
            } catch {
                report(AudioPlayerError(sounding: error))
            }
        }
    }

    /// Tells of effects that were switched off because of what they did; `nil` for an engine without effects.
    public nonisolated var effectFailures: EventStream<EffectFailure>? { (engine as? any EffectEngine)?.effectFailures }
}
