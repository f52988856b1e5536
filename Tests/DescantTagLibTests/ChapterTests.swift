import DescantCore
import DescantTagLib
import DescantTesting
import Foundation
import Testing

/// Chapters of files that ffmpeg has written.
@Suite struct ChapterTests {
    private static let names = ["chapters.mp3", "chapters.m4a", "chapters.ogg", "chapters.opus", "chapters.flac"]
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: names) func namesAndBeginningsAreRead(name: String) throws {
        let chapters = try TagLibReader().read(url: TaggedFiles.shared.get().file(name)).technical?.chapters
        #expect(chapters?.map(\.start) == [0, 0.4, 1.25])
        #expect(chapters?.prefix(2).map(\.title) == ["Prologue", "Das Meer – 海"])
        // ffmpeg gives a chapter of an MP3 without a name none, and others an empty one.
        #expect(chapters?.last?.title == "")
    }

    @Test(arguments: names) func editingOtherTagsKeepsThem(name: String) throws {
        let file = try TaggedFiles.copy(name, in: directory)
        let before = try TagLibReader().read(url: file).technical?.chapters
        try TagLibWriter().write(
            url: file, tags: TagBundle(title: "Another title", artist: "Somebody with a long name"))
        let after = try TagLibReader().read(url: file)
        #expect(after.title == "Another title" && after.technical?.chapters == before && before?.count == 3)
    }

    @Test func filesWithoutChaptersHaveNone() throws {
        for name in TaggedFiles.writable {
            #expect(
                try TagLibReader().read(url: TaggedFiles.shared.get().file(name)).technical?.chapters == nil, "\(name)")
        }
    }

    /// A box whose numbers promise more than it holds.
    @Test func damagedBoxOfMP4GivesTheChaptersBeforeTheDamage() throws {
        let file = try TaggedFiles.copy("chapters.m4a", in: directory)
        var data = try Data(contentsOf: file)
        let box = try #require(data.range(of: Data("chpl".utf8)))
        // The length of the second name, behind version, flags, numbers, and the first chapter.
        let second = box.upperBound + 9 + 8 + 1 + "Prologue".utf8.count + 8
        #expect(Int(data[second]) == "Das Meer – 海".utf8.count)
        data[second] = 255
        try data.write(to: file)
        #expect(try TagLibReader().read(url: file).technical?.chapters?.map(\.title) == ["Prologue"])
    }
}
