import DescantCore
import Foundation
import Testing

/// What a change makes of tags, without a file.
@Suite struct TagChangeTests {
    private static let front = TagPicture(data: Data([1]), kind: .frontCover, description: "front")
    private static let back = TagPicture(data: Data([2]), kind: .backCover)

    private static var tags: TagBundle {
        var tags = TagBundle(
            title: "T", artist: "A", album: "B", albumArtist: "C", genre: "G", year: 2_000, trackNumber: 1,
            discNumber: 2)
        (tags.trackTotal, tags.discTotal, tags.bpm, tags.comment, tags.composer) = (3, 4, 90, "c", "D")
        tags.replayGain = ReplayGainTags(trackGain: 1, trackPeak: 0.5, albumGain: 2, albumPeak: 0.6)
        tags.lyrics = [LyricsLanguageVariant(languageCode: "eng", text: "la")]
        tags.sortNames = SortNames(title: "t", artist: "a", album: "b", albumArtist: "c", composer: "d")
        tags.musicBrainz = MusicBrainzTags(
            recordingID: "1", releaseTrackID: "2", releaseID: "3", releaseGroupID: "4", artistIDs: ["5"],
            albumArtistIDs: ["6"])
        tags.pictures = [front, back]
        tags.artworkData = front.data
        return tags
    }

    @Test func anEmptyChangeKeepsEverything() throws {
        #expect(try TagChange().applied(to: Self.tags) == Self.tags)
        #expect(TagChange(from: Self.tags, to: Self.tags) == TagChange())
    }

    @Test func everyFieldCanBeRemoved() throws {
        let all = try TagChange(remove: Set(TagField.allCases)).applied(to: Self.tags)
        #expect(all.isEmpty)
        for field in TagField.allCases where field != .artwork && field != .pictures {
            let less = try TagChange(remove: [field]).applied(to: Self.tags)
            #expect(less != Self.tags && TagChange(from: Self.tags, to: less) == TagChange(remove: [field]), "\(field)")
        }
    }

    @Test func aFieldThatBecomesNilIsRemoved() throws {
        var new = Self.tags
        (new.title, new.year, new.album) = (nil, nil, "X")
        let change = TagChange(from: Self.tags, to: new)
        #expect(change.remove == [.title, .year] && change.set == TagBundle(album: "X"))
        #expect(try change.applied(to: Self.tags) == new)
    }

    @Test func anEmptyTextRemoves() throws {
        var set = TagBundle(title: " ", artist: "")
        set.genres = []
        let new = try TagChange(set: set).applied(to: Self.tags)
        #expect(new.title == nil && new.artists == nil && new.genres == nil && new.album == "B")
    }

    @Test func picturesChangeOneByOne() throws {
        let other = TagPicture(data: Data([3]), kind: .artist)
        let change = TagChange(pictures: [.replace(Self.back, with: other), .add(Self.back), .remove(Self.front)])
        let new = try change.applied(to: Self.tags)
        #expect(new.pictures == [other, Self.back] && new.artworkData == other.data)
        #expect(throws: CoreError.self) { try TagChange(pictures: [.remove(other)]).applied(to: Self.tags) }
        let withoutCover = try TagChange(remove: [.artwork]).applied(to: Self.tags)
        #expect(withoutCover.pictures == [Self.back])
    }

    /// An editor that removes the front cover from the list does not bring it back by the other property.
    @Test func theRemovedFrontCoverStaysRemoved() throws {
        var new = Self.tags
        new.pictures = [Self.back]
        #expect(try TagChange(from: Self.tags, to: new).applied(to: Self.tags).pictures == [Self.back])
        #expect(try TagChange(set: new).applied(to: Self.tags).pictures == [Self.back])
    }

    /// The front cover becomes equal to the other picture, which stays.
    @Test func aPictureOfTheFileCanBecomeItsArtwork() throws {
        let change = TagChange(set: TagBundle(artworkData: Self.back.data))
        let new = try change.applied(to: Self.tags)
        #expect(new.artworkData == Self.back.data)
        let front = TagPicture(data: Self.back.data, kind: .frontCover, description: "front")
        #expect(new.pictures == [front, Self.back])
        #expect(try change.applied(to: new) == new)
        // Without a front cover the first picture is shown.
        var old = Self.tags
        let artist = TagPicture(data: Data([3]), kind: .artist)
        (old.pictures, old.artworkData) = ([artist, Self.back], artist.data)
        let cover = TagPicture(data: Self.back.data, kind: .frontCover)
        #expect(try change.applied(to: old).pictures == [cover, artist, Self.back])
    }

    /// The artwork of a new list is not added to the list once more.
    @Test func picturesAndTheirArtworkAreSetTogether() throws {
        let front = TagPicture(data: Data([3]), kind: .frontCover)
        for pictures in [[front, Self.back], [Self.back, front], [Self.back]] {
            var set = TagBundle(artworkData: pictures.contains(front) ? front.data : Self.back.data)
            set.pictures = pictures
            #expect(try TagChange(set: set).applied(to: Self.tags).pictures == pictures)
        }
    }

    @Test func settingAndRemovingOneFieldIsRefused() {
        let change = TagChange(set: TagBundle(title: "x"), remove: [.title])
        #expect { try change.applied(to: Self.tags) } throws: { error in
            (error as? CoreError)?.message.contains("title") == true
        }
    }
}
