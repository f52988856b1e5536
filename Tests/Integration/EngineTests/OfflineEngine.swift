import Descant
import DescantTesting
import Foundation

/// A GStreamer engine that renders into a file, with the files that it plays.
struct OfflineEngine: Sendable {
    static let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))

    let engine: any MixingEngine
    let directory: TemporaryDirectory
    let output: URL

    init(format: PCMFormat = PCMFormat(sampleRate: 48_000, channels: 2)) throws {
        directory = try TemporaryDirectory(label: "descant-engine")
        output = directory.file("output.wav")
        engine = try Self.environment.makeEngine(output: .wav(output, .f32), format: format)
    }

    /// Completes the file and reads it.
    func rendered() async throws -> SampleBuffer {
        try await engine.finishOutput()
        return try WAVFile(contentsOf: output).content
    }
}
