internal import Descant
internal import Foundation
internal import MusicAssistantKit
internal import MusicAssistantSettings

/// The end of content, and the stop of a player that cannot be reached.
extension MusicAssistantEngine {
    /// A position in an item of the queue.
    struct Heard {
        let item: String
        let position: TimeInterval
        let at: ContinuousClock.Instant
    }

    /// A stop that could not be sent.
    struct OwedStop {
        let player: String
        let queue: String
        /// The identifiers of the items that are stopped; others are the content of another client.
        let items: [String]
        /// When the stop lapses: after a longer outage, another client may have resumed the same item.
        let until: ContinuousClock.Instant
    }

    // MARK: The end of content

    /// Stores the present position in the present item of a queue.
    func hear(_ position: TimeInterval, in queue: PlayerQueue?) {
        heard = queue?.currentItem.map { Heard(item: $0.queueItemId, position: position, at: .now) }
    }

    /// Whether the player plays the rest of the last item, for which the server has already reset the position to 0.
    func isPlayingOut(_ queue: PlayerQueue) -> Bool {
        guard queue.state == .playing, queue.elapsedTime == 0, queue.repeatMode == .off,
            let end = lastSeconds(of: queue), let position = extrapolatedPosition(in: queue)
        else { return false }
        return (end...end + Self.playingOutLimit).contains(position)
    }

    /// Whether the item of a queue was played to its end, where a server may reset the position to 0.
    func isAtEnd(_ queue: PlayerQueue) -> Bool {
        if hasPlayed, queue.hasEnded { return true }
        guard let duration = queue.currentItem?.duration, duration > 0 else { return false }
        if queue.position() >= duration - 1 { return true }
        guard hasPlayed, outage == nil, let end = lastSeconds(of: queue),
            let position = extrapolatedPosition(in: queue)
        else { return false }
        return position >= end
    }

    /// How long a player may take to play the rest of the last item, in seconds.
    private static let playingOutLimit = 30.0

    /// Where the last two seconds of the last item of a queue begin; `nil` in other items.
    private func lastSeconds(of queue: PlayerQueue) -> TimeInterval? {
        // In some states the server names a following item that is not in the queue any more.
        let hasLastIndex = queue.repeatMode == .off && queue.currentIndex.map { $0 >= queue.itemCount - 1 } == true
        guard hasLastIndex || queue.nextItem == nil, let duration = queue.currentItem?.duration, duration > 0 else {
            return nil
        }
        return max(duration - 2, duration / 2)
    }

    /// The last known position in the present item plus the time since then.
    private func extrapolatedPosition(in queue: PlayerQueue) -> TimeInterval? {
        guard let heard, heard.item == queue.currentItem?.queueItemId else { return nil }
        return heard.position + (ContinuousClock.now - heard.at) / .seconds(1) * queue.playbackSpeed
    }

    /// The present position, also of a player that was removed together with its queue.
    var lastPosition: TimeInterval {
        guard let heard, let player, client.queues[player.queue] == nil else { return currentTime }
        return heard.position + (ContinuousClock.now - heard.at) / .seconds(1)
    }

    // MARK: Stopping later

    /// The identifiers of the present item of a queue and of the following one, which may play after an outage.
    func presentItems(of queue: String) -> [String] {
        let queue = client.queues[queue]
        return [queue?.currentItem, queue?.nextItem].compactMap { $0?.queueItemId }
    }

    /// Follows what the player may play when playback is not reported any more.
    func followRemainder(in queue: PlayerQueue) {
        guard beginning == nil else { return }
        if isBegun, queue.state == .playing {
            mayPlay = []
        } else if queue.state == .idle, hasPlayed {
            mayPlay = nil
        } else if let item = queue.currentItem?.queueItemId, mayPlay?.contains(item) == true {
            mayPlay = presentItems(of: queue.queueId)
        }
    }

    /// Remembers to stop a player that cannot be reached and may continue to play.
    func oweStop(of player: (id: String, name: String, queue: String), items: [String]) {
        owedStop = OwedStop(
            player: player.id, queue: player.queue, items: items, until: .now + .seconds(settings.patience))
    }

    /// Stops the player after a reconnect if it still plays this engine's content.
    func sendOwedStop(_ queues: LiveCollection<PlayerQueue>.Snapshot) {
        guard queues.isCurrent, let owed = owedStop else { return }
        owedStop = nil
        guard ContinuousClock.now < owed.until, let queue = queues.values[owed.queue], queue.state == .playing,
            let item = queue.currentItem?.queueItemId, owed.items.contains(item)
        else { return }
        stopping = Task {
            do {
                try await client.send(
                    "players/cmd/stop", ["player_id": .string(owed.player)], timeout: .seconds(5))
                return true
            } catch {
                owedStopFailed(error, owed)
                return false
            }
        }
    }

    private func owedStopFailed(_ error: any Error, _ owed: OwedStop) {
        // The connection was lost again; the stop is sent after the next reconnect, unless a start has come since.
        guard Self.isUnanswered(error), !isBegun, owedStop == nil else { return }
        owedStop = owed
    }
}
