import DescantCore
import DescantTesting
import Foundation

/// The tags that mutagen_tool.py writes into every file.
enum ExpectedTags {
    static func picture(_ number: Int, in bundle: TagBundle) -> Data? {
        bundle.pictures.flatMap { number - 1 < $0.count ? $0[number - 1].data : nil }
    }

    /// The tags of a file by name; pictures are those of the file that mutagen wrote first.
    static func tags(of name: String, pictures: [TagPicture]) -> TagBundle {
        var tags = TagBundle(
            title: "Grün – 緑", album: "Wald", albumArtist: "Choir", year: 2019, trackNumber: 7, discNumber: 1)
        tags.artists = ["Ann", "Ben"]
        tags.composers = ["Cea", "Dov"]
        tags.genres = ["Folk", "Noise"]
        (tags.trackTotal, tags.discTotal, tags.bpm, tags.comment) = (12, 2, 128, "heard twice")
        tags.replayGain = ReplayGainTags(trackGain: -3.21, trackPeak: 0.988553, albumGain: -4.5, albumPeak: 1)
        tags.sortNames = SortNames(title: "ts", artist: "as", album: "ls", albumArtist: "aas", composer: "cs")
        tags.musicBrainz = MusicBrainzTags(
            recordingID: "r-1", releaseTrackID: "t-2", releaseID: "a-3", releaseGroupID: "g-4", artistIDs: ["x-5"],
            albumArtistIDs: ["y-6"])
        tags.lyrics = [LyricsLanguageVariant(text: "la\nla")]
        tags.pictures = pictures
        adapt(&tags, to: name)
        tags.artworkData = tags.pictures?.first?.data
        return tags
    }

    /// Fields that a tag format does not support.
    private static func adapt(_ tags: inout TagBundle, to name: String) {
        if name.hasSuffix(".opus") {
            // R128 gains, brought to ReplayGain's reference.
            tags.replayGain = ReplayGainTags(trackGain: -2_102 / 256 + 5, albumGain: -2_432 / 256 + 5)
        }
        if name.hasPrefix("v2") || ["tagged.wav", "tagged.aiff", "tagged.dsf", "tagged.dff"].contains(name) {
            tags.lyrics = [.init(text: "la\nla"), LyricsLanguageVariant(languageCode: "deu", text: "lo\nlo")]
        }
        if name.hasSuffix(".m4a") {
            tags.pictures = tags.pictures?.enumerated().map {
                TagPicture(data: $1.data, kind: $0 == 0 ? .frontCover : .other)
            }
        }
        if name == "tagged.wv" { tags.pictures = tags.pictures.map { [TagPicture(data: $0[0].data)] } }
        if name == "v22.mp3" {
            tags = TagBundle(title: tags.title, album: tags.album, trackNumber: 7)
            (tags.trackTotal, tags.comment) = (12, "heard twice")
        }
    }
}
