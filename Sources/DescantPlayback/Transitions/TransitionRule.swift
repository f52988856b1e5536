internal import DescantCore
internal import Foundation

/// How long two tracks overlap.
struct TransitionRule: Sendable {
    /// A shorter crossfade is a gapless join.
    static let shortestCrossfade: TimeInterval = 0.1
    /// A crossfade takes at most this share of a track, so that a track's two crossfades never meet.
    static let maximumShare = 0.4

    /// What the player is set to.
    var configuration: PlayerConfiguration
    /// The speed of playing; a track of 10 s takes 5 s at a rate of 2.
    var rate: Double = 1

    /// The length of the overlap in seconds on the output's timeline; 0 for none.
    ///
    /// - Parameters:
    ///   - wanted: The length asked for.
    ///   - outgoing: The track that ends.
    ///   - incoming: The track that begins.
    func overlap(_ wanted: TimeInterval, from outgoing: TrackInfo, to incoming: TrackInfo) -> TimeInterval {
        var length = wanted
        for duration in [outgoing.duration, incoming.duration] where duration > 0 {
            length = min(length, duration / rate * Self.maximumShare)
        }
        return length < Self.shortestCrossfade ? 0 : length
    }

    /// How a track follows another at its natural end.
    func join(from outgoing: TrackInfo, to incoming: TrackInfo) -> DeckJoin {
        if configuration.gaplessAlbums, Self.followsInAlbum(outgoing.tags, incoming.tags) { return .gapless }
        let length = overlap(configuration.crossfadeDuration, from: outgoing, to: incoming)
        return length > 0 ? .crossfade(length, curve: configuration.fadeCurve) : .gapless
    }

    /// How a track comes in when a person asks for it while another one sounds.
    func entry(_ wanted: TimeInterval, from outgoing: TrackInfo, to incoming: TrackInfo) -> DeckEntry {
        let length = overlap(wanted, from: outgoing, to: incoming)
        return length > 0 ? .crossfade(length, curve: configuration.fadeCurve) : .cut
    }

    /// Whether one track comes right after another on the same album.
    static func followsInAlbum(_ first: TagBundle, _ second: TagBundle) -> Bool {
        guard let album = first.album, !album.isEmpty, album == second.album,
            first.albumArtist == second.albumArtist, let number = first.trackNumber, let next = second.trackNumber
        else { return false }
        let disc = first.discNumber ?? 1
        let nextDisc = second.discNumber ?? 1
        return (disc == nextDisc && next == number &+ 1) || (nextDisc == disc &+ 1 && next == 1)
    }
}
