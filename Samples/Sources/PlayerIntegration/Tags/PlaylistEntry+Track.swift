internal import Descant
internal import PlayerApp

extension PlaylistEntry {
    /// The entry with what its file's tags say; what they do not say stays.
    func described(by track: Track) -> PlaylistEntry {
        var entry = self
        if let title = track.tags.title, !title.isEmpty { entry.title = title }
        entry.artist = track.artist ?? entry.artist
        entry.album = track.album ?? entry.album
        entry.duration = track.duration ?? entry.duration
        return entry
    }
}
