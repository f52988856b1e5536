public import Descant
internal import DescantTesting
public import Foundation
internal import Synchronization

/// Judges a bundle as a host and the contract suites do.
public struct PluginCheck: Sendable {
    /// What an author knows of the files that the suites need.
    public struct Known: Sendable {
        /// Files that decoders, tag readers and tag writers support, or URLs of an engine's content: the first one 5 s or longer, the
        /// second one 0.5…2 s.
        public var fixtures: [URL] = []
        /// The sound of the first fixture that a decoder supports, as a WAVE file.
        public var sound: URL?
        /// The maximum difference of a decoded sample from the sound, linear; `nil` for a lossy format.
        public var tolerance: Double? = 0
        /// Whether a fixture that was cut off must end in an error.
        public var detectsTruncation = true
        /// At least five words that a synthesizer's default voice speaks.
        public var words: [String] = []
        /// The time limit of one suite, in seconds.
        public var limit = 120.0

        /// Knows nothing.
        public init() {}
    }

    /// The result for one provision.
    public struct Outcome: Sendable, Codable {
        /// `decoder`, `engine` and so on.
        public var kind: String
        /// The provision's identifier.
        public var identifier: String
        /// How much the kind's protocol may still change.
        public var stage: PluginStage
        /// The suite in `DescantTesting` that checks the kind.
        public var suite: String
        /// The broken rules: what must hold, and what was seen instead.
        public var findings: [String]
        /// What was not checked, and what it needs.
        public var missing: [String]
    }

    /// The result for a bundle.
    public struct Report: Sendable, Codable {
        /// The bundle's folder.
        public var bundle: String
        /// Its identifier; `nil` when the manifest cannot be read.
        public var identifier: String?
        /// Why a host refuses the bundle, with the remedy; `nil` for an accepted one.
        public var refusal: String?
        /// The result for each provision; empty for a refused bundle.
        public var provisions: [Outcome] = []

        /// Whether a host takes the bundle and no rule is broken.
        public var isSound: Bool { refusal == nil && provisions.allSatisfy(\.findings.isEmpty) }
    }

    private let bundle: URL
    private let known: Known
    /// Holds a link to the bundle alone: its neighbours are not checked.
    private let folder: TemporaryDirectory
    private let registry: PluginRegistry

    /// Prepares a check.
    ///
    /// - Parameters:
    ///   - bundle: The bundle's folder.
    ///   - known: What is known of files that suites need.
    ///   - trust: Who must have signed the bundle.
    /// - Throws: ``InputError`` when there is no such folder.
    public init(_ bundle: URL, known: Known = Known(), trust: PluginTrust = .everybody) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: bundle.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw InputError(description: "\(bundle.path): no such bundle; 'descant plugin build' writes one")
        }
        for file in known.fixtures + [known.sound].compactMap(\.self)
        where file.isFileURL && !FileManager.default.fileExists(atPath: file.path) {
            throw InputError(description: "\(file.path): no such file")
        }
        self.bundle = bundle.resolvingSymlinksInPath()
        self.known = known
        folder = try TemporaryDirectory(label: "descant-check")
        try FileManager.default.createSymbolicLink(
            at: folder.file("Checked.descantplugin"), withDestinationURL: self.bundle)
        registry = PluginRegistry(trust: trust, searchPath: [folder.url])
    }

    /// Why a host refuses the bundle, before any of its code runs; `nil` for an accepted one.
    func refusal() -> PluginError? {
        registry.scan()
        registry.verify()
        return registry.unavailable.first?.error
    }

    /// Runs every check that is possible. The plugin's code runs in this process.
    ///
    /// - Parameter progress: Receives each provision's result as soon as it is known.
    public func report(progress: (Outcome) -> Void = { _ in }) async -> Report {
        _ = refusal()
        var report = Report(bundle: bundle.path, identifier: registry.available.first?.manifest.id)
        if let refused = registry.unavailable.first {
            report.identifier = refused.identifier
            report.refusal = "\(refused.error)"
            return report
        }
        for plugin in registry.available {
            for provision in plugin.manifest.provides {
                let outcome = await check(provision)
                progress(outcome)
                report.provisions.append(outcome)
                // Loading is the first thing that a suite does.
                if let refused = registry.unavailable.first { report.refusal = "\(refused.error)" }
            }
        }
        return report
    }

    // MARK: Kinds

    private func check(_ provision: PluginProvision) async -> Outcome {
        switch provision.kind {
        case .decoder: await checkDecoder(provision)
        case .tagReader: await checkTagReader(provision)
        case .tagWriter: await checkTagWriter(provision)
        case .output: await checkOutput(provision)
        case .effect: await checkEffect(provision)
        case .speech: await checkSpeech(provision)
        case .engine: await checkEngine(provision)
        }
    }

    private func checkDecoder(_ provision: PluginProvision) async -> Outcome {
        let (registry, known, files) = (registry, known, fixtures(for: provision))
        var missing = needs(files, "a file that it decodes", provision)
        if !files.isEmpty, known.sound == nil {
            missing.append(
                "the sound was compared with the decoder's own; give what it should be with --sound FILE.wav")
        }
        return await outcome(provision, "DecoderContract", missing) {
            let make: @Sendable () throws -> any DecoderPort = { try registry.makeDecoder(provision.identifier) }
            let fixtures = try files.enumerated().map { index, file in
                guard index == 0, let sound = known.sound else {
                    return DecoderFixture(url: file, content: try Self.decoded(file, try make()))
                }
                return DecoderFixture(
                    url: file, content: try WAVFile(contentsOf: sound).content, tolerance: known.tolerance)
            }
            return try DecoderContract(
                fixtures: fixtures, detectsTruncation: known.detectsTruncation, makeDecoder: make
            )
            .findings()
        }
    }

    private func checkTagReader(_ provision: PluginProvision) async -> Outcome {
        let (registry, files) = (registry, fixtures(for: provision))
        return await outcome(provision, "TagReaderContract", needs(files, "a file with tags", provision)) {
            let make: @Sendable () throws -> any TagReaderPort = { try registry.makeTagReader(provision.identifier) }
            let fixtures = try files.map { TagFixture(url: $0, tags: try make().read(url: $0)) }
            return try TagReaderContract(fixtures: fixtures, makeReader: make).findings()
        }
    }

    private func checkTagWriter(_ provision: PluginProvision) async -> Outcome {
        let (registry, files) = (registry, fixtures(for: provision))
        let reader = registry.providers(of: .tagReader).first?.provision.identifier
        return await outcome(provision, "TagWriterContract", needs(files, "a file that it writes", provision)) {
            try TagWriterContract(
                files: files,
                makeReader: {
                    guard let reader else { return AudioEnvironment.shared.makeTagReader() }
                    return try registry.makeTagReader(reader)
                }, makeWriter: { try registry.makeTagWriter(provision.identifier) }
            ).findings()
        }
    }

    private func checkOutput(_ provision: PluginProvision) async -> Outcome {
        let registry = registry
        let missing = [
            "the sound that it played; AudioOutputContract with a function that records it compares every sample"
        ]
        return await outcome(provision, "AudioOutputContract", missing) {
            try AudioOutputContract(formats: [PCMFormat(sampleRate: 48_000, channels: 2)]) {
                .init(output: try registry.makeOutput(provision.identifier))
            }.findings()
        }
    }

    private func checkEffect(_ provision: PluginProvision) async -> Outcome {
        let registry = registry
        return await outcome(provision, "AudioEffectContract", []) {
            AudioEffectContract { try registry.makeEffect(provision.identifier) }.findings()
        }
    }

    private func checkSpeech(_ provision: PluginProvision) async -> Outcome {
        let registry = registry
        let language = provision.languages.first ?? "en"
        guard known.words.count >= 5 || language.hasPrefix("en") else {
            let missing = "five words that its default voice speaks; give them with --words \"…\""
            return Outcome(provision, "SpeechSynthesizerContract", missing: [missing])
        }
        var contract = SpeechSynthesizerContract(language: language, hostileLength: 1_000, limit: known.limit) {
            try registry.makeSpeechSynthesizer(provision.identifier)
        }
        if known.words.count >= 5 { contract.words = known.words }
        return Outcome(provision, "SpeechSynthesizerContract", findings: await contract.findings())
    }

    private func checkEngine(_ provision: PluginProvision) async -> Outcome {
        let registry = registry
        let contents = known.fixtures.map { MediaContent.url($0) }
        var rules = MediaEngineContract.Rule.allCases
        var missing: [String] = []
        if contents.isEmpty {
            rules = [.description, .nothingLoaded]
            missing.append("content of 5 s or more that it plays, with --fixture URL")
        } else if contents.count == 1 {
            rules = [.description, .nothingLoaded, .loading, .playing, .pausing]
            missing.append("content of 0.5 to 2 s, with a second --fixture URL")
        }
        let none = MediaContent.url(URL(fileURLWithPath: "/nonexistent"))
        let contract = MediaEngineContract(
            content: contents.first ?? none, short: contents.dropFirst().first ?? none, limit: known.limit
        ) {
            let host = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
            let engine = try registry.makeEngine(provision.identifier, mixer: try host.makeEngine(output: .null))
            try await (engine as? any DeviceEngine)?.setOutput(.null)
            return engine
        }
        var findings: [ContractFinding] = []
        for rule in rules { findings += await contract.check(rule) }
        return Outcome(provision, "MediaEngineContract", findings: findings, missing: missing)
    }

    // MARK: Files

    private func fixtures(for provision: PluginProvision) -> [URL] {
        known.fixtures.filter { file in
            guard file.isFileURL, let input = try? ProbeInput(file: file) else { return false }
            return provision.fileTypes.contains { $0.score(input) > .none }
        }
    }

    private func needs(_ files: [URL], _ what: String, _ provision: PluginProvision) -> [String] {
        guard files.isEmpty else { return [] }
        let endings = provision.fileTypes.flatMap(\.extensions).map { ".\($0)" }
        return ["\(what)\(endings.isEmpty ? "" : " (\(endings.joined(separator: ", ")))"), with --fixture FILE"]
    }

    /// The whole sound of a file.
    private static func decoded(_ file: URL, _ decoder: any DecoderPort) throws -> SampleBuffer {
        let handle = try decoder.open(url: file)
        defer { decoder.close(handle) }
        let info = try decoder.info(handle)
        try info.validate()
        var content = SampleBuffer(format: PCMFormat(sampleRate: Int(info.sampleRate), channels: info.channels))
        var block = [Float](repeating: 0, count: 4_096 * info.channels)
        while content.duration <= max(60, 2 * info.duration) {
            let frames = try block.withUnsafeMutableBufferPointer { block in
                guard let start = block.baseAddress else { return 0 }
                return try decoder.read(handle, into: start, maxFrames: 4_096)
            }
            guard frames > 0 else { break }
            content.samples += block.prefix(min(frames, 4_096) * info.channels)
        }
        return content
    }

    // MARK: Time limits

    /// Runs a suite on a thread of its own; one that exceeds the limit is abandoned.
    private func outcome(
        _ provision: PluginProvision, _ suite: String, _ missing: [String],
        _ work: @escaping @Sendable () throws -> [ContractFinding]
    ) async -> Outcome {
        let limit = known.limit
        let findings = await withCheckedContinuation { (continuation: CheckedContinuation<[ContractFinding], Never>) in
            let end = FirstAnswer(continuation)
            Thread.detachNewThread {
                do {
                    end.resume(try work())
                } catch {
                    end.resume([ContractFinding(rule: "the \(provision.kind.rawValue) can be used", seen: "\(error)")])
                }
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + limit) {
                end.resume([ContractFinding(rule: "every call returns", seen: "one has not returned within \(limit) s")]
                )
            }
        }
        return Outcome(provision, suite, findings: findings, missing: missing)
    }
}

/// Resumes a continuation with the first of several answers.
private final class FirstAnswer: Sendable {
    private let waiting: Mutex<CheckedContinuation<[ContractFinding], Never>?>

    init(_ continuation: CheckedContinuation<[ContractFinding], Never>) { waiting = Mutex(continuation) }

    func resume(_ findings: [ContractFinding]) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: findings)
    }
}

extension PluginCheck.Outcome {
    /// Creates a result; the lack of a fixture is something missing and no finding.
    fileprivate init(
        _ provision: PluginProvision, _ suite: String, findings: [ContractFinding] = [], missing: [String] = []
    ) {
        self.init(
            kind: provision.kind.rawValue, identifier: provision.identifier, stage: provision.kind.stage, suite: suite,
            findings: findings.filter { $0 != .noFixture }.map(\.description), missing: missing)
    }
}
