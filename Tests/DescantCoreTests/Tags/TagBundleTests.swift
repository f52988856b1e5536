import DescantCore
import Foundation
import Testing

@Suite struct TagBundleTests {
    @Test func emptinessIgnoresTechnicalProperties() {
        var tags = TagBundle()
        #expect(tags.isEmpty)
        tags.technical = TechnicalProperties()
        tags.technical?.sampleRate = 44_100
        #expect(tags.isEmpty)
        tags.title = ""
        #expect(!tags.isEmpty)
        tags = TagBundle()
        tags.replayGainAlbum = -3
        #expect(!tags.isEmpty && tags.replayGain.albumGain == -3)
    }

    @Test func listsAreShownAsOneText() {
        var tags = TagBundle(artist: "Ann")
        #expect(tags.artists == ["Ann"] && tags.artist == "Ann")
        tags.artists = ["Ann", "Ben"]
        #expect(tags.artist == "Ann, Ben")
        tags.artist = "Cea"
        #expect(tags.artists == ["Cea"])
        tags.genres = []
        #expect(tags.genre == nil && !tags.isEmpty)
    }

    @Test func anyBitRateIsRounded() {
        var tags = TagBundle()
        tags.technical = TechnicalProperties()
        for (bits, thousands) in [(499, 0), (500, 1), (1_499, 1), (.max, .max / 1_000 + 1), (.min, .min / 1_000)] {
            tags.technical?.bitrate = bits
            #expect(tags.bitrate == thousands, "\(bits)")
        }
    }

    @Test func bundleRoundTripsThroughJSON() throws {
        var tags = TagBundle(title: "T", year: 1_999, artworkData: Data([1, 2]))
        tags.lyrics = [LyricsLanguageVariant(languageCode: "und", text: "a"), .init(languageCode: "deu", text: "b")]
        tags.pictures = [TagPicture(data: Data([3]), kind: .backCover, description: "d")]
        tags.musicBrainz.artistIDs = ["x"]
        #expect(tags.lyrics?.map(\.languageCode) == [nil, "deu"])
        #expect(try JSONDecoder().decode(TagBundle.self, from: JSONEncoder().encode(tags)) == tags)
    }

    @Test func picturesAreRecognisedByTheirFirstBytes() {
        let cases: [([UInt8], String?)] = [
            ([0xFF, 0xD8, 0xFF, 0xE1], "image/jpeg"), ([0x89, 0x50, 0x4E, 0x47], "image/png"),
            (Array("GIF89a".utf8), "image/gif"), (Array("RIFF....WEBP".utf8), "image/webp"),
            (Array("RIFF....WAVE".utf8), nil), (Array("BM".utf8), "image/bmp"), ([], nil), (Array("<svg".utf8), nil),
        ]
        for (bytes, type) in cases { #expect(TagPicture.mimeType(of: Data(bytes)) == type) }
        // A slice does not begin at 0.
        #expect(TagPicture.mimeType(of: Data([0, 0xFF, 0xD8, 0xFF]).dropFirst()) == "image/jpeg")
    }
}
