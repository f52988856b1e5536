internal import DescantCore

/// The signals for the changes between two states.
enum MPRISSignals {
    static func seeked(to microseconds: Int64) -> BusSignal {
        BusSignal(interface: MPRISName.player, name: "Seeked", arguments: [.int64(microseconds)])
    }

    static func propertiesChanged(
        _ interface: String, changed: [String: BusValue], invalidated: [String]
    ) -> BusSignal {
        BusSignal(
            interface: MPRISName.properties, name: "PropertiesChanged",
            arguments: [.string(interface), .dictionary(changed), .strings(invalidated)])
    }

    /// One added or removed track has its own signal; all other changes send a new list.
    static func trackList(from old: NowPlaying, to new: NowPlaying) -> [BusSignal] {
        let before = old.tracks.map(\.id)
        let after = new.tracks.map(\.id)
        guard before != after else { return changedTracks(from: old.tracks, to: new.tracks) }
        if let index = extra(in: after, over: before) {
            let predecessor = index == 0 ? MPRISName.noTrack : MPRISPath.track(after[index - 1])
            return [
                list("TrackAdded", [.dictionary(MPRISMetadata.of(new.tracks[index])), .path(predecessor)])
            ]
        }
        if let index = extra(in: before, over: after) {
            return [list("TrackRemoved", [.path(MPRISPath.track(before[index]))])]
        }
        let current = new.track.map { MPRISPath.track($0.id) } ?? MPRISName.noTrack
        return [list("TrackListReplaced", [.paths(after.map { MPRISPath.track($0) }), .path(current)])]
    }

    /// The signals of playlists whose name or icon has changed.
    static func playlists(from old: NowPlaying, to new: NowPlaying) -> [BusSignal] {
        let known = Dictionary(old.playlists.map { ($0.id, $0) }) { first, _ in first }
        return new.playlists.filter { playlist in known[playlist.id].map { $0 != playlist } ?? false }.map {
            BusSignal(
                interface: MPRISName.playlists, name: "PlaylistChanged", arguments: [MPRISProperties.playlist($0)])
        }
    }

    private static func changedTracks(from old: [NowPlayingTrack], to new: [NowPlayingTrack]) -> [BusSignal] {
        zip(old, new).compactMap { before, after in
            let metadata = MPRISMetadata.of(after)
            guard before != after, MPRISMetadata.of(before) != metadata else { return nil }
            return list("TrackMetadataChanged", [.path(MPRISPath.track(after.id)), .dictionary(metadata)])
        }
    }

    /// The index of the only element that the longer list adds to the shorter one; `nil` when they differ otherwise.
    private static func extra(in longer: [NowPlayingTrack.ID], over shorter: [NowPlayingTrack.ID]) -> Int? {
        guard longer.count == shorter.count + 1 else { return nil }
        let index = zip(longer, shorter).enumerated().first { $1.0 != $1.1 }?.offset ?? shorter.count
        return longer[(index + 1)...].elementsEqual(shorter[index...]) ? index : nil
    }

    private static func list(_ name: String, _ arguments: [BusValue]) -> BusSignal {
        BusSignal(interface: MPRISName.trackList, name: name, arguments: arguments)
    }
}
