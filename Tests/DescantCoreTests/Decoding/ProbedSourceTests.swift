import DescantTesting
import Foundation
import Testing

@testable import DescantCore

/// Files are recognised by what follows their ID3v2 tags, however long those are.
@Suite struct ProbedSourceTests {
    private let folder: TemporaryDirectory
    /// What stands for the tags of a file.
    private let emptyTag = Data("ID3".utf8) + Data([4, 0, 0, 0, 0, 0, 0])

    init() throws { folder = try TemporaryDirectory() }

    /// A tag of version 2.4.
    ///
    /// - Parameters:
    ///   - length: The length of its content in bytes.
    ///   - announced: The length that its header tells; `nil` for the true one.
    private func tag(_ length: Int, announced: Int? = nil, hasFooter: Bool = false) -> Data {
        let told = announced ?? length
        let size = [UInt8(told >> 21 & 0x7F), UInt8(told >> 14 & 0x7F), UInt8(told >> 7 & 0x7F), UInt8(told & 0x7F)]
        var tag = Data("ID3".utf8)
        tag.append(contentsOf: [4, 0, hasFooter ? 0x10 : 0])
        tag.append(contentsOf: size)
        tag.append(Data(repeating: 0x55, count: length + (hasFooter ? 10 : 0)))
        return tag
    }

    /// Content that begins with some bytes and is longer than a header.
    private func content(_ first: [UInt8]) -> Data { Data(first) + Data((0..<6_000).map { UInt8($0 % 251) }) }

    /// The format shows behind tags that end within the header, at its end, and behind it: of FLAC, MP3, and a format with its mark at 4.
    @Test(arguments: [0, 20, 4_080, 4_086, 5_000, 300_000])
    func contentBehindATagIsRecognised(_ length: Int) throws {
        let flac = PluginFileType(extensions: ["flac"], signatures: [FileSignature("664c6143")])
        let mp3 = PluginFileType(extensions: ["mp3"], signatures: [FileSignature("fffb")])
        let mp4 = PluginFileType(extensions: ["m4a"], signatures: [FileSignature("66747970", at: 4)])
        for (type, first) in [
            (flac, Array("fLaC".utf8)), (mp3, [0xFF, 0xFB, 0x90, 0x64]), (mp4, [0, 0, 0, 8] + Array("ftyp".utf8)),
        ] as [(PluginFileType, [UInt8])] {
            let content = content(first)
            let file = tag(length) + content
            let source = try ProbedSource(try folder.write(file, to: "song.wav"), mimeType: "audio/wav")
            #expect(type.score(source.input) == .content)
            #expect(source.input.header == emptyTag + content.prefix(ProbeInput.headerLength - 10))
            #expect(source.input.endOfLeadingID3v2Tag == 10)
            #expect(source.input.fileExtension == "wav" && source.input.mimeType == "audio/wav")
            #expect(source.unshortened?.header == file.prefix(ProbeInput.headerLength))
        }
    }

    @Test func severalTagsAreSkipped() throws {
        let content = content(Array("fLaC".utf8))
        let file = tag(5_000, hasFooter: true) + tag(0) + tag(9_000) + content
        let source = try ProbedSource(try folder.write(file, to: "song.flac"))
        #expect(source.input.header == emptyTag + content.prefix(ProbeInput.headerLength - 10))
    }

    /// Nothing is known behind a tag that fills the file or is announced to be longer, or that has no valid length.
    @Test func tagsWithoutContentBehindThemLeaveTheFirstBytes() throws {
        let damaged = Data("ID3".utf8) + Data([3, 0, 0, 0x80, 0, 0, 10]) + content([])
        for file in [
            tag(5_000), tag(5_000, announced: 5_001), tag(5_000, announced: 1 << 28 - 1), damaged, content([]),
            Data("ID3".utf8),
        ] {
            let source = try ProbedSource(try folder.write(file, to: "song.flac"))
            #expect(source.input.header == file.prefix(ProbeInput.headerLength))
            #expect(source.unshortened == nil)
        }
    }

    /// The tags that stand in a row may be damaged, too.
    @Test func secondTagThatIsTooLongIsNotSkipped() throws {
        let second = tag(3_000, announced: 1 << 28 - 1)
        let source = try ProbedSource(try folder.write(tag(5_000) + second, to: "song.flac"))
        #expect(source.input.header == emptyTag + second)
    }

    @Test func unreadableFilesAreReported() throws {
        let error = #expect(throws: CoreError.self) { _ = try ProbedSource(folder.file("missing.flac")) }
        #expect(error?.code == "notFound")
        let address = try #require(URL(string: "http://localhost/a.FLAC"))
        let source = try ProbedSource(address)
        #expect(source.input == ProbeInput(header: Data(), fileExtension: "flac"))
    }

    /// A reader of tags that gives a title.
    private final class Titles: TagReaderPort, Sendable {
        private let title: String
        init(_ title: String) { self.title = title }
        func read(url: URL) throws -> TagBundle { TagBundle(title: title) }
    }

    @Test func tagReadersAreChosenByTheContentBehindATag() throws {
        let plugins = PluginRegistry(searchPath: [])
        plugins.register(.tagReader("own", signatures: [FileSignature("41424344")]) { Titles("own") })
        let reader = RegistryTagReader(plugins, builtIn: Titles("built in"), identifier: "built in")
        let tagged = try folder.write(tag(5_000) + Data("ABCD".utf8), to: "song.mp3")
        #expect(try reader.read(url: tagged).title == "own")
        let other = try folder.write(tag(5_000) + Data("EFGH".utf8), to: "other.mp3")
        #expect(try reader.read(url: other).title == "built in")
    }
}
