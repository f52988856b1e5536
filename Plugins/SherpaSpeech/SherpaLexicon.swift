internal import Descant
internal import Foundation

/// The pronunciation of the words of a language in the tokens of a model.
struct SherpaLexicon: Sendable {
    /// What the lexicon has of a word.
    struct Entry: Sendable {
        /// The word as the lexicon writes it. sherpa-onnx compares bytes and knows few capital letters, so it may not
        /// find another spelling.
        var spelling: String
        /// The number of tokens.
        var length: Int
    }

    /// The entries, by the word in lower case.
    private var entries: [String: Entry] = [:]
    /// Example words that together contain the tokens of the model; only some of the tokens when there are very many.
    private(set) var examples: [String] = []

    /// The maximum number of examples. They cover the sounds of a language with an alphabet, and take one or two seconds
    /// to speak.
    private static let maximumExamples = 24

    /// Reads the lexicons of a model, of which the last one that has a word counts.
    ///
    /// A line is "word token token…", or "word || token token…". Entries of several words are skipped, because a text is
    /// looked up word by word, and so are entries with tokens that the model does not have.
    ///
    /// - Throws: `CoreError.ioError` when a file cannot be read, `CoreError.unsupported` when nothing in them can be spoken.
    init(of model: SherpaModel) throws {
        let signs = Set(
            try Self.lines(of: model.tokens).map { line in
                // The token for a space is a line with only a number.
                let fields = line.split(whereSeparator: Self.isSpace)
                return fields.count > 1 ? String(decoding: fields[0], as: UTF8.self) : " "
            })
        var tried: Set<String> = []
        for file in model.lexicons {
            for line in try Self.lines(of: file) { add(line, signs: signs, kind: model.kind, tried: &tried) }
        }
        if examples.isEmpty { examples = entries.keys.prefix(1).map(\.self) }
        guard !entries.isEmpty else {
            let names = model.lexicons.joined(separator: ", ")
            throw CoreError.unsupported(
                "sherpa: no word in \(names) has signs that are in \(model.tokens); take the lexicon that was made for this model"
            )
        }
    }

    /// The entry of a word, in any case and with either apostrophe; `nil` when sherpa-onnx would skip the word.
    func entry(of word: String) -> Entry? {
        let small = word.lowercased()
        guard small.contains("\u{2019}") else { return entry(ofLowercase: small) }
        // Lexicons write the apostrophe of ASCII; sherpa-onnx divides words at the other one.
        return entry(ofLowercase: String(small.map { $0 == "\u{2019}" ? "'" : $0 })) ?? entry(ofLowercase: small)
    }

    private func entry(ofLowercase word: String) -> Entry? {
        if let entry = entries[word] { return entry }
        let parts = word.split { !$0.isLetter && !$0.isNumber && $0 != "'" }
        guard parts.count > 1 else { return nil }
        var whole = Entry(spelling: "", length: parts.count - 1)
        var end = word.startIndex
        for part in parts {
            guard let entry = entries[String(part)] else { return nil }
            whole.spelling += word[end..<part.startIndex]
            whole.spelling += entry.spelling
            whole.length += entry.length
            end = part.endIndex
        }
        whole.spelling += word[end...]
        return whole
    }

    private mutating func add(
        _ line: ArraySlice<UInt8>, signs: Set<String>, kind: SherpaModel.Kind, tried: inout Set<String>
    ) {
        var fields = line.split(whereSeparator: Self.isSpace)
        let bars = fields.firstIndex { $0.starts(with: "||".utf8) }
        if let bars {
            guard bars == 1 else { return }
            if fields[bars].count == 2 { fields.remove(at: bars) } else { fields[bars] = fields[bars].dropFirst(2) }
        }
        guard let word = fields.first, fields.count > 1 else { return }
        var sounds = fields.dropFirst().map { String(decoding: $0, as: UTF8.self) }
        if kind == .vits, bars != nil { sounds = sounds.flatMap { $0.unicodeScalars.map { String($0) } } }
        // sherpa-onnx skips unknown tokens; for VITS of the first form it skips the whole word.
        let needsAll = kind == .vits && bars == nil
        guard needsAll ? sounds.allSatisfy(signs.contains) : sounds.contains(where: signs.contains) else { return }
        let spelling = String(decoding: word, as: UTF8.self)
        let small = spelling.lowercased()
        entries[small] = Entry(spelling: spelling, length: sounds.count)
        guard examples.count < Self.maximumExamples, small.allSatisfy(\.isLetter), !tried.isSuperset(of: sounds) else {
            return
        }
        tried.formUnion(sounds)
        examples.append(small)
    }

    private static func lines(of path: String) throws -> [ArraySlice<UInt8>] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CoreError.ioError("sherpa: \(path) cannot be read")
        }
        return [UInt8](data).split { $0 == 0x0A || $0 == 0x0D }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
