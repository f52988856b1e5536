internal import Descant

/// The result of speech, for programs.
public struct SpeechReport: Sendable, Hashable, Codable {
    /// The synthesizer.
    public var engine: String
    /// Frames per second of the marks.
    public var sampleRate: Int
    /// The number of frames that were heard.
    public var frames: Int64
    /// Words and sentences, in the order in which they were heard.
    public var marks: [SpokenMark]
    /// The problems, each once, with its first place in UTF-8 bytes.
    public var warnings: [String]

    /// Whether nothing was heard.
    public var isSilent: Bool { marks.isEmpty && frames == 0 }
}

/// A word or sentence as it was heard, for a report.
public struct SpokenMark: Sendable, Hashable, Codable {
    /// `word` or `sentence`.
    public var kind: String
    /// The text that was spoken.
    public var text: String
    /// The place in the whole text, in UTF-8 bytes.
    public var start: Int
    /// The end of the place, in UTF-8 bytes.
    public var end: Int
    /// The frame on the output's timeline.
    public var frame: Int64
    /// Whether the frame was computed rather than measured.
    public var isEstimated: Bool
}

/// The problems of a voice with a text, each once, with its first place.
struct SpeechComplaints {
    private struct Thing: Hashable {
        let text: String
        let message: String
    }

    /// One line for each problem, in the order of arrival.
    private(set) var lines: [String] = []
    private var known: Set<Thing> = []

    /// The length to which texts are truncated, in characters.
    private static let longest = 40

    /// Adds a warning.
    ///
    /// - Parameters:
    ///   - warning: The problem and its place.
    ///   - bytes: The whole text.
    mutating func add(_ warning: SpeechWarning, of bytes: [UInt8]) {
        let range = warning.utf8Range.clamped(to: 0..<bytes.count)
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard known.insert(Thing(text: text, message: warning.message)).inserted else { return }
        let excerpt = text.count > Self.longest ? text.prefix(Self.longest) + "…" : text[...]
        lines.append("byte \(range.lowerBound), \"\(excerpt)\": \(warning.message)")
    }
}
