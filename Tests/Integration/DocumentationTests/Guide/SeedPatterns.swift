import Descant
import Foundation

// Programs written for ProsperPlayer, the player whose interface this one keeps: only the import was changed, and the view model
// without Combine is written with AsyncSequence. They are compiled so that a change that breaks them is noticed, and run by
// `GuideTests`.

enum SeedPatterns {
    static func playlistPlayback(_ service: AudioPlayerService, trackURLs: [URL]) async throws {
        await service.setup()

        let config = PlayerConfiguration(
            crossfadeDuration: 10.0,
            repeatMode: .playlist,
            volume: 80
        )

        try await service.loadPlaylist(trackURLs, configuration: config)

        // Auto-advance enabled
        // Manual navigation:
        try await service.nextTrack()
        try await service.previousTrack()
    }

    static func dynamicPlaylist(_ service: AudioPlayerService, newTrackURL: URL) async throws -> (Int, Int) {
        // Add tracks on the fly
        await service.addTrackToPlaylist(newTrackURL)

        // Remove tracks
        try await service.removeTrackFromPlaylist(at: 2)

        // Reorder
        try await service.moveTrackInPlaylist(from: 0, to: 3)

        // Query state
        let tracks = await service.getCurrentPlaylist()
        let index = await service.getCurrentTrackIndex()
        if await service.isPlaylistEmpty() {
            print("No tracks loaded")
        }
        return (tracks.count, index)
    }

    static func navigation(_ service: AudioPlayerService, url: URL) async throws {
        try await service.startPlaying(url: url, configuration: PlayerConfiguration())
        try await service.seekWithFade(to: 60.0, fadeDuration: 0.2)
        try await service.skipForward(by: 15.0)  // +15s
        try await service.skipBackward(by: 30.0)  // -30s
        try await service.jumpToTrack(at: 0)
        try await service.replaceTrack(url: url, crossfadeDuration: 5.0)
        await service.setVolume(0.5)
    }

    static func threadSafety(_ service: AudioPlayerService) {
        // Multiple concurrent calls are serialized
        Task { try await service.pause() }
        Task { try await service.nextTrack() }
        // Guaranteed sequential execution
    }

    static func overlay(_ player: AudioPlayerService, rainURL: URL, oceanURL: URL) async throws {
        let config = OverlayConfiguration(
            volume: 0.3,
            loopMode: .infinite,
            fadeInDuration: 2.0,
            fadeOutDuration: 2.0
        )

        try await player.startOverlay(url: rainURL, configuration: config)
        await player.pauseOverlay()
        // ... later ...
        await player.resumeOverlay()

        // Switch from rain to ocean sounds
        try await player.replaceOverlay(url: oceanURL)

        // Reduce overlay to 20%
        await player.setOverlayVolume(0.2)

        let state = await player.getOverlayState()
        if state.isPlaying {
            print("Overlay is playing")
        }
        await player.stopOverlay()
    }

    static func overlayConfiguration(_ player: AudioPlayerService, ambientURL: URL) async throws {
        var config = OverlayConfiguration()
        config.volume = 0.4
        config.loopMode = .count(5)
        config.fadeInDuration = 1.5
        config.fadeOutDuration = 1.5
        config.applyFadeOnEachLoop = true

        try await player.startOverlay(url: ambientURL, configuration: config)
        for preset in [OverlayConfiguration.ambient, .bell(times: 3, interval: 300), .notification] {
            try await player.startOverlay(url: ambientURL, configuration: preset)
        }
    }

    static func globalControl(_ player: AudioPlayerService) async {
        // Handle phone call interruption
        await player.pauseAll()
        // Resume after interruption ends
        await player.resumeAll()
        // Emergency stop
        await player.stopAll()
    }

    static func errors(_ service: AudioPlayerService, url: URL) async -> String {
        do {
            try await service.startPlaying(url: url, configuration: PlayerConfiguration(crossfadeDuration: 0.5))
            return "playing"
        } catch AudioPlayerError.invalidConfiguration(ConfigurationError.invalidCrossfadeDuration(let seconds)) {
            return "crossfade of \(seconds) s"
        } catch AudioPlayerError.invalidState(let current, let attempted) {
            return "\(attempted) while \(current)"
        } catch AudioPlayerError.fileNotFound(let url) {
            return "no file \(url.path)"
        } catch {
            return "\(error)"
        }
    }
}

actor MyObserver: AudioPlayerObserver {
    private(set) var states: [PlayerState] = []

    func playerStateDidChange(_ state: PlayerState) async {
        print("State: \(state)")
        states.append(state)
    }

    func playbackPositionDidUpdate(_ position: PlaybackPosition) async {
        print("Time: \(position.currentTime)")
    }

    func playerDidEncounterError(_ error: AudioPlayerError) async {
        print("Error: \(error)")
    }
}

/// The seed's view model: it had published properties that an observer's calls set.
@MainActor final class ViewModel {
    private(set) var isPlaying = false
    private(set) var currentTime: TimeInterval = 0
    private(set) var trackName = ""

    func follow(_ service: AudioPlayerService) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await state in service.stateUpdates { await self.update { $0.isPlaying = state == .playing } }
            }
            group.addTask {
                for await position in service.positionUpdates() {
                    await self.update { $0.currentTime = position.currentTime }
                }
            }
            group.addTask {
                for await track in service.trackUpdates { await self.update { $0.trackName = track?.title ?? "" } }
            }
        }
    }

    private func update(_ change: @MainActor (ViewModel) -> Void) { change(self) }
}
