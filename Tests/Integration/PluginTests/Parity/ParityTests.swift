import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Every parity vector with every decoder and format, into a file, to a sound server, on a card and over the network.
struct ParityTests {
    static let vectors: [URL] = {
        let folder = SwiftPackage.root.appendingPathComponent("Tests/Vectors")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().map(folder.appendingPathComponent)
    }()

    @Test func vectorsAreFound() { #expect(Self.vectors.count >= 8) }

    /// One format of each decoder and a lossy one; `make test-long` takes all formats.
    private static let formats: [ParityFormat] =
        ProcessInfo.processInfo.environment["DESCANT_PARITY"] == nil
        ? [.wav, .mp3, .flacBundle, .libavBundle, .dsf] : ParityFormat.allCases

    @Test(.timeLimit(.minutes(5)), arguments: formats)
    func everyVectorPassesIntoAFile(_ format: ParityFormat) async throws {
        let folder = try TemporaryDirectory(label: "descant-parity")
        let stage = try InstalledParityStage(
            format, keepsTime: false, output: .wav(folder.file("output.wav"), .f32))
        try await run(Self.vectors, on: stage, in: folder.url)
    }

    /// The vectors about playback.
    @Test(.timeLimit(.minutes(5)), arguments: [ParityFormat.wav, .mp3, .flacBundle, .dsf])
    func everyVectorPassesOnAServer(_ format: ParityFormat) async throws {
        let server = try PrivatePulseServer()
        let folder = try TemporaryDirectory(label: "descant-parity")
        let stage = try InstalledParityStage(format, keepsTime: true, output: .pulse(server: server.address))
        try await run(Self.vectors, on: stage, in: folder.url)
    }

    /// ALSA converts for the card, which has one format.
    @Test(.timeLimit(.minutes(5))) func everyVectorPassesOnACard() async throws {
        let card = try SimulatedCard(library: TestProgram.named("libSimulatedCard.so"))
        let folder = try TemporaryDirectory(label: "descant-parity")
        let stage = try InstalledParityStage(.wav, keepsTime: true, output: .alsa(device: card.directDevice))
        try await run(Self.vectors, on: stage, in: folder.url)
        withExtendedLifetime(card) {}
    }

    /// An output of a bundle, which the service's clock paces.
    @Test(.timeLimit(.minutes(5))) func everyVectorPassesOverTheNetwork() async throws {
        let receiver = try PCMReceiver()
        let shelf = try BundleShelf()
        let target = try shelf.directory.write(Data("tcp://127.0.0.1:\(receiver.port)\n".utf8), to: "target.txt")
        try shelf.write(BuiltLibrary.plugin("PCMStreamOutput"), files: [target])
        let registry = shelf.registry()
        let folder = try TemporaryDirectory(label: "descant-parity")
        let stage = try InstalledParityStage(.wav, keepsTime: true) { try registry.makeOutput("pcm-stream") }
        try await run(Self.vectors, on: stage, in: folder.url)
        #expect(!receiver.completeStreams.isEmpty)
        withExtendedLifetime(shelf) {}
    }

    private func run(_ vectors: [URL], on stage: some ParityStage, in folder: URL) async throws {
        for url in vectors {
            let findings = try await ParityRunner(stage, in: folder).findings(of: try ParityVector(contentsOf: url))
            #expect(findings == [], "\(url.lastPathComponent)")
        }
    }

    // MARK: Form

    /// A vector of the original form: paths as fixtures, no index for errors, skipped platforms.
    @Test func vectorsOfTheOriginalFormAreRead() async throws {
        let folder = try TemporaryDirectory(label: "descant-parity")
        let stage = try InstalledParityStage(.mp3, keepsTime: false, output: .null)
        let text = """
            {"vector_name": "playback_state_transitions", "version": "1.0", "description": "Tests basic transitions",
             "fixtures": {"audio_file": "tests/fixtures/sine_440hz_1s.mp3"},
             "test_cases": [
              {"name": "load_and_seek", "operations": [
                {"action": "load", "args": {"url": "{audio_file}"}}, {"action": "seek", "args": {"to": 0.75}}],
               "assertions": [
                {"type": "state_equals", "expected": "paused"}, {"type": "duration_equals", "expected": 1.0},
                {"type": "position_near", "target": 0.75, "tolerance_ms": 1.0},
                {"type": "tags_equal", "expected": {}}]},
              {"name": "seek_too_far", "operations": [
                {"action": "load", "args": {"url": "{audio_file}"}}, {"action": "seek", "args": {"to": 10}}],
               "assertions": [{"type": "error_thrown", "category": "invalidArgument", "message_contains": "10"}]},
              {"name": "elsewhere", "skip_platform": "linux", "skip_reason": "a codec of another platform",
               "operations": [{"action": "load", "args": {"url": "{nothing}"}}], "assertions": []}]}
            """
        let vector = try ParityVector(contentsOf: folder.write(Data(text.utf8), to: "vector.json"))
        #expect(try await ParityRunner(stage, in: folder.url).findings(of: vector) == [])
    }

    /// Assertions that do not hold are found, each of them.
    @Test func wrongExpectationsAreFound() async throws {
        let folder = try TemporaryDirectory(label: "descant-parity")
        let stage = try InstalledParityStage(.mp3, keepsTime: false, output: .null)
        let load = #"{"action": "load", "args": {"url": "{long}"}}"#
        let assertions = [
            #"{"type": "state_equals", "expected": "playing"}"#, #"{"type": "duration_equals", "expected": 2.001}"#,
            #"{"type": "position_near", "target": 0.002}"#, #"{"type": "tags_equal", "expected": {"year": 1999}}"#,
            #"{"type": "error_thrown", "category": "notFound"}"#,
        ]
        let text = """
            {"vector_name": "wrong", "version": "1.0",
             "fixtures": {"long": {"duration": 2, "sample_rate": 44100, "channels": 2, "signal": "noise"}},
             "test_cases": [{"name": "all", "operations": [\(load)], "assertions": [\(assertions.joined(separator: ","))]},
              {"name": "samples", "operations": [\(load)], "assertions":
                [{"type": "waveform_match", "from": 0.5, "tolerance_samples": -1}]}]}
            """
        let vector = try ParityVector(contentsOf: folder.write(Data(text.utf8), to: "vector.json"))
        let findings = try await ParityRunner(stage, in: folder.url).findings(of: vector)
        let rules = [
            "the state", "the duration", "the position", "the tags", "the error", "the values from frame 22050",
        ]
        #expect(findings.count == rules.count, "\(findings)")
        for rule in rules { #expect(findings.contains { $0.contains(rule) }, "\(rule) in \(findings)") }
    }
}

/// A decoder, and the format of its fixtures.
enum ParityFormat: String, CaseIterable {
    case wav, flac, alac, mp3, aac, vorbis, opus, flacBundle, libavBundle, dsf

    var fileExtension: String {
        switch self {
        case .alac, .aac: "m4a"
        case .vorbis: "ogg"
        case .flacBundle: "flac"
        case .libavBundle: "mp3"
        case .wav, .flac, .mp3, .opus, .dsf: rawValue
        }
    }

    fileprivate func encode(_ samples: SampleBuffer, to url: URL) throws {
        let format: FixtureFormat
        switch self {
        case .wav: format = .wav(.int16)
        case .flac, .flacBundle: format = .flac(bits: 16)
        case .alac: format = .alac
        case .mp3, .libavBundle: format = .mp3(kilobitsPerSecond: 192)
        case .vorbis: format = .vorbis(quality: 6)
        case .opus: format = .opus(kilobitsPerSecond: 160)
        case .aac:
            // Without noise substitution, for which each decoder makes noise of its own.
            let source = url.appendingPathExtension("wav")
            try WAVFile(samples, encoding: .int16).write(to: source)
            let codec = ["-c:a", "aac", "-b:a", "192k", "-aac_pns", "0"]
            try Tool.run("ffmpeg", ["-v", "error", "-y", "-i", source.path] + codec + [url.path])
            return
        case .dsf:
            // One bit at 64 times the rate: silence is a pattern of as many ones as zeros.
            let bytes = samples.frameCount * 64 / 8
            let silence = [UInt8](repeating: 0x69, count: bytes)
            let (rate, channels) = (samples.format.sampleRate * 64, samples.format.channels)
            try DSDSample(rate: rate, channels: Array(repeating: silence, count: channels)).dsf().write(to: url)
            return
        }
        try FixtureEncoder().encode(samples, as: format, to: url)
    }
}

/// The decoders and outputs of this system. ffmpeg's decoders are the reference.
private struct InstalledParityStage: ParityStage {
    let abilities: Set<ParityVector.Requirement>
    private let format: ParityFormat
    private let output: @Sendable () throws -> any AudioOutputPort
    private let shelf: BundleShelf
    private let registry: PluginRegistry

    init(_ format: ParityFormat, keepsTime: Bool, output: OutputDestination) throws {
        try self.init(format, keepsTime: keepsTime) { GStreamerOutput(destination: output) }
    }

    init(
        _ format: ParityFormat, keepsTime: Bool, output: @escaping @Sendable () throws -> any AudioOutputPort
    ) throws {
        (self.format, self.output) = (format, output)
        var abilities: Set<ParityVector.Requirement> = [.pacedOutput, .tagWriting, .storedLength]
        if !keepsTime { abilities.remove(.pacedOutput) }
        if format == .dsf { abilities.remove(.tagWriting) }
        if format == .vorbis || format == .opus { abilities.remove(.storedLength) }
        self.abilities = abilities
        shelf = try BundleShelf()
        if format == .flacBundle { try shelf.write(BuiltLibrary.plugin("FLACDecoder")) }
        if format == .libavBundle { try shelf.write(BuiltLibrary.plugin("LibavDecoder")) }
        if format == .dsf { try shelf.write(BuiltLibrary.plugin("DSDDecoder")) }
        registry = shelf.registry()
    }

    func makeService() throws -> DefaultPlaybackService {
        DefaultPlaybackService(
            decoder: try makeDecoder(), audio: try output(), clock: MonotonicClock(), logger: NoopLogger())
    }

    func makeDecoder() throws -> any DecoderPort {
        switch format {
        case .flacBundle: try registry.makeDecoder("flac")
        case .libavBundle: try registry.makeDecoder("libav")
        case .dsf: try registry.makeDecoder("dsd")
        default: GStreamerDecoder()
        }
    }

    func makeTagReader() -> any TagReaderPort { AudioEnvironment.shared.makeTagReader() }
    func makeTagWriter() -> any TagWriterPort { AudioEnvironment.shared.makeTagWriter() }

    func file(_ name: String, _ fixture: ParityVector.Fixture, in folder: URL) throws -> URL {
        if case .path(let path) = fixture, fixture.sound == nil {
            return folder.appendingPathComponent(URL(fileURLWithPath: path).lastPathComponent)
        }
        let url = folder.appendingPathComponent("\(name).\(format.fileExtension)")
        if case .unplayable(let kind) = fixture {
            switch kind {
            case .text: try Data("This is no sound.\n".utf8).write(to: url)
            case .empty: try Data().write(to: url)
            case .folder: try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            case .loop:
                try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: url.path)
            }
        }
        guard let sound = fixture.sound else { return url }
        let shape: TestSignal =
            sound.signal == .noise
            ? .noise(seconds: sound.duration, sampleRate: sound.sampleRate, channels: sound.channels)
            : .sine(
                440, seconds: sound.duration, sampleRate: sound.sampleRate, channels: sound.channels, depth: .int16)
        try format.encode(shape.samples(), to: url)
        if let keep = sound.keep {
            let data = try Data(contentsOf: url)
            try data.prefix(Int(Double(data.count) * keep)).write(to: url)
        }
        return url
    }

    func reference(of file: URL, _ sound: ParityVector.Sound) throws -> ParityReference {
        if format == .dsf {
            let rate = sound.sampleRate * 2
            let count = Int((sound.duration * Double(rate)).rounded()) * sound.channels
            // The first frames come from a part of the filter's bits only.
            return ParityReference(samples: Array(repeating: 0, count: count), sampleRate: rate, tolerance: 1)
        }
        // The decoders of libopus agree; ffmpeg has another one.
        let decoder = format == .opus ? ["-c:a", "libopus"] : []
        let data = try Tool.run("ffmpeg", ["-v", "error"] + decoder + ["-i", file.path, "-f", "f32le", "-"])
        let samples = data.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count - 3, by: 4).map { bytes.loadUnaligned(fromByteOffset: $0, as: Float.self) }
        }
        return ParityReference(samples: samples, sampleRate: format == .opus ? 48_000 : sound.sampleRate)
    }
}
