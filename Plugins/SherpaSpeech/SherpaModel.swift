internal import CSherpa
internal import Descant
internal import Foundation

/// A folder with the files of a model.
struct SherpaModel: Sendable {
    enum Kind: Int32, Sendable {
        case vits = 0
        case kokoro, matcha
    }

    /// The folder's name, which is the voice's.
    let name: String
    let kind: Kind
    let model: String
    let tokens: String
    let lexicon: String
    let voices: String?
    let vocoder: String?

    /// Finds the models in a folder, in the order of their names.
    static func all(in folder: URL) -> [Result<SherpaModel, CoreError>] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { name in
            let place = folder.appending(path: name)
            guard FileManager.default.fileExists(atPath: place.appending(path: "tokens.txt").path) else { return nil }
            return Result { try SherpaModel(place) }.mapError { $0 as? CoreError ?? .ioError("\(place.path): \($0)") }
        }
    }

    /// Looks at the files: `voices.bin` makes it Kokoro, a vocoder Matcha, anything else VITS.
    ///
    /// - Throws: `CoreError.unsupported` when a file is missing.
    init(_ folder: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        func path(_ matches: (String) -> Bool) -> String? {
            files.first(where: matches).map { folder.appending(path: $0).path }
        }
        let isVocoder = { (name: String) in
            name.hasSuffix(".onnx") && (name.hasPrefix("voc") || name.hasPrefix("hifigan"))
        }
        name = folder.lastPathComponent
        voices = path { $0 == "voices.bin" }
        vocoder = path(isVocoder)
        kind = voices != nil ? .kokoro : vocoder != nil ? .matcha : .vits
        guard let model = path({ $0 == "model.onnx" }) ?? path({ $0.hasSuffix(".onnx") && !isVocoder($0) }) else {
            throw CoreError.unsupported("sherpa: \(folder.path) has no model (*.onnx)")
        }
        guard let lexicon = path({ $0.hasPrefix("lexicon") && $0.hasSuffix(".txt") }) else {
            throw CoreError.unsupported(
                "sherpa: \(folder.path) has no lexicon.txt; sherpa-onnx 2 no longer turns letters into sounds by itself"
            )
        }
        self.model = model
        self.lexicon = lexicon
        tokens = folder.appending(path: "tokens.txt").path
    }

    /// What the folder's name tells, as in vits-piper-en_US-amy; `und` when it tells nothing.
    var language: String {
        for part in name.split(separator: "-") {
            let subtags = part.split(separator: "_")
            let isTag = (1...2).contains(subtags.count) && subtags[0].count == 2 && subtags[0].allSatisfy(\.isLowercase)
            if isTag { return subtags.joined(separator: "-") }
        }
        return "und"
    }

    /// Calls with the C form of the model.
    func withFiles<Result>(threads: Int32, _ body: (UnsafePointer<descant_sherpa_model>) -> Result) -> Result {
        let copies = [model, tokens, lexicon, voices, vocoder].map { $0.flatMap { strdup($0) } }
        defer { copies.forEach { free($0) } }
        var files = descant_sherpa_model(
            kind: kind.rawValue, model: copies[0], tokens: copies[1], lexicon: copies[2], voices: copies[3],
            vocoder: copies[4], threads: threads)
        return withUnsafePointer(to: &files, body)
    }

    /// The words that the lexicon has.
    ///
    /// - Throws: `CoreError.ioError`.
    func words() throws -> Set<String> {
        guard let data = FileManager.default.contents(atPath: lexicon) else {
            throw CoreError.ioError("sherpa: \(lexicon) cannot be read")
        }
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        return Set(lines.compactMap { $0.split(whereSeparator: \.isWhitespace).first?.lowercased() })
    }
}
