internal import CSherpa
internal import Descant
internal import Foundation

/// A folder with the files of a model.
struct SherpaModel: Sendable {
    enum Kind: Int32, Sendable, CaseIterable {
        case vits = 0
        case kokoro, matcha

        /// What the `model_type` of its models contains.
        var word: String {
            switch self {
            case .vits: "vits"
            case .kokoro: "kokoro"
            case .matcha: "matcha"
            }
        }

        /// Whether it takes several lexicons.
        fileprivate var takesLexicons: Bool { self != .vits }
    }

    /// The name of the folder, which is the name of the voice.
    let name: String
    let kind: Kind
    let model: String
    let tokens: String
    let lexicons: [String]
    let voices: String?
    let vocoder: String?
    /// The maximum number of tokens per call; sherpa-onnx ends the process if there are more. `nil` for no limit.
    let maximumLength: Int?
    /// The language as a BCP 47 tag, from the folder's name, as in vits-piper-en_US-amy, else from the model; `und` if
    /// unknown.
    let language: String
    /// The names of the speakers in the model; may be empty.
    let speakers: [String]
    /// What the model says of itself.
    let announced: SherpaProbe.Finding

    /// Finds the models in a folder, in the order of their names.
    static func all(in folder: URL) -> [(name: String, model: Result<SherpaModel, CoreError>)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { name in
            let place = folder.appending(path: name)
            let files = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
            guard files.contains(where: { $0.hasSuffix(".onnx") || $0 == "tokens.txt" }) else { return nil }
            let model = Result { try SherpaModel(place) }
            return (name, model.mapError { $0 as? CoreError ?? .ioError("sherpa: \(place.path): \($0)") })
        }
    }

    /// Checks the files.
    ///
    /// - Throws: `CoreError.unsupported` when one is missing or the kind is unknown, `CoreError.decodeError` for a damaged one,
    ///   `CoreError.ioError`.
    init(_ folder: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        // File names that differ in bytes can be equal strings.
        let paths = Dictionary(
            files.map { ($0, folder.appending(path: $0).path) }, uniquingKeysWith: { first, _ in first })
        // A file of this name is preferred.
        let networks = try files.filter { $0.hasSuffix(".onnx") }.sorted { a, b in a == "model.onnx" && b != a }
            .compactMap { try paths[$0].map(SherpaNetwork.init) }
        let (network, kind) = try Self.voice(among: networks, in: folder)
        self.kind = kind
        name = folder.lastPathComponent
        model = network.path
        guard let tokens = paths["tokens.txt"] else {
            throw CoreError.unsupported("sherpa: \(folder.path) has no tokens.txt; copy the model's there")
        }
        self.tokens = tokens
        lexicons = try Self.lexicons(of: kind, among: files, in: folder)
        voices = kind == .kokoro ? paths["voices.bin"] : nil
        guard kind != .kokoro || voices != nil else {
            throw CoreError.unsupported(
                "sherpa: \(model) is a Kokoro model, whose speakers are in voices.bin; copy that into \(folder.path)")
        }
        vocoder = kind == .matcha ? try Self.vocoder(for: network, among: networks, in: folder) : nil
        let rows = network.metadata["style_dim"]?.split(separator: ",").first.flatMap { Int($0) }
        // The tokens of punctuation and of both ends of the text are added to those of the words.
        maximumLength = kind == .kokoro ? max(5, rows ?? 5) - 4 : nil
        language = Self.tag(in: name, from: "-") ?? Self.tag(in: network.metadata["voice"] ?? "", from: " ") ?? "und"
        speakers = network.metadata["speaker_names"]?.split(separator: ",").map(String.init) ?? []
        let count = network.metadata["n_speakers"].flatMap { Int($0) } ?? speakers.count
        announced = SherpaProbe.Finding(sampleRate: network.sampleRate ?? 0, speakers: min(max(1, count), 10_000))
    }

    // MARK: Files

    private static func voice(among networks: [SherpaNetwork], in folder: URL) throws -> (SherpaNetwork, Kind) {
        for network in networks {
            if case .voice(let kind) = network.role { return (network, kind) }
        }
        for network in networks {
            if case .other(let type) = network.role {
                throw CoreError.unsupported(
                    "sherpa: \(network.path) is a model of the kind \"\(type)\"; VITS, Kokoro and Matcha can be spoken with"
                )
            }
        }
        let what = networks.isEmpty ? "no model (*.onnx)" : "a vocoder, but no model to go with it"
        throw CoreError.unsupported("sherpa: \(folder.path) has \(what)")
    }

    private static func lexicons(of kind: Kind, among files: [String], in folder: URL) throws -> [String] {
        let names = files.filter { $0.hasPrefix("lexicon") && $0.hasSuffix(".txt") }
        guard let first = names.first else {
            throw CoreError.unsupported(
                "sherpa: \(folder.path) has no lexicon.txt, and sherpa-onnx 2 does not turn letters into sounds by itself; copy "
                    + "the lexicon of the model's language there, for instance lexicon-en-us.txt of sherpa-onnx's tts-models"
            )
        }
        let all = names.contains("lexicon.txt") ? ["lexicon.txt"] : kind.takesLexicons ? names : [first]
        let paths = all.map { folder.appending(path: $0).path }
        guard !kind.takesLexicons || !paths.contains(where: { $0.contains(",") }) else {
            throw CoreError.unsupported("sherpa: sherpa-onnx takes no comma in a path; rename \(folder.path)")
        }
        return paths
    }

    private static func vocoder(
        for network: SherpaNetwork, among networks: [SherpaNetwork], in folder: URL
    ) throws -> String {
        let vocoders = networks.filter { $0.role == .vocoder }
        let rate = network.sampleRate.map { "\($0) Hz" } ?? "its sample rate"
        guard let some = vocoders.first else {
            throw CoreError.unsupported(
                "sherpa: \(network.path) is a Matcha model, which speaks through a vocoder; copy one for \(rate) into "
                    + "\(folder.path), for instance vocos-22khz-univ.onnx of sherpa-onnx's vocoder-models for 22050 Hz")
        }
        let fitting = vocoders.first { $0.sampleRate == nil || $0.sampleRate == network.sampleRate }
        guard let fitting else {
            throw CoreError.unsupported(
                "sherpa: the vocoder \(some.path) is for \(some.sampleRate ?? 0) Hz, the model \(network.path) for \(rate)"
            )
        }
        return fitting.path
    }

    private static func tag(in text: String, from separator: Character) -> String? {
        for part in text.split(separator: separator) {
            let subtags = part.split { $0 == "_" || $0 == "-" }
            let isTag = (1...2).contains(subtags.count) && subtags[0].count == 2 && subtags[0].allSatisfy(\.isLowercase)
            guard isTag else { continue }
            return ([String(subtags[0])] + subtags.dropFirst().map { $0.count == 2 ? $0.uppercased() : String($0) })
                .joined(separator: "-")
        }
        return nil
    }

    // MARK: The library

    /// Calls with the C form of the model.
    func withFiles<Result>(threads: Int32, _ body: (UnsafePointer<descant_sherpa_model>) -> Result) -> Result {
        let copies = [model, tokens, lexicons.joined(separator: ","), voices, vocoder].map { $0.flatMap { strdup($0) } }
        defer { copies.forEach { free($0) } }
        var files = descant_sherpa_model(
            kind: kind.rawValue, model: copies[0], tokens: copies[1], lexicon: copies[2], voices: copies[3],
            vocoder: copies[4], threads: threads)
        return withUnsafePointer(to: &files, body)
    }
}
