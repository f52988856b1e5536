internal import Descant
internal import Foundation
internal import MusicAssistantKit

/// The commands that begin playback: at the beginning, after a pause and after a loss.
extension MusicAssistantEngine {
    /// What a start continues.
    enum Start {
        /// Nothing: the content is played from the beginning, or from a position in its first item.
        case beginning
        /// A pause.
        case paused
        /// Playback that ended with a failure.
        case failed
    }

    /// An item of a queue.
    struct PlayedItem {
        /// Its identifier in this queue; another one when the queue is filled again.
        let id: String
        /// The address of its media.
        let uri: String?
        let index: Int
    }

    /// Stores the present item of a queue as the one that was played last.
    func rememberItem(of queue: PlayerQueue?) {
        guard let queue, let item = queue.currentItem else { return }
        played = PlayedItem(id: item.queueItemId, uri: item.mediaItem?.uri, index: queue.currentIndex ?? 0)
    }

    /// Sends the commands of a start.
    ///
    /// - Parameters:
    ///   - content: The loaded content.
    ///   - player: The player and its queue.
    ///   - place: The position in seconds; `nil` for the player's position or the beginning.
    ///   - start: What the start continues.
    ///   - turn: The turn of the start.
    func begin(
        _ content: RemoteContent, on player: (id: String, name: String, queue: String), at place: TimeInterval?,
        _ start: Start, _ turn: Int
    ) async throws {
        switch (start, place) {
        case (.beginning, _): try await fill(player.queue, with: content, at: place ?? 0, turn)
        case (.paused, nil): try await client.resumeQueue(queueId: player.queue)
        case (.paused, let place?): try await playLastItem(in: player.queue, at: place, turn)
        case (.failed, _):
            // A server ignores this command for a player that it cannot reach, and reports no error.
            guard try await client.getPlayer(playerId: player.id)?.isAvailable == true else {
                throw Self.unreachable(player.name)
            }
            try await playLastItem(in: player.queue, at: place ?? 0, replacesOthers: true, turn)
        }
    }

    /// Plays the item that was played last from a position; fills the queue again if the server has lost it.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - place: The position in the item, in seconds.
    ///   - replacesOthers: Whether other content that is in the queue by now is replaced. If not, its present item is
    ///     played.
    ///   - turn: The turn of the command.
    func playLastItem(in queue: String, at place: TimeInterval, replacesOthers: Bool = false, _ turn: Int) async throws
    {
        let present = try await client.getQueue(queueId: queue)
        let found = try await index(of: played, in: present)
        try checkTurn(turn)
        if let found {
            try await client.playIndex(queueId: queue, index: found, position: Self.wholeSeconds(place))
        } else if !replacesOthers, let present, present.itemCount > 0, let index = present.currentIndex {
            // A position in another item is not one in this item.
            let position = played == nil ? Self.wholeSeconds(place) : 0
            try await client.playIndex(queueId: queue, index: index, position: position)
        } else if let content {
            try await fill(queue, with: content, at: place, turn)
        }
    }

    /// Fills the queue and plays the item that was played last, or the first one; nothing before the position is heard.
    private func fill(_ queue: String, with content: RemoteContent, at place: TimeInterval, _ turn: Int) async throws {
        guard place >= 1 || played != nil else {
            return try await client.playMedia(queueId: queue, uri: content.uri, option: .replace)
        }
        try await client.clearQueue(queueId: queue)
        try checkTurn(turn)
        try await client.playMedia(queueId: queue, uri: content.uri, option: .add)
        var (index, position) = (0, place)
        if let played {
            let present = try await client.getQueue(queueId: queue)
            // An item that another client had added is lost; the content is played from the beginning instead.
            if let found = try await self.index(of: played, in: present) { index = found } else { position = 0 }
        }
        try checkTurn(turn)
        try await client.playIndex(queueId: queue, index: index, position: Self.wholeSeconds(position))
    }

    /// The index of an item in a queue that may have been filled again since the item was played.
    private func index(of played: PlayedItem?, in queue: PlayerQueue?) async throws -> Int? {
        guard let played, let queue, queue.itemCount > 0 else { return nil }
        if let index = queue.currentIndex, queue.currentItem?.queueItemId == played.id { return index }
        let items = try await client.getQueueItems(queueId: queue.queueId, limit: queue.itemCount)
        if let item = items.first(where: { $0.queueItemId == played.id }) { return item.index }
        // A playlist may have the same media several times. No index is negative, so no difference overflows.
        return items.filter { $0.mediaItem?.uri == played.uri }.compactMap(\.index)
            .min { abs($0 - played.index) < abs($1 - played.index) }
    }

    /// Sends the seeks that were made while a start was under way.
    ///
    /// - Returns: The position of the last one; without one, that of the start.
    func seekAfterStart(at place: TimeInterval?, in queue: String, _ turn: Int) async -> TimeInterval? {
        var place = place
        while turn == self.turn, let wanted = start, wanted != place {
            // The start has succeeded, so it does not fail with the seek.
            try? await client.seekQueue(queueId: queue, position: Self.wholeSeconds(wanted))
            place = wanted
        }
        return place
    }

    // MARK: The wait for sound

    /// Handles content that ended before the reply to the command arrived.
    func hearAfterTheAnswer(_ queue: String, _ place: TimeInterval?) {
        let snapshot = client.queues.snapshot
        if hasPlayed, snapshot.isCurrent, let present = snapshot.values[queue], state(of: present) == .finished {
            mayPlay = nil
            return states.post(.finished)
        }
        // The states so far may be those of the content before.
        hasPlayed = snapshot.isCurrent && snapshot.values[queue]?.state == .playing
        expectSound(from: place)
        update()
    }

    /// How long a player may take to begin, in seconds.
    private static let startLimit = 20.0

    /// Ends the wait for a server that replied to a play command and did not play within a time limit.
    private func expectSound(from place: TimeInterval?) {
        overdue?.cancel()
        overdue = Task { [weak self] in
            do {
                try await Task.sleep(for: .seconds(Self.startLimit))
            } catch {
                return  // Stopped, or another play command was sent.
            }
            await self?.startIsOverdue(from: place)
        }
    }

    private func startIsOverdue(from place: TimeInterval?) {
        guard isBegun, !hasPlayed else { return }
        let snapshot = client.queues.snapshot
        if let player, outage == nil, pausing == nil, engineState == .playing, snapshot.isCurrent,
            let queue = snapshot.values[player.queue], queue.state == .idle, !queue.hasEnded, !isAtEnd(queue)
        {
            return fail(
                .ioError(
                    "music-assistant: \(player.name) has not begun within \(Int(Self.startLimit)) s; "
                        + "check on the server that it can play this, then play again"),
                at: place)
        }
        // From here on the idle state is accepted, also when the connection is lost now.
        hasPlayed = true
        update()
    }
}
