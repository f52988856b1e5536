import Descant
import Foundation

// snippet
/// The state of a player for a view, updated until its task is cancelled.
@MainActor final class WhatPlays {
    private(set) var isPlaying = false
    private(set) var title = ""
    private(set) var progress = 0.0

    func follow(_ player: AudioPlayerService) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await state in player.stateUpdates { await self.show(state) } }
            group.addTask { for await track in player.trackUpdates { await self.show(track) } }
            group.addTask {
                for await position in player.positionUpdates(every: 1.0 / 30) { await self.show(position) }
            }
        }
    }

    private func show(_ state: PlayerState) { isPlaying = state == .playing }
    private func show(_ track: TrackInfo?) { title = track?.title ?? "" }
    private func show(_ position: PlaybackPosition) { progress = position.progress }
}
