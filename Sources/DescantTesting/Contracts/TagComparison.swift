internal import DescantCore
internal import Foundation

/// Compares two tag bundles field by field.
struct TagComparison {
    private let fields: [(name: String, seen: String, expected: String)]

    init(_ seen: TagBundle, _ expected: TagBundle) {
        let technical: [(TechnicalProperties) -> String] = [
            { "\($0.sampleRate ?? 0) Hz" }, { "\($0.channels ?? 0) channels" }, { "\($0.codec ?? "")" },
            { "\($0.encoding?.rawValue ?? "")" },
        ]
        fields =
            zip(Self.texts(seen), Self.texts(expected)).map { ($0.0, $0.1, $1.1) }
            + (expected.technical == nil
                ? []
                : technical.map { part in
                    ("technical", seen.technical.map(part) ?? "none", expected.technical.map(part) ?? "none")
                })
    }

    /// The names of the fields that differ.
    var differences: [String] { fields.filter { $0.seen != $0.expected }.map(\.name) }

    func report(_ file: String, into collector: inout FindingCollector) {
        for field in fields { collector.expectEqual(field.seen, field.expected, "\(file): \(field.name)") }
    }

    private static func texts(_ tags: TagBundle) -> [(String, String)] {
        func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "none" }
        func rounded(_ value: Double?) -> String { value.map { "\(($0 * 100).rounded() / 100)" } ?? "none" }
        let pictures = tags.pictures?.map { "\($0.kind) \"\($0.description)\" \($0.data.hashValue)" }
        return [
            ("title", text(tags.title)), ("artists", text(tags.artists)), ("album", text(tags.album)),
            ("album artists", text(tags.albumArtists)), ("composers", text(tags.composers)),
            ("genres", text(tags.genres)), ("year", text(tags.year)), ("track number", text(tags.trackNumber)),
            ("track total", text(tags.trackTotal)), ("disc number", text(tags.discNumber)),
            ("disc total", text(tags.discTotal)), ("bpm", text(tags.bpm)), ("comment", text(tags.comment)),
            ("track gain", rounded(tags.replayGain.trackGain)), ("track peak", rounded(tags.replayGain.trackPeak)),
            ("album gain", rounded(tags.replayGain.albumGain)), ("album peak", rounded(tags.replayGain.albumPeak)),
            ("lyrics", text(tags.lyrics)), ("sort names", text(tags.sortNames)),
            ("MusicBrainz", text(tags.musicBrainz)), ("artwork", text(tags.artworkData?.hashValue)),
            ("pictures", text(pictures)),
        ]
    }
}
