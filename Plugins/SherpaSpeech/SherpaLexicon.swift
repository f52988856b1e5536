internal import Descant
internal import Foundation

/// The pronunciation of the words of a language in the tokens of a model.
struct SherpaLexicon: Sendable {
    /// The number of tokens of each word, by the word in lower case.
    private var lengths: [String: Int] = [:]
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
        if examples.isEmpty { examples = lengths.keys.prefix(1).map(\.self) }
        guard !lengths.isEmpty else {
            let names = model.lexicons.joined(separator: ", ")
            throw CoreError.unsupported(
                "sherpa: no word in \(names) has signs that are in \(model.tokens); take the lexicon that was made for this model"
            )
        }
    }

    /// The number of tokens of a word; `nil` when sherpa-onnx would skip the word.
    func length(of word: String) -> Int? {
        let small = word.lowercased()
        if let length = lengths[small] { return length }
        let parts = small.split { !$0.isLetter && !$0.isNumber && $0 != "'" }
        guard parts.count > 1 else { return nil }
        var sum = parts.count - 1
        for part in parts {
            guard let length = lengths[String(part)] else { return nil }
            sum += length
        }
        return sum
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
        let small = String(decoding: word, as: UTF8.self).lowercased()
        lengths[small] = sounds.count
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
