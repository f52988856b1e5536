internal import DescantCore
public import Foundation

/// Sound effects: short sounds over everything else, several at once, ready in memory. They take part in the audio session as the
/// main layer does.
extension AudioPlayerService {
    /// Loads effects into memory, so that they sound within one block of the mixer when they are played. Ten are held; further
    /// ones take the place of those that were not used for the longest time.
    ///
    /// - Parameter effects: What to load; those that are loaded count as used.
    /// - Throws: ``AudioPlayerError/fileNotFound(_:)`` or ``AudioPlayerError/invalidAudioFile(_:reason:)`` for the first one that
    ///   cannot be loaded; what was loaded before the call is still there then, and nothing else.
    public func preloadSoundEffects(_ effects: [SoundEffect]) async throws {
        var opened: [(url: URL, deck: DeckID)] = []
        do {
            for effect in effects
            where self.effects.use(effect.url) == nil && !opened.contains(where: { $0.url == effect.url }) {
                opened.append((effect.url, try await openEffect(effect.url)))
            }
        } catch {
            for clip in opened { await engine.closeDeck(clip.deck) }
            throw error
        }
        for clip in opened { await keepEffect(clip.deck, of: clip.url) }
    }

    /// Plays an effect over everything else, itself included if it sounds already. One that was not preloaded is loaded
    /// first and then held.
    ///
    /// - Parameters:
    ///   - effect: What to play.
    ///   - fadeDuration: Length of the fade at its beginning in seconds; `nil` for the effect's own.
    /// - Throws: ``AudioPlayerError/fileNotFound(_:)``, ``AudioPlayerError/invalidAudioFile(_:reason:)``,
    ///   ``AudioPlayerError/sessionError(_:)``, or `CancellationError` when effects were stopped while it was being loaded.
    public func playSoundEffect(_ effect: SoundEffect, fadeDuration: TimeInterval? = nil) async throws {
        await prepareEffects()
        let call = effects.began(effect.url)
        defer { effects.ended(call) }
        let deck = try await copyOfClip(effect.url)
        guard effects.isWanted(call) else {
            await engine.closeDeck(deck)
            throw CancellationError()
        }
        let fadeIn = (fadeDuration ?? effect.fadeIn).clamped(to: 0...10)
        let layer = try await sound(effect, deck, fadeIn: fadeIn, for: call)
        // Everything was paused while the effect was being loaded.
        if let pause = effects.pause(after: call) { await pauseVoice(layer, by: pause) }
    }

    /// Fades effects out; harmless when none sounds. Effects that are still being loaded do not sound either.
    ///
    /// - Parameters:
    ///   - url: Which effect's sounds; `nil` for all.
    ///   - fadeDuration: Length of the fade in seconds; `nil` for each effect's own.
    public func stopSoundEffect(_ url: URL? = nil, fadeDuration: TimeInterval? = nil) async {
        effects.stopCalls(for: url)
        for voice in effects.voices {
            guard let effect = voice.effect, url == nil || effect.url == url else { continue }
            pausedLayers.remove(voice.layer)
            let fade = (fadeDuration ?? effect.fadeOut).clamped(to: 0...10)
            await engine.stop(voice.layer, fade: fade, curve: .linear)
        }
    }

    /// Sets the gain of all effects, those that sound and those to come; reached within 10 ms.
    ///
    /// - Parameter volume: Linear, clamped to 0…1.
    public func setSoundEffectVolume(_ volume: Float) async {
        effects.volume = volume.clamped(to: 0...1)
        for layer in effects.layers { await engine.setGain(Double(effects.volume), of: layer, ramp: 0.01) }
    }

    /// Forgets loaded effects; those that sound go on.
    ///
    /// - Parameter effects: Which ones; `nil` for all.
    public func unloadSoundEffects(_ effects: [SoundEffect]? = nil) async {
        for url in effects?.map(\.url) ?? self.effects.urls {
            if let deck = self.effects.remove(url) { await engine.closeDeck(deck) }
        }
    }

    /// The effects that are held in memory, the one that was used last at the end.
    public var loadedSoundEffects: [URL] { effects.urls }

    /// How many effects sound, frozen ones included.
    public var playingSoundEffects: Int { effects.voices.count { $0.effect != nil } }

    // MARK: Steps

    private func openEffect(_ url: URL) async throws -> DeckID {
        do {
            return try await DeckOpening(url, from: queue.trackSources, in: engine, isClip: true).wait().id
        } catch let error as CancellationError {
            throw error
        } catch {
            throw AudioPlayerError(error, playing: url)
        }
    }

    /// A deck that plays an effect's clip, which is loaded if need be.
    private func copyOfClip(_ url: URL) async throws -> DeckID {
        if let clip = effects.use(url) { return try await duplicate(clip, of: url) }
        let clip = try await openEffect(url)
        do {
            // Before the clip is kept: it is closed then if another call has opened the same one.
            let deck = try await duplicate(clip, of: url)
            await keepEffect(clip, of: url)
            return deck
        } catch {
            await engine.closeDeck(clip)
            throw error
        }
    }

    private func duplicate(_ clip: DeckID, of url: URL) async throws -> DeckID {
        do {
            return try await engine.duplicateDeck(clip).id
        } catch {
            throw AudioPlayerError(error, playing: url)
        }
    }

    private func keepEffect(_ deck: DeckID, of url: URL) async {
        for unneeded in effects.keep(deck, of: url) { await engine.closeDeck(unneeded) }
    }

    /// Starts an effect's deck on a layer of its own.
    ///
    /// - Returns: The layer.
    private func sound(
        _ effect: SoundEffect, _ deck: DeckID, fadeIn: TimeInterval, for call: EffectCall
    ) async throws -> LayerID {
        let layer: LayerID
        if let free = effects.claimVoice(for: effect) { layer = free } else { layer = await addVoice(for: effect) }
        await engine.setTrackGain(Double(effect.volume), of: deck, ramp: 0)
        await engine.setGain(Double(effects.volume), of: layer, ramp: 0)
        do {
            try await activateSession(reason: "effect")
            guard effects.isWanted(call) else { throw CancellationError() }
            effects.change(layer) { $0.deck = deck }
            try await engine.play(deck, on: layer, entry: .cut, loop: LoopPlan(fadeIn: fadeIn))
            effects.change(layer) { if $0.deck == deck { $0.isStarted = true } }
            return layer
        } catch {
            await engine.closeDeck(deck)
            await freeVoice(layer)
            throw error is CancellationError ? error : AudioPlayerError(sounding: error)
        }
    }

    private func addVoice(for effect: SoundEffect) async -> LayerID {
        let layer = await engine.addLayer(.effects)
        effects.voices.append(EffectVoice(layer: layer, effect: effect))
        await refreshDucking()
        return layer
    }

    func freeVoice(_ layer: LayerID) async {
        pausedLayers.remove(layer)
        let isDropped = effects.free(layer)
        // `stopAll(fadeDuration:)` waits also for an effect that never began, which has no event.
        hubs.remote.post(.updated)
        if isDropped {
            await engine.removeLayer(layer)
            await refreshDucking()
        }
        await deactivateSilentSession("effect ended")
    }

    /// Pauses all effects.
    ///
    /// - Returns: The number of the pause.
    @discardableResult
    func pauseEffects() async -> UInt64 {
        let pause = effects.countPause()
        for voice in effects.voices { await pauseVoice(voice.layer, by: pause) }
        return pause
    }

    private func pauseVoice(_ layer: LayerID, by pause: UInt64) async {
        guard let voice = effects.voices.first(where: { $0.layer == layer }), voice.deck != nil, !voice.isPaused else {
            return
        }
        effects.change(layer) { $0.pausedBy = pause }
        await engine.pause(layer, ramp: Self.pauseRamp)
        pausedLayers.insert(layer)
    }

    /// Resumes effects.
    ///
    /// - Parameter pause: Those that one pause has paused; `nil` for all.
    func resumeEffects(pausedBy pause: UInt64?) async {
        effects.endPause(pause)
        for voice in effects.voices
        where voice.isPaused && (pause == nil || voice.pausedBy == pause) && pausedLayers.contains(voice.layer) {
            do {
                // A pause may have ended the player's part of it.
                try await activateSession(reason: "resume")
                try await engine.resume(voice.layer, ramp: Self.pauseRamp)
                pausedLayers.remove(voice.layer)
                effects.change(voice.layer) { $0.pausedBy = nil }
            } catch {
                report(AudioPlayerError(sounding: error))
            }
        }
    }

    /// Ends and forgets everything about effects.
    func resetEffects() async {
        await stopSoundEffect(fadeDuration: 0)
        await unloadSoundEffects()
        let layers = effects.layers
        effects.voices = []
        // `stopAll(fadeDuration:)` may wait for their fades.
        hubs.remote.post(.updated)
        effects.volume = 1
        for layer in layers { await engine.removeLayer(layer) }
    }

    /// Reacts to something that happened on an effect's layer.
    func effectReceived(_ event: MixEvent) async {
        guard let voice = effects.voices.first(where: { $0.layer == event.layer }), let effect = voice.effect else {
            return
        }
        switch event.kind {
        case .deckStarted(let deck) where deck == voice.deck: post(.effectStarted(effect.url), at: event.frame)
        case .deckEnded(let deck, let end) where deck == voice.deck:
            if case .failed(let position, let error) = end {
                let error = AudioPlayerError(reading: error, of: effect.url, at: position)
                report(error, of: effect.url, at: event.frame)
            }
            post(.effectEnded(effect.url), at: event.frame)
            await freeVoice(voice.layer)
        default: break
        }
    }
}
