import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Every parity vector on every decoder, into a file and to a sound server.
struct ParityTests {
    enum Decoder: String, CaseIterable { case gstreamer, flac, dsd }
    enum Output: String, CaseIterable { case file, pulse }

    static let vectors: [URL] = {
        let folder = SwiftPackage.root.appendingPathComponent("Tests/Vectors")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().map(folder.appendingPathComponent)
    }()

    @Test func vectorsAreFound() { #expect(Self.vectors.count >= 4) }

    @Test(.timeLimit(.minutes(5)), arguments: Decoder.allCases, Output.allCases)
    func everyVectorPasses(_ decoder: Decoder, _ output: Output) async throws {
        let shelf = try BundleShelf()
        if decoder == .flac { try shelf.write(BuiltLibrary.plugin("FLACDecoder")) }
        if decoder == .dsd { try shelf.write(BuiltLibrary.plugin("DSDDecoder")) }
        let registry = shelf.registry()
        let folder = shelf.directory.url
        let server = output == .pulse ? try PrivatePulseServer() : nil
        let address = server?.address
        let runner = ParityRunner(
            keepsTime: output == .pulse,
            locate: { name, fixture in try Self.file(name, fixture, for: decoder, in: folder) },
            makeService: {
                let port: any DecoderPort =
                    decoder == .gstreamer ? GStreamerDecoder() : try registry.makeDecoder(decoder.rawValue)
                let destination: OutputDestination =
                    address.map { .pulse(server: $0) }
                    ?? .wav(folder.appendingPathComponent("\(UUID().uuidString).wav"), .f32)
                return DefaultPlaybackService(
                    decoder: port, audio: GStreamerOutput(destination: destination), clock: MonotonicClock(),
                    logger: NoopLogger())
            })
        for url in Self.vectors {
            let findings = try await runner.findings(of: try ParityVector(contentsOf: url))
            #expect(findings == [], "\(url.lastPathComponent)")
        }
        _ = server
    }

    /// A fixture in a format of the decoder.
    private static func file(
        _ name: String, _ fixture: ParityVector.Fixture, for decoder: Decoder, in folder: URL
    ) throws -> URL {
        let url = folder.appendingPathComponent(
            "\(name).\(decoder == .dsd ? "dsf" : decoder == .flac ? "flac" : "wav")")
        if FileManager.default.fileExists(atPath: url.path) { return url }
        if decoder == .dsd {
            // One bit at 64 times the rate: silence is a pattern of as many ones as zeros.
            let bytes = Int(fixture.duration * Double(fixture.sampleRate) * 64 / 8)
            let silence = [UInt8](repeating: 0x69, count: bytes)
            let rate = fixture.sampleRate * 64
            try DSDSample(rate: rate, channels: Array(repeating: silence, count: fixture.channels)).dsf().write(to: url)
            return url
        }
        let sound = TestSignal.sine(
            440, seconds: fixture.duration, sampleRate: fixture.sampleRate, channels: fixture.channels, depth: .int16
        ).samples()
        return try FixtureEncoder().encode(sound, as: decoder == .flac ? .flac(bits: 16) : .wav(.int16), to: url)
    }
}
