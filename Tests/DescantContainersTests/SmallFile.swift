import DescantTesting
import Foundation

@testable import DescantContainers

/// One small file of every container, with tags.
enum SmallFile: String, CaseIterable {
    case wave, aiff, flac, mp3, xing, adts, aac, alac, vorbis, opus, ape

    static let seconds = 0.05

    /// Whether the headers announce the exact length.
    var hasLength: Bool {
        switch self {
        case .wave, .flac, .xing, .aac, .alac, .vorbis, .opus: true
        case .aiff, .mp3, .adts, .ape: false
        }
    }

    private static let rate = 48_000

    func bytes() throws -> [UInt8] {
        switch self {
        case .wave: try Self.encoded(.wav(.int16))
        case .aiff: Self.aiffBytes
        case .flac: try Self.encoded(.flac(bits: 16))
        case .mp3: try Self.tag.bytes() + Self.encoded(.mp3(kilobitsPerSecond: 64))
        case .xing: try Self.tag.bytes() + Self.encoded(.infoMP3(kilobitsPerSecond: 64))
        case .adts: Self.adtsBytes
        case .aac: try Self.encoded(.aac(kilobitsPerSecond: 64))
        case .alac: try Self.encoded(.alac)
        case .vorbis: try Self.encoded(.vorbis(quality: 0))
        case .opus: try Self.encoded(.opus(kilobitsPerSecond: 64))
        case .ape: Array("MAC ".utf8) + [UInt8](repeating: 1, count: 200) + Self.apeTag.bytes
        }
    }

    private static func encoded(_ format: FixtureFormat) throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let url = try FixtureEncoder().make(
            .noise(seconds: seconds, sampleRate: rate), as: format, named: "sound", in: directory)
        return [UInt8](try Data(contentsOf: url))
    }

    /// Blocks of 16 bytes at 44.1 kHz.
    private static var adtsBytes: [UInt8] {
        (0..<20).flatMap { _ in [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC] + [UInt8](repeating: 0x21, count: 9) }
    }

    private static var aiffBytes: [UInt8] {
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + .number(content.count, bytes: 4, .big) + content + (content.count % 2 == 1 ? [0] : [])
        }
        let chunks =
            chunk("COMM", [UInt8](repeating: 1, count: 18)) + chunk("NAME", Array("odd".utf8))
            + chunk("SSND", [UInt8](repeating: 2, count: 120))
        return chunk("FORM", Array("AIFF".utf8) + chunks)
    }

    private static var tag: ID3v2Tag {
        var tag = ID3v2Tag()
        tag.frames = [
            tag.frame("TIT2", ID3Text.content(["title"], version: 4)),
            tag.frame("TXXX", ID3Text.content(["name", "value"], version: 4)),
        ]
        return tag
    }

    private static var apeTag: APETag {
        var tag = APETag()
        tag.items = ["Title", "Artist"].map { APETag.Item(name: $0, value: Array("some text".utf8)) }
        return tag
    }
}
