import AudioMeasurement
import Foundation

/// A folder with sound for one test, removed afterwards.
final class Workshop {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("descant-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Writes a tone as a WAVE file of 16 bits.
    @discardableResult
    func tone(
        _ name: String, frequency: Double = 440, seconds: Double = 2, rate: Int = 44_100, channels: Int = 2,
        level: Double = 0.25
    ) throws -> String {
        let frames = Int((seconds * Double(rate)).rounded())
        var samples = [Float](repeating: 0, count: frames * channels)
        for frame in 0..<frames {
            let value = Float(level * sin(2 * .pi * frequency * Double(frame) / Double(rate)))
            for channel in 0..<channels { samples[frame * channels + channel] = value }
        }
        let url = folder.appendingPathComponent(name)
        try WaveFile.write(samples, sampleRate: rate, channels: channels, format: .integer(bits: 16), to: url)
        return url.path
    }

    /// Writes a tone as FLAC, with the `flac` program.
    @discardableResult
    func flac(
        _ name: String, frequency: Double = 440, seconds: Double = 2, rate: Int = 44_100, channels: Int = 2,
        tags: [String] = []
    ) throws -> String {
        let wave = try tone(
            name + ".wav", frequency: frequency, seconds: seconds, rate: rate, channels: channels)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["flac", "--silent", "--force", "-o", path(name)] + tags.map { "--tag=\($0)" } + [wave]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
        return path(name)
    }

    func samples(_ name: String) throws -> [Float] {
        try WaveFileReader(url: folder.appendingPathComponent(name)).readAll()
    }

    func wave(_ name: String) throws -> WaveFileReader {
        try WaveFileReader(url: folder.appendingPathComponent(name))
    }

    @discardableResult
    func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        return path(name)
    }
}
