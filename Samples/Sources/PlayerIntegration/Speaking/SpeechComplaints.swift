internal import Descant

/// What a voice could not speak, for people: each thing once, with its first place.
struct SpeechComplaints {
    private struct Thing: Hashable {
        let text: String
        let message: String
    }

    /// One line for each thing, in the order in which they came.
    private(set) var lines: [String] = []
    private var known: Set<Thing> = []

    /// Longer texts are cut off, in characters.
    private static let longest = 40

    /// Takes a warning.
    ///
    /// - Parameters:
    ///   - warning: What is wrong, and where.
    ///   - bytes: The whole text.
    mutating func add(_ warning: SpeechWarning, of bytes: [UInt8]) {
        let range = warning.utf8Range.clamped(to: 0..<bytes.count)
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard known.insert(Thing(text: text, message: warning.message)).inserted else { return }
        let excerpt = text.count > Self.longest ? text.prefix(Self.longest) + "…" : text[...]
        lines.append("byte \(range.lowerBound), \"\(excerpt)\": \(warning.message)")
    }
}
