import DescantTesting
import Foundation
import Testing

/// A file of one format, with the result of an independent decoder.
struct CodedFile: Sendable, CustomTestStringConvertible {
    /// The allowed difference of decoded samples from the reference.
    enum Fidelity: Sendable {
        /// The same samples.
        case exact
        /// A difference up to this fraction of full scale, for two decoders of a lossy format.
        case within(Float)
    }

    /// The source of the expected length.
    enum Length: Sendable {
        /// The length that ffmpeg decodes.
        case reference
        /// The length of the encoded sound.
        case source
    }

    var name: String
    var fileExtension: String
    /// The arguments of ffmpeg after its input.
    var arguments: [String]
    var fidelity: Fidelity = .exact
    var sampleRate = 44_100
    var channels = 2
    /// Whether the length in the file is exact to the frame; some containers round it.
    var announces = true
    /// The reference of the decoded length.
    var referenceLength = Length.reference
    /// The decoder of ffmpeg, if its default one differs from other decoders.
    var referenceDecoder: String?
    /// The channel layout, where a number of channels has several.
    var layout: String?

    var testDescription: String { "\(name) \(sampleRate) Hz \(layout ?? "\(channels) ch")" }

    /// Writes the file.
    func encode(seconds: Double, in folder: URL) throws -> URL {
        let input = folder.appendingPathComponent("\(UUID().uuidString).wav")
        try WAVFile(Self.signal(seconds: seconds, sampleRate: sampleRate, channels: channels), encoding: .int24)
            .write(to: input, extensible: channels > 2)
        let output = folder.appendingPathComponent("\(UUID().uuidString).\(fileExtension)")
        try Self.ffmpeg(["-i", input.path] + arguments + [output.path])
        return output
    }

    /// The samples of a file from ffmpeg.
    func reference(of url: URL) throws -> SampleBuffer {
        let output = url.appendingPathExtension("f32")
        let decoder = referenceDecoder.map { ["-c:a", $0] } ?? []
        try Self.ffmpeg(decoder + ["-i", url.path, "-f", "f32le", "-c:a", "pcm_f32le", output.path])
        let data = try Data(contentsOf: output)
        let samples = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        return SampleBuffer(format: .init(sampleRate: sampleRate, channels: channels), samples: samples)
    }

    /// Tones that differ from channel to channel, with a little noise: what every lossy codec keeps, and what shows swapped
    /// channels.
    static func signal(seconds: Double, sampleRate: Int, channels: Int) -> SampleBuffer {
        let frames = Int((seconds * Double(sampleRate)).rounded())
        var samples = TestSignal.noise(
            seed: 3, amplitude: 0.02, seconds: seconds, sampleRate: sampleRate, channels: channels, depth: .float
        ).samples().samples
        for frame in 0..<frames {
            let time = Double(frame) / Double(sampleRate)
            for channel in 0..<channels {
                // The frequency of a sweep shows the position. The fourth of six channels is the LFE channel.
                let top = min(3_000, Double(sampleRate) / 5)
                let frequency = channel == 3 && channels >= 6 ? 40.0 : 200 + 90 * Double(channel) + top / 8 * time
                samples[frame * channels + channel] += Float(0.25 * sin(2 * Double.pi * frequency * time))
            }
        }
        return SampleBuffer(format: .init(sampleRate: sampleRate, channels: channels), samples: samples)
    }

    private static func ffmpeg(_ arguments: [String]) throws {
        try run(["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments)
    }

    /// Runs a tool that is found on the path.
    static func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = FileHandle.nullDevice
        let messages = Pipe()
        process.standardError = messages
        try process.run()
        let text = messages.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw FixtureFailure(message: String(decoding: text, as: UTF8.self))
        }
    }
}

/// A tool of the test failed.
struct FixtureFailure: Error, CustomStringConvertible {
    var message: String
    var description: String { message }
}
