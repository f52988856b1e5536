import Foundation

@testable import DescantDesktop

/// Rules of playback, seeking, next and previous.
extension MPRISChecker {
    /// Starts playback, and compares the properties with the real state.
    func transport() async throws {
        try await player.player("Play")
        try require(.repliesAfterEffect, try await status(), is: "Playing", "the status after Play")
        try await metadata()
        try await requireTold(after: "Play")
        try await player.player("PlayPause")
        try require(.repliesAfterEffect, try await status(), is: "Paused", "the status after PlayPause")
        try await requireTold(after: "PlayPause")
        try await player.player("PlayPause")
        try await player.player("Pause")
        try require(.repliesAfterEffect, try await status(), is: "Paused", "the status after Pause")
        try await player.player("Pause")
        let before = try await trackID()
        try await player.player("Next")
        try require(.repliesAfterEffect, try await trackID() != before, "the track after Next is the one before")
        try require(.repliesAfterEffect, try await status(), is: "Paused", "the status after Next while paused")
        try await requireTold(after: "Next")
        try await player.player("Previous")
        try require(.repliesAfterEffect, try await trackID(), is: before, "the track after Next and Previous")
        try await player.player("Play")
        try await requireTold(after: "Previous and Play")
    }

    func position() async throws {
        try await player.player("Pause")
        let first = try await currentPosition()
        // Frames that were rendered but not heard at the pause may still count.
        let second = try await currentPosition()
        try require(.position, (first...first + 1_000_000).contains(second), "\(first) became \(second) while paused")
        let target: Int64 = 10_000_000
        let mark = player.mark
        try await player.player("SetPosition", .path(try await trackID() ?? "/"), .int64(target))
        try await requirePosition(.position, near: target, after: "SetPosition")
        try await requireSeeked(since: mark, near: target, after: "SetPosition")
        let length = try await player.get("Metadata").dictionary?["mpris:length"]?.int64 ?? 0
        try require(.position, (30_000_000...3_600_000_000).contains(length), "mpris:length is \(length)")
        try await player.player("Play")
        let begin = try await currentPosition()
        // The position has to move within a generous limit, because other tests may block all threads of the pool for
        // seconds.
        var now = begin
        let limit = ContinuousClock.now + .seconds(player.limit)
        while now == begin, ContinuousClock.now < limit { now = try await currentPosition() }
        let shown = try await status() ?? "nothing"
        try require(.position, now > begin, "the position stands still at \(now) after Play; the status is \(shown)")
    }

    func seek() async throws {
        try await player.player("Pause")
        let start = try await currentPosition()
        var mark = player.mark
        try await player.player("Seek", .int64(5_000_000))
        try await requirePosition(.seek, near: start + 5_000_000, after: "Seek")
        try await requireSeeked(since: mark, near: start + 5_000_000, after: "Seek")
        mark = player.mark
        try await player.player("Seek", .int64(-3_600_000_000))
        try require(.seek, try await currentPosition(), is: 0, "the position after seeking before the beginning")
        try await requireSeeked(since: mark, near: 0, after: "Seek to the beginning")
        let before = try await trackID()
        try await player.player("Seek", .int64(3_600_000_000))
        try require(.seek, try await trackID() != before, "seeking past the end stayed on the track")
        try await player.player("Previous")
        try await requireTold(after: "Seek")
    }

    func setPosition() async throws {
        let track = try await trackID() ?? "/"
        let mark = player.mark
        try await player.player("SetPosition", .path(track), .int64(20_000_000))
        try await requirePosition(.setPosition, near: 20_000_000, after: "SetPosition")
        try await requireSeeked(since: mark, near: 20_000_000, after: "SetPosition")
        try require(.setPosition, try await trackID(), is: track, "the track after SetPosition")
    }

    func stalePositions() async throws {
        try await player.player("Pause")
        let length = try await player.get("Metadata").dictionary?["mpris:length"]?.int64 ?? 0
        let tracks = try await player.get("Tracks", MPRISName.trackList).elements?.compactMap(\.path) ?? []
        let current = try await trackID() ?? "/"
        let other = tracks.first { $0 != current } ?? MPRISName.noTrack
        let before = try await currentPosition()
        let calls: [(String, Int64)] = [
            (other, 1_000_000), (MPRISName.noTrack, 1_000_000), ("/some/other", 2_000_000), (current, -1),
            (current, hasEstimatedLength ? 2 * length : length + 1),
        ]
        for (track, position) in calls {
            let mark = player.mark
            // An error is as acceptable as no effect.
            _ = try? await player.player("SetPosition", .path(track), .int64(position))
            let now = try await currentPosition()
            try require(.staleSetPosition, now, is: before, "the position after SetPosition(\(track), \(position))")
            try require(.staleSetPosition, player.signals("Seeked", since: mark).isEmpty, "Seeked for \(track)")
        }
    }

    /// Rules at the first and the last track.
    func ends() async throws {
        try await player.set("LoopStatus", .string("None"))
        let tracks = try await player.get("Tracks", MPRISName.trackList).elements?.compactMap(\.path) ?? []
        for (end, method, ability) in [(tracks.last, "Next", "CanGoNext"), (tracks.first, "Previous", "CanGoPrevious")]
        {
            guard let end else { continue }
            _ = try await player.call(MPRISName.trackList, "GoTo", [.path(end)])
            try await requireTold(after: "GoTo")
            guard try await player.get(ability).bool == false else { continue }
            _ = try? await player.player(method)
            try require(.impossible, try await trackID(), is: end, "the track after \(method) at the end")
            try await player.set("LoopStatus", .string("Playlist"))
            try await requireTold(after: "LoopStatus at the end")
            try require(
                .impossible, try await player.get(ability), is: .bool(true), "\(ability) with a repeated playlist")
            try await player.set("LoopStatus", .string("None"))
        }
        try await requireTold(after: "the ends")
    }

    func stop() async throws {
        try await player.player("Play")
        let mark = player.mark
        try await player.player("Stop")
        try require(.repliesAfterEffect, try await status(), is: "Stopped", "the status after Stop")
        try await requireSeeked(since: mark, near: 0, after: "Stop", rule: .stopSeeks)
        try require(.stopSeeks, try await currentPosition(), is: 0, "the position after Stop")
        try check(metadata: try await player.get("Metadata"))
        try await requireTold(after: "Stop")
        let before = player.mark
        _ = try? await player.player("Seek", .int64(1_000_000))
        try require(.impossible, try await status(), is: "Stopped", "the status after Seek while stopped")
        try require(.impossible, player.signals("Seeked", since: before).isEmpty, "Seeked while stopped")
        try await player.player("Play")
        try require(.stopSeeks, try await status(), is: "Playing", "the status after Stop and Play")
        try await player.player("Stop")
    }
}
