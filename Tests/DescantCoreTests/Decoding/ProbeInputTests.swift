import DescantCore
import DescantTesting
import Foundation
import Testing

@Suite struct ProbeInputTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func readsTheBeginning() throws {
        let bytes = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
        let input = try ProbeInput(file: try folder.write(bytes, to: "Sound.FLAC"), mimeType: "audio/flac")
        #expect(input.header == bytes.prefix(ProbeInput.headerLength))
        #expect(input.fileExtension == "flac")
        #expect(input.mimeType == "audio/flac")
        #expect(try ProbeInput(file: folder.write(Data([1]), to: "one")).header == Data([1]))
    }

    @Test func unreadableFiles() throws {
        let loop = folder.file("loop")
        try FileManager.default.createSymbolicLink(at: loop, withDestinationURL: loop)
        let fifo = folder.file("fifo")
        #expect(mkfifo(fifo.path, 0o600) == 0)
        let things: [(URL, code: String, words: String)] = [
            (folder.file("nowhere.mp3"), "notFound", "does not exist"), (folder.url, "ioError", "is a directory"),
            (try folder.write(Data(), to: "empty.mp3"), "decodeError", "0 bytes"), (fifo, "ioError", "neither"),
            (loop, "ioError", "loop"),
        ]
        for (url, code, words) in things {
            let error = #expect(throws: CoreError.self) { _ = try ProbeInput(file: url) }
            #expect(error?.code == code)
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
            #expect(error?.message.contains(url.path) == true)
        }
    }

    @Test(
        arguments: [
            ([], 0), ([0x49, 0x44, 0x33], 0), (Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 10], 20),
            (Array("ID3".utf8) + [4, 0, 0x10, 0, 0, 0, 10], 30),
            (Array("ID3".utf8) + [3, 0, 0, 1, 2, 3, 4], 10 + 0x20_8184),
            (Array("ID3".utf8) + [3, 0, 0, 0x80, 2, 3, 4], 0),
        ] as [([UInt8], Int)])
    func lengthOfATag(_ header: [UInt8], _ end: Int) {
        #expect(ProbeInput(header: Data(header), fileExtension: "").endOfLeadingID3v2Tag == end)
    }

    @Test func scoresAreOrderedAndClamped() {
        #expect(ProbeScore(-5) == .none)
        #expect(ProbeScore(500) == ProbeScore(100))
        #expect(
            [.none, .fileExtension, .mimeType, .content, ProbeScore(100)].sorted().map(\.value) == [0, 20, 40, 75, 100])
    }
}
