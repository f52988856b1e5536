internal import DescantCore

/// The order of playing of a shuffled playlist.
extension AudioPlayerService {
    /// Plays the playlist in an order drawn by chance, or as it lies.
    ///
    /// The order begins with the current track. Tracks that are added enter what comes, and ``previousTrack()`` goes back through
    /// what was played. A repeated playlist is played in a new order every round, which never begins with the track that was
    /// just heard; it follows from the seed too. Indices stay those of the playlist. Playlists that are loaded while the
    /// player shuffles are shuffled too.
    ///
    /// - Parameters:
    ///   - isOn: Whether to shuffle; calling it again draws a new order.
    ///   - seed: Decides on the order: the same tracks, edits and seed give the same order everywhere. `nil` draws one.
    /// - Returns: The seed in use; `nil` when not shuffling.
    @discardableResult
    public func setShuffle(_ isOn: Bool, seed: UInt64? = nil) async -> UInt64? {
        await serially {
            queue.setShuffle(seed: isOn ? seed ?? UInt64.random(in: .min ... .max) : nil)
            await planFollowUp()
            return queue.shuffleSeed
        }
    }

    /// Plays the playlist in an order of the host's choice, such as one of ``getShuffledOrder()`` that was kept.
    ///
    /// The current track stays the current one: what lies before it in the order counts as played, and what lies behind it comes. When no
    /// track plays, the player goes on in this order as soon as it begins with the current track. Tracks that are added later and
    /// further rounds follow from the seed, as with ``setShuffle(_:seed:)``.
    ///
    /// - Parameters:
    ///   - order: The indices of the playlist, each once.
    ///   - seed: Decides on what is drawn later. `nil` draws one.
    /// - Returns: The seed in use.
    /// - Throws: ``AudioPlayerError/invalidPlaylistIndex(index:count:)`` with the first index that the playlist does not have or that comes
    ///   again, or with the number of indices where some are missing; nothing was changed then.
    @discardableResult
    public func setShuffle(order: [Int], seed: UInt64? = nil) async throws -> UInt64 {
        try await command {
            let seed = seed ?? UInt64.random(in: .min ... .max)
            try checkOrder(order)
            queue.setShuffle(order: order, seed: seed, waits: main.current == nil)
            await planFollowUp()
            return seed
        }
    }

    private func checkOrder(_ order: [Int]) throws {
        let count = queue.playlist.count
        var isTaken = [Bool](repeating: false, count: count)
        for index in order {
            guard isTaken.indices.contains(index), !isTaken[index] else {
                throw AudioPlayerError.invalidPlaylistIndex(index: index, count: count)
            }
            isTaken[index] = true
        }
        guard order.count == count else {
            throw AudioPlayerError.invalidPlaylistIndex(index: order.count, count: count)
        }
    }

    /// The seed of the order of playing; `nil` while the player does not shuffle.
    public func getShuffleSeed() async -> UInt64? { queue.shuffleSeed }

    /// The indices of the playlist in the order of playing of the present round; `nil` while the player does not shuffle. What lies before
    /// the current track was played. The order changes with ``setShuffle(_:seed:)``, edits, ``jumpToTrack(at:)`` and each round.
    public func getShuffledOrder() async -> [Int]? { queue.playlist.shuffled.map { $0.indices.map { Int($0) } } }
}
