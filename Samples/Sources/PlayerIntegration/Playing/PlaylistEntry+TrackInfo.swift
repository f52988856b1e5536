internal import Descant
internal import Foundation
internal import PlayerApp

extension PlaylistEntry {
    /// What the engine knows of a track, as views show it.
    init(url: URL, track: TrackInfo) {
        self.init(
            url: url, title: track.title, artist: track.artist, duration: track.duration > 0 ? track.duration : nil)
        album = track.tags.album
        format = Self.describe(track.format)
    }

    private static func describe(_ format: AudioFormat) -> String {
        let rate = (format.sampleRate / 100).rounded() / 10
        let channels =
            switch format.channelCount {
            case 1: "mono"
            case 2: "stereo"
            default: "\(format.channelCount) channels"
            }
        let depth = format.bitDepth.map { "\($0) bit" }
        let number = rate == rate.rounded() ? "\(Int(rate))" : "\(rate)"
        return [format.codec.isEmpty ? nil : format.codec, "\(number) kHz", depth, channels].compactMap { $0 }
            .joined(separator: ", ")
    }
}
