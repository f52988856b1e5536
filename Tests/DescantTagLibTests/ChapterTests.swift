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

    // MARK: A track of text, as in Apple's own audio books

    /// The chapters of a file with such a track, whose bytes were changed.
    private func chaptersOfTrack(_ change: (inout Data) throws -> Void = { _ in }) throws -> [Chapter]? {
        let file = directory.file("changed.m4a")
        var data = try Data(contentsOf: TaggedFiles.shared.get().file("track.m4a"))
        #expect(data.range(of: Data("chpl".utf8)) == nil)
        try change(&data)
        try data.write(to: file)
        return try TagLibReader().read(url: file).technical?.chapters
    }

    /// The place behind the last occurrence of a name, which is in the track of text.
    private func place(behind name: String, in data: Data) throws -> Int {
        try #require(data.range(of: Data(name.utf8), options: .backwards)).upperBound
    }

    @Test func samplesOfATrackOfTextAreChapters() throws {
        let chapters = try chaptersOfTrack()
        // ffmpeg leaves a chapter without a name out.
        #expect(chapters?.map(\.start) == [0, 0.4])
        #expect(chapters?.map(\.title) == ["Prologue", "Das Meer – 海"])
        let file = try TaggedFiles.copy("track.m4a", in: directory)
        try TagLibWriter().write(url: file, tags: TagBundle(title: String(repeating: "A longer title. ", count: 400)))
        #expect(try TagLibReader().read(url: file).technical?.chapters == chapters)
    }

    @Test func namesInUTF16AreRead() throws {
        let chapters = try chaptersOfTrack { data in
            let name = try #require(data.range(of: Data("Prologue".utf8)))
            data.replaceSubrange(name, with: [0xFE, 0xFF, 0x6D, 0x77, 0, 0x4F, 0, 0x6B])
        }
        #expect(chapters?.map(\.title) == ["海Ok", "Das Meer – 海"])
    }

    @Test func aTrackThatBeginsLaterHasLaterChapters() throws {
        let chapters = try chaptersOfTrack { data in
            // Version, flags and number precede the only edit: 750 ms of nothing.
            let edit = try place(behind: "elst", in: data) + 8
            data.replaceSubrange(edit..<edit + 8, with: [0, 0, 0x02, 0xEE, 0xFF, 0xFF, 0xFF, 0xFF])
        }
        #expect(chapters?.map(\.start) == [0.75, 1.15])
    }

    @Test(arguments: ["stsz", "stsc", "stco", "stts", "mdhd", "tkhd", "elst"])
    func impossibleNumbersOfATrackAreSurvived(box: String) throws {
        for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
            for at in 0..<20 {
                // Where a size is changed, too, the file is refused.
                let chapters = try? chaptersOfTrack { data in
                    let start = try place(behind: box, in: data) + at
                    data.replaceSubrange(start..<min(start + 4, data.count), with: Array(repeating: value, count: 4))
                }
                #expect((chapters ?? []).count <= 10_000)
                #expect((chapters ?? []).allSatisfy { $0.start >= 0 && $0.start.isFinite })
            }
        }
    }
}
