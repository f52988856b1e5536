import Foundation

@testable import DescantDesktop

/// Rules of writable properties, the track list and playlists.
extension MPRISChecker {
    func writable() async throws {
        for loop in ["Track", "Playlist", "None"] { try await requireSet("LoopStatus", .string(loop)) }
        for isOn in [true, false] { try await requireSet("Shuffle", .bool(isOn)) }
        try await requireSet("Volume", .double(0.5))
        try await player.set("Volume", .double(-1))
        try require(.writable, try await player.get("Volume"), is: .double(0), "the volume after setting -1")
        try await requireSet("Volume", .double(1))
        try await requireSet("Rate", .double(1.5))
        let fastest = try await player.get("MaximumRate").double ?? 1
        _ = try? await player.set("Rate", .double(fastest + 10))
        let rate = try await player.get("Rate").double ?? 0
        try require(.writable, rate > 0 && rate <= fastest, "the rate is \(rate)")
        try await requireSet("Rate", .double(1))
        try await player.player("Play")
        try await player.set("Rate", .double(0))
        try require(.writable, try await status(), is: "Paused", "the status after setting the rate 0")
        try require(.writable, try await player.get("Rate"), is: .double(1), "the rate after setting 0")
        try await requireTold(after: "settings")
        do {
            try await player.set("LoopStatus", .string("Sometimes"))
            throw MPRISFinding(rule: .writable, detail: "the loop status Sometimes was taken")
        } catch is BusError {
            // The expected case.
        }
    }

    private func requireSet(_ name: String, _ value: BusValue) async throws {
        try await player.set(name, value)
        try require(.writable, try await player.get(name), is: value, name)
        let told = try await player.wait { $0.known(name) == value }
        try require(.changesTold, told, "\(name) was set to \(value)")
    }

    func trackIDs() async throws -> [String] {
        try await player.get("Tracks", MPRISName.trackList).elements?.compactMap(\.path) ?? []
    }

    private var listSignals: [String] { ["TrackAdded", "TrackRemoved", "TrackListReplaced"] }

    /// Requires a signal of a changed list after a mark.
    private func requireListTold(since mark: Int, after what: String) async throws {
        let names = listSignals
        let told = try await player.wait { player in names.contains { !player.signals($0, since: mark).isEmpty } }
        try require(.trackList, told, "no signal after \(what)")
        let invalidated = try await player.wait { $0.takeInvalidation("Tracks", MPRISName.trackList) }
        try require(.tracksInvalidated, invalidated, "after \(what)")
    }

    func trackList() async throws {
        let before = try await trackIDs()
        try require(.uniqueTracks, Set(before).count == before.count, "\(before)")
        try await checkTrackMetadata(before)
        _ = player.takeInvalidation("Tracks", MPRISName.trackList)
        var mark = player.mark
        let first = before.first ?? MPRISName.noTrack
        _ = try await player.call(
            MPRISName.trackList, "AddTrack", [.string(uri), .path(first), .bool(false)])
        try await requireListTold(since: mark, after: "AddTrack")
        let after = try await trackIDs()
        try require(
            .uniqueTracks, after.count == before.count + 1 && Set(after).isSuperset(of: before),
            "\(before) became \(after)")
        try require(.trackList, after.first, is: before.first, "the first track after AddTrack behind it")
        let added = Set(after).subtracting(before).first ?? ""
        try require(.trackList, after.dropFirst().first, is: added, "the second track after AddTrack")
        mark = player.mark
        _ = try await player.call(MPRISName.trackList, "GoTo", [.path(before.last ?? "/")])
        try require(.goTo, try await trackID(), is: before.last, "the track after GoTo")
        _ = try await player.call(MPRISName.trackList, "GoTo", [.path("/some/other")])
        _ = try await player.call(MPRISName.trackList, "GoTo", [.path(MPRISName.noTrack)])
        try require(.goTo, try await trackID(), is: before.last, "the track after GoTo to an unknown one")
        mark = player.mark
        _ = try await player.call(MPRISName.trackList, "RemoveTrack", [.path(added)])
        try await requireListTold(since: mark, after: "RemoveTrack")
        try require(.uniqueTracks, try await trackIDs(), is: before, "the tracks after AddTrack and RemoveTrack")
        _ = try await player.call(MPRISName.trackList, "RemoveTrack", [.path("/some/other")])
        try require(.trackList, try await trackIDs(), is: before, "the tracks after the removal of an unknown one")
        _ = try await player.call(MPRISName.trackList, "GoTo", [.path(first)])
        try require(.goTo, try await trackID(), is: first, "the track after GoTo")
        try await requireTold(after: "changes of the list")
        try await openURI()
    }

    private func checkTrackMetadata(_ ids: [String]) async throws {
        let answer = try await player.call(MPRISName.trackList, "GetTracksMetadata", [.paths(ids)])
        let list = answer.first?.elements ?? []
        try require(.trackList, list.count, is: ids.count, "the number of metadata")
        for (id, metadata) in zip(ids, list) {
            try check(metadata: metadata)
            try require(
                .trackIdentity, metadata.dictionary?["mpris:trackid"]?.path, is: id, "mpris:trackid in the list")
        }
        let unknown = try await player.call(MPRISName.trackList, "GetTracksMetadata", [.paths(["/some/other"])])
        try require(.trackList, unknown.first?.elements?.count, is: 0, "the number of metadata of unknown tracks")
    }

    private func openURI() async throws {
        let before = try await trackIDs()
        let mark = player.mark
        try await player.player("OpenUri", .string(uri))
        try await requireListTold(since: mark, after: "OpenUri")
        let opened = try await trackID() ?? ""
        try require(.trackList, !before.contains(opened), "the track after OpenUri is an old one")
        try require(.trackList, try await trackIDs().contains(opened), "the track after OpenUri is not in the list")
        _ = try? await player.player("OpenUri", .string("unknown-scheme:x"))
        try require(.impossible, try await trackID(), is: opened, "the track after OpenUri of an unknown scheme")
        _ = try await player.call(MPRISName.trackList, "GoTo", [.path(before.first ?? "/")])
        _ = try await player.call(MPRISName.trackList, "RemoveTrack", [.path(opened)])
        try await requireTold(after: "OpenUri")
    }

    func playlists() async throws {
        guard let count = try? await player.get("PlaylistCount", MPRISName.playlists).uint32 else { return }
        let orders = try await player.get("Orderings", MPRISName.playlists).elements?.compactMap(\.string) ?? []
        try require(.playlists, !orders.isEmpty, "there is no ordering")
        for order in orders {
            let lists = try await playlists(order, isReversed: false)
            try require(.playlists, lists.count, is: Int(count), "the number of playlists")
            let reversed = try await playlists(order, isReversed: true)
            try require(.playlists, reversed, is: Array(lists.reversed()), "the reversed playlists")
            for list in lists {
                let path = list.parts?.first?.path ?? "/"
                _ = try await player.call(MPRISName.playlists, "ActivatePlaylist", [.path(path)])
                let active = try await player.get("ActivePlaylist", MPRISName.playlists).parts ?? []
                try require(.playlists, active, is: [.bool(true), list], "the active playlist")
            }
        }
        try await requireTold(after: "ActivatePlaylist")
    }

    private func playlists(_ order: String, isReversed: Bool) async throws -> [BusValue] {
        let answer = try await player.call(
            MPRISName.playlists, "GetPlaylists", [.uint32(0), .uint32(100), .string(order), .bool(isReversed)])
        return answer.first?.elements ?? []
    }
}
