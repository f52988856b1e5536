internal import DescantCore

/// Joins what a decoder knows of a track with what a describer found.
struct TrackMerge: Sendable {
    let track: TrackInfo

    /// Names and tags as found; length and depth as decoded.
    func merged(_ found: TrackInfo) -> TrackInfo {
        var result = track
        result.title = found.title
        result.artist = found.artist
        result.tags = found.tags
        result.replayGain = found.replayGain ?? track.replayGain
        result.format.codec = found.format.codec
        if result.duration == 0 { result.duration = found.duration }
        return result
    }
}
