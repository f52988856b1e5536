internal import Descant
internal import Foundation

/// Ten thousand small files of six formats with tags and a cover of 8 KB.
struct TagCorpus {
    static let count = 10_000
    private static let formats = [
        ("flac", "flac"), ("mp3", "libmp3lame"), ("m4a", "aac"), ("ogg", "libvorbis"), ("opus", "libopus"),
        ("wav", "pcm_s16le"),
    ]
    /// The number of encoded files; the others are copies of them.
    private static let variants = 10

    let list: URL

    /// - Parameters:
    ///   - folder: Where to write.
    ///   - ffmpeg: Encodes the sound.
    init(in folder: URL, ffmpeg: URL) throws {
        let tags = folder.appendingPathComponent("tags")
        try FileManager.default.createDirectory(at: tags, withIntermediateDirectories: true)
        var originals: [URL] = []
        for (index, format) in Self.formats.enumerated() {
            originals += try Self.write(format, in: tags, ffmpeg: ffmpeg, seed: index)
        }
        var paths: [String] = []
        for number in 0..<Self.count {
            let original = originals[number % originals.count]
            let folder = tags.appendingPathComponent("\(number / 100)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let copy = folder.appendingPathComponent("\(number).\(original.pathExtension)")
            try FileManager.default.copyItem(at: original, to: copy)
            paths.append(copy.path)
        }
        list = folder.appendingPathComponent("tags.txt")
        try Data(paths.joined(separator: "\n").utf8).write(to: list)
    }

    /// The variants of one format.
    private static func write(_ format: (String, String), in folder: URL, ffmpeg: URL, seed: Int) throws -> [URL] {
        let writer = AudioEnvironment.shared.makeTagWriter()
        let plain = folder.appendingPathComponent("plain.\(format.0)")
        _ = try ChildProcess(
            ffmpeg,
            [
                "-v", "error", "-y", "-f", "lavfi", "-i",
                "anoisesrc=d=0.5:r=\(format.0 == "wav" ? 11_025 : 22_050):a=0.1",
                "-c:a", format.1, "-bitexact", plain.path,
            ]
        ).finish()
        return try (0..<variants).map { variant in
            let file = folder.appendingPathComponent("\(format.0)-\(variant).\(format.0)")
            try FileManager.default.copyItem(at: plain, to: file)
            var tags = TagBundle(
                title: "Song \(variant) é", artist: "Artist \(variant % 3)", album: "Album \(seed)", genre: "Test",
                year: 2_024, trackNumber: variant + 1, artworkData: cover(seed * variants + variant))
            tags.trackTotal = variants
            try writer.write(url: file, tags: tags)
            return file
        }
    }

    /// A JPEG's first bytes and noise: a cover of 8 KB that compresses as badly as a real one.
    private static func cover(_ seed: Int) -> Data {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        return Data([0xFF, 0xD8, 0xFF, 0xE0])
            + Data(
                (0..<8_192).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(truncatingIfNeeded: state >> 33)
                })
    }
}
