internal import Descant
internal import Foundation

/// How the words of a language sound, in the signs of a model: what sherpa-onnx can speak.
struct SherpaLexicon: Sendable {
    /// How many signs a word has, by the word in small letters.
    private var lengths: [String: Int] = [:]
    /// Words that have, taken together, the signs that the model may be given; some of them, where there are very many.
    private(set) var examples: [String] = []

    /// So many examples are enough for the sounds of a language written in letters, and take a second or two to speak.
    private static let maximumExamples = 24

    /// Reads the lexicons of a model, of which the last one that has a word counts.
    ///
    /// A line is "word sign sign…", or "word || sign sign…". Entries of several words are left out, as a text is judged word by
    /// word, and so are those of signs that the model has not.
    ///
    /// - Throws: `CoreError.ioError` when a file cannot be read, `CoreError.unsupported` when nothing in them can be spoken.
    init(of model: SherpaModel) throws {
        let signs = Set(
            try Self.lines(of: model.tokens).map { line in
                // The sign for a space is a line with a number only.
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

    /// How many signs a word of a text has; `nil` when sherpa-onnx would leave it out.
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
        // sherpa-onnx skips signs that it does not know, but for VITS in the first form, where it skips the word.
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
