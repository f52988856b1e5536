import DescantCore
import DescantTagLib
import DescantTesting
import Foundation
import Testing

/// Reading what another program wrote.
@Suite struct ReadingTests {
    private static let names =
        TaggedFiles.writable.filter { $0 != "v22.mp3" } + ["tagged.dsf", "tagged.dff"]

    @Test func everyFormatGivesTheSameFields() throws {
        let files = try TaggedFiles.shared.get()
        let pictures = try #require(try TagLibReader().read(url: files.file("padded.flac")).pictures)
        #expect(pictures.map(\.kind) == [.frontCover, .backCover, .artist])
        #expect(pictures.map(\.description) == ["", "back", "artist"])
        let fixtures = Self.names.map {
            TagFixture(url: files.file($0), tags: ExpectedTags.tags(of: $0, pictures: pictures))
        }
        for finding in try TagReaderContract(fixtures: fixtures, makeReader: { TagLibReader() }).findings() {
            Issue.record("\(finding)")
        }
    }

    @Test func technicalPropertiesAreRead() throws {
        let files = try TaggedFiles.shared.get()
        let expected: [(String, String, TechnicalProperties.Encoding, Int, Int?)] = [
            ("v23.mp3", "MP3", .lossy, 24_000, nil), ("padded.flac", "FLAC", .lossless, 44_100, 16),
            ("front.m4a", "AAC", .lossy, 44_100, nil), ("small.ogg", "Vorbis", .lossy, 44_100, nil),
            ("small.opus", "Opus", .lossy, 48_000, nil), ("tagged.wav", "PCM", .lossless, 44_100, 16),
            ("tagged.aiff", "PCM", .lossless, 44_100, 16), ("tagged.wv", "WavPack", .lossless, 44_100, nil),
            ("tagged.wma", "WMA", .lossy, 44_100, nil), ("tagged.oga", "FLAC", .lossless, 44_100, nil),
        ]
        for (name, codec, encoding, rate, depth) in expected {
            let technical = try #require(try TagLibReader().read(url: files.file(name)).technical, "\(name)")
            #expect(technical.codec == codec && technical.encoding == encoding, "\(name): \(technical)")
            #expect(technical.sampleRate == rate && technical.channels == 2, "\(name): \(technical)")
            #expect(technical.bitDepth == depth, "\(name): \(technical)")
            #expect(abs((technical.duration ?? 0) - 1.5) < 0.1, "\(name): \(technical)")
            #expect(technical.fileSize == Int64(try TaggedFiles.data(name).count))
        }
    }

    @Test func otherContainersAreRead() throws {
        let files = try TaggedFiles.shared.get()
        let windows = try TagLibReader().read(url: files.file("tagged.wma"))
        #expect(windows.title == "Grün – 緑" && windows.artist == "Ann" && windows.album == "Wald")
        #expect(windows.trackNumber == 7 && windows.year == 2019 && windows.discNumber == 1 && windows.bpm == 128)
        #expect(try TagLibReader().read(url: files.file("tagged.oga")).title == "Grün – 緑")
        let old = try TagLibReader().read(url: files.file("v22.mp3"))
        #expect(old.title == "Grün – 緑" && old.trackTotal == 12 && old.comment == "heard twice")
        #expect(old.pictures?.first?.kind == .frontCover)
    }

    @Test func oneBitFilesAreRead() throws {
        let files = try TaggedFiles.shared.get()
        for name in ["tagged.dsf", "tagged.dff", "master.dff"] {
            let technical = try #require(try TagLibReader().read(url: files.file(name)).technical, "\(name)")
            #expect(technical.codec == "DSD" && technical.encoding == .lossless && technical.bitDepth == 1)
            #expect(technical.sampleRate == 2_822_400 && technical.channels == 2)
            #expect(technical.duration == 0.011)
        }
        let master = try TagLibReader().read(url: files.file("master.dff"))
        #expect(master.title == "Master title" && master.artists == ["Master artist"])
        // The offset of a DSF file's tag and the sizes of chunks are checked.
        let directory = try TemporaryDirectory()
        for (name, places) in [("tagged.dsf", 20..<28), ("tagged.dff", 4..<12), ("tagged.dff", 20..<28)] {
            for byte: UInt8 in [0x7f, 0x80, 0xff] {
                var data = try TaggedFiles.data(name)
                for place in places { data[place] = place == places.lowerBound ? byte : 0xff }
                let file = try directory.write(data, to: name)
                let title = Result { try TagLibReader().read(url: file).title }
                if case .success(let title) = title {
                    #expect(title == nil || title == "Grün – 緑", "\(name) \(places)")
                }
            }
        }
    }

    @Test func untaggedFileReturnsAnEmptyBundle() throws {
        let directory = try TemporaryDirectory()
        let wave = try FixtureEncoder().make(
            .sine(440, seconds: 0.1, sampleRate: 8_000, channels: 1), as: .wav(.int16),
            named: "plain", in: directory)
        let tags = try TagLibReader().read(url: wave)
        #expect(tags.isEmpty)
        #expect(tags.technical?.sampleRate == 8_000)
    }

    @Test(arguments: [
        ("2019-05-03", 2_019 as Int?), ("03.05.1987", 1_987), ("0987", nil), ("87", nil), (" 1999 ", 1_999), ("", nil),
    ])
    func yearsAreFourDigits(_ text: String, _ year: Int?) throws { #expect(try read("DATE=\(text)").year == year) }

    @Test(arguments: [
        ("7/12", 7 as Int?, 12 as Int?), ("07", 7, nil), ("/3", nil, 3), ("0/0", nil, nil), ("-1", nil, nil),
        ("x", nil, nil), (" 5 / 6 ", 5, 6), ("99999999999999999999", nil, nil),
    ])
    func numbersAndTotals(_ text: String, _ number: Int?, _ total: Int?) throws {
        let tags = try read("TRACKNUMBER=\(text)")
        #expect(tags.trackNumber == number && tags.trackTotal == total)
    }

    @Test(arguments: [("-3.21 dB", -3.21 as Double?), ("+1,5", 1.5), ("2", 2), ("loud", nil), ("-inf dB", nil)])
    func gains(_ text: String, _ gain: Double?) throws {
        #expect(try read("REPLAYGAIN_TRACK_GAIN=\(text)").replayGainTrack == gain)
    }

    @Test(arguments: [
        ("00:01:02.5", 62.5 as Double?), ("1:2:3", 3_723), ("00:00:00.0004", 0), ("00:00:59.9996", 60),
        ("00:00:60", nil), ("00:00:100", nil), ("00:00", nil), ("x", nil),
    ])
    func beginningsOfChapters(_ text: String, _ start: Double?) throws {
        #expect(try read("CHAPTER001=\(text)").technical?.chapters?.first?.start == start)
    }

    @Test func textsAreTrimmedAndAnEmptyOneIsAValue() throws {
        #expect(try read("TITLE= \t Wald \n").title == "Wald")
        #expect(try read("FOREIGN=x").title == nil)
        // TIT2 of one byte, which is the encoding.
        let frame = Data("TIT2".utf8) + Data([0, 0, 0, 1, 0, 0, 3])
        let tag = Data("ID3".utf8) + Data([4, 0, 0, 0, 0, 0, UInt8(frame.count)]) + frame
        let directory = try TemporaryDirectory()
        let file = try directory.write(tag + (try TaggedFiles.data("v24.mp3")), to: "empty.mp3")
        #expect(try TagLibReader().read(url: file).title?.isEmpty == true)
    }

    /// A FLAC file with one comment.
    private func read(_ line: String) throws -> TagBundle {
        let directory = try TemporaryDirectory()
        var comments = Data([1, 0, 0, 0]) + Data("x".utf8) + Data([1, 0, 0, 0])
        comments += Data([UInt8(line.utf8.count), 0, 0, 0]) + Data(line.utf8)
        let blank =
            Data([0, 0, 0, 34, 16, 0, 16, 0]) + Data(count: 6) + Data([0x0A, 0xC4, 0x42, 0xF0]) + Data(count: 20)
        let block = Data([0x84, 0, 0, UInt8(comments.count)]) + comments
        return try TagLibReader().read(url: directory.write(Data("fLaC".utf8) + blank + block, to: "one.flac"))
    }
}
