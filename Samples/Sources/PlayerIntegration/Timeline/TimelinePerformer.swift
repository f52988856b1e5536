internal import Descant
internal import Foundation

/// Sends the commands of a timeline to a player.
struct TimelinePerformer: Sendable {
    let player: AudioPlayerService

    /// Starts the tracks and the overlays.
    ///
    /// - Parameters:
    ///   - tracks: The playlist.
    ///   - index: The track to begin with; `nil` for the first, or a drawn one while the order is shuffled.
    ///   - options: How it sounds.
    ///   - refused: Called with an overlay or effect that cannot be opened; the rest is played without it.
    /// - Throws: The player's error when no track can be played or settings are out of range.
    func begin(
        _ tracks: [URL], at index: Int? = nil, with options: PlayOptions,
        refused: (_ error: any Error, _ url: String) -> Void
    ) async throws {
        if let sources = options.trackSources { await player.setTrackSources(sources) }
        await player.setReplayGain(options.replayGain)
        await player.setEqualizer(options.equalizer)
        try await player.setEffects(options.inserts)
        if let seed = options.shuffleSeed { _ = await player.setShuffle(true, seed: seed) }
        if options.rate != 1 { try await player.setRate(options.rate) }
        try await player.loadPlaylist(tracks, configuration: options.configuration, startingAt: index)
        if let order = options.shuffledOrder {
            let wanted = order.goingOn(with: await player.getCurrentTrackIndex(), after: index)
            // An order of another list is left out.
            _ = try? await player.setShuffle(order: wanted, seed: options.shuffleSeed)
        }
        if let ducking = options.ducking { await duck(ducking, with: options) }
        for (number, overlay) in options.overlays.enumerated() {
            do {
                try await player.startOverlay(
                    url: overlay.url, configuration: overlay.configuration, id: Self.identity(of: number))
            } catch {
                refused(error, overlay.url.shownAddress)
            }
        }
        await preloadEffects(options.steps, refused: refused)
    }

    private func duck(_ ducking: Ducking, with options: PlayOptions) async {
        let overlays = options.overlays.indices.map { PlayerPart.overlay(Self.identity(of: $0)) }
        guard options.overlaysAreMusic else {
            return await player.setDucking(ducking, under: Set(overlays + [.overlay(.default), .effects]))
        }
        for part in [.main] + overlays { await player.setDucking(ducking, of: part, under: [.effects]) }
    }

    /// Prepares the effects, so that they are heard at their frame without being opened first.
    private func preloadEffects(
        _ steps: [TimelineStep], refused: (_ error: any Error, _ url: String) -> Void
    ) async {
        for step in steps {
            guard case .effect(let url) = step.command else { continue }
            do {
                try await player.preloadSoundEffects([SoundEffect(url: url, volume: 1)])
            } catch {
                refused(error, url.shownAddress)
            }
        }
    }

    /// The first overlay is the one that commands without a name act on.
    private static func identity(of number: Int) -> OverlayID {
        number == 0 ? .default : OverlayID("overlay \(number + 1)")
    }

    /// Carries out one command.
    ///
    /// - Throws: The error of the player's call; nothing is changed then.
    func perform(_ command: TimelineCommand) async throws {
        switch command {
        case .next: try await player.nextTrack()
        case .previous: try await player.previousTrack()
        case .jump(let index): try await player.jumpToTrack(at: index)
        case .pause: try await player.pause()
        case .resume: try await player.resume()
        case .stop: await player.stop()
        case .seek(let position): try await player.seekWithFade(to: position)
        case .skip(let seconds) where seconds < 0: try await player.skipBackward(by: -seconds)
        case .skip(let seconds): try await player.skipForward(by: seconds)
        case .replace(let url): try await player.replaceTrack(url: url)
        case .volume(let percent): await player.setVolume(Float(percent / 100))
        case .rate(let rate): try await player.setRate(rate)
        case .overlayPause, .overlayResume, .overlayStop, .overlayReplace, .overlayVolume, .effect:
            try await performBeside(command)
        }
    }

    /// The commands that do not affect the main layer.
    private func performBeside(_ command: TimelineCommand) async throws {
        switch command {
        case .overlayPause: await player.pauseOverlay()
        case .overlayResume: await player.resumeOverlay()
        case .overlayStop: await player.stopOverlay()
        case .overlayReplace(let url): try await player.replaceOverlay(url: url)
        case .overlayVolume(let volume): await player.setOverlayVolume(Float(volume))
        case .effect(let url): try await player.playSoundEffect(SoundEffect(url: url, volume: 1))
        default: break
        }
    }
}

extension [Int] {
    /// An order in which a track comes right behind the one whose place it takes because that cannot be opened. What was played stays played.
    ///
    /// - Parameters:
    ///   - current: The track that is played.
    ///   - missing: The track that was to be played; `nil` for none.
    fileprivate func goingOn(with current: Int, after missing: Int?) -> [Int] {
        guard let missing, missing != current, contains(missing) else { return self }
        return filter { $0 != current }.flatMap { $0 == missing ? [missing, current] : [$0] }
    }
}
