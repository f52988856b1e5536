import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Runs the examples.
@Suite struct ExampleTests {
    private let directory: TemporaryDirectory

    /// The bundles of this run: those that `make test` names, else those that were written last.
    private static let bundles: URL = {
        if let folder = ProcessInfo.processInfo.environment["DESCANT_TEST_BUNDLES"] {
            return URL(fileURLWithPath: folder)
        }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(".build/bundles/debug")
    }()

    init() throws { directory = try TemporaryDirectory(label: "descant-examples") }

    @Test func renderMixExampleRendersCrossfade() throws {
        let sources = try [300.0, 500.0].map { (frequency: Double) in
            let url = directory.file("\(Int(frequency)).wav")
            try WAVFile(TestSignal.sine(frequency, seconds: 10).samples(), encoding: .int24).write(to: url)
            return url
        }
        let output = directory.file("out.wav")
        try run("RenderMix", sources + [output])
        // Two tracks of 10 s that overlap for 4 s.
        #expect(try WAVFile(contentsOf: output).content.frameCount == 16 * 48_000)
    }

    @Test func overlayExampleRendersAllSounds() throws {
        let sounds = [(200.0, 20.0, "music"), (350, 3, "rain"), (500, 1, "bell"), (800, 0.5, "chime")]
        let files = try sounds.map { frequency, seconds, name in
            let url = directory.file("\(name).wav")
            try WAVFile(TestSignal.sine(frequency, amplitude: 0.2, seconds: seconds).samples(), encoding: .int24)
                .write(to: url)
            return url
        }
        let output = directory.file("out.wav")
        try run("RenderOverlays", files + [output])
        let samples = try WAVFile(contentsOf: output).content.channel(0)
        #expect(samples.count == 10 * 48_000)
        let level = { (frequency: Double, seconds: Range<Double>) in
            let frames = Int(seconds.lowerBound * 48_000)..<Int(seconds.upperBound * 48_000)
            return ToneFit(frequency: frequency, in: samples, frames: frames, sampleRate: 48_000).amplitude
        }
        // The bell strokes at 0, 3 and 6 s; they duck the music by 9 dB.
        #expect(abs(Decibels.of(level(200, 0.5..<0.9) / level(200, 2.4..<2.9)) + 9) < 0.2)
        #expect(level(500, 3.6..<3.9) < level(500, 3.4..<3.6) && level(500, 3.4..<3.6) > 0.08)
        #expect(level(500, 1.2..<1.9) < 0.001)
        #expect(abs(level(350, 4..<5) - 0.06) < 0.002)
        #expect(abs(level(800, 5.1..<5.4) - 0.1) < 0.002 && level(800, 4..<5) < 0.001)
    }

    @Test func loudnessExampleRaisesBassAndLowersTheRest() throws {
        let sources = try [32.0, 4_000].map { (frequency: Double) in
            let url = directory.file("\(Int(frequency)).wav")
            try WAVFile(TestSignal.sine(frequency, amplitude: 0.2, seconds: 2).samples(), encoding: .int24)
                .write(to: url)
            return url
        }
        let output = directory.file("out.wav")
        try run("RenderLoudness", sources + [output])
        let samples = try WAVFile(contentsOf: output).content.channel(0)
        let gains = [(32.0, 24_000..<86_400), (4_000, 120_000..<182_400)].map { frequency, frames in
            let fit = ToneFit(frequency: frequency, in: samples, frames: frames, sampleRate: 48_000)
            return Decibels.of(fit.amplitude / 0.2)
        }
        // Both have no tags: -6 dB, and the preamp's -4 dB.
        #expect(gains[0] > -10 + 6 && gains[0] < -10 + 10)
        #expect(abs(gains[1] + 10) < 0.2)
    }

    /// 0.2 s of noise in a room that is larger than by default: its reverberation takes 14 s instead of 8.
    @Test func effectExampleRendersTheSoundAndWhatRingsBehindIt() throws {
        let source = directory.file("burst.wav")
        let burst = TestSignal.noise(seed: 3, seconds: 0.2, sampleRate: 48_000, channels: 2).samples()
        try WAVFile(burst, encoding: .int24).write(to: source)
        let output = directory.file("out.wav")
        try run("RenderEffect", [source, output], environment: ["DESCANT_PLUGIN_PATH": Self.bundles.path])
        let samples = try WAVFile(contentsOf: output).content.channel(0)
        #expect((12..<17).contains(Double(samples.count) / 48_000), "\(samples.count) frames")
        let level = { (frames: Range<Int>) in LevelAnalysis.peak(Array(samples[frames])) }
        let (early, late) = (level(10_000..<14_000), level(240_000..<244_000))
        #expect(early > 0.001 && late < early / 4, "\(early), then \(late)")
        #expect(level(samples.count - 2_000..<samples.count) < 1e-5)
    }

    @Test func playerExamplePlaysToTheEnd() throws {
        let server = try PrivatePulseServer()
        let file = directory.file("short.wav")
        try WAVFile(TestSignal.sine(440, seconds: 0.5).samples(), encoding: .int24).write(to: file)
        let output = try run("Player", [file], environment: ["PULSE_SERVER": server.address])
        #expect(output.hasSuffix("finished\n"), "\(output)")
    }

    @Test func playerExampleEndsOnFailure() throws {
        let server = try PrivatePulseServer()
        let file = directory.file("short.wav")
        try WAVFile(TestSignal.sine(440, seconds: 0.2).samples(), encoding: .int24).write(to: file)
        let missing = directory.file("missing.wav")
        let output = try run("Player", [file, missing], environment: ["PULSE_SERVER": server.address])
        let last = output.split(separator: "\n").last
        #expect(last?.hasPrefix("failed") == true && last?.contains("missing.wav") == true, "\(output)")
    }

    /// `AudioPlayerService()` is on the session bus under the name of the program, without a further call.
    @Test(.timeLimit(.minutes(2))) func playerExampleObeysMediaKeys() throws {
        let (server, bus) = (try PrivatePulseServer(), try PrivateBus())
        let file = directory.file("long.wav")
        try WAVFile(TestSignal.sine(440, seconds: 60).samples(), encoding: .int24).write(to: file)
        let variables = ["PULSE_SERVER": server.address, "DBUS_SESSION_BUS_ADDRESS": bus.address]
        let player = try start("Player", [file.path], environment: variables)
        func playerctl(_ argument: String) throws -> String {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["playerctl", "--player", "Player", argument]
            process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
            let output = Pipe()
            (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
            try process.run()
            let data = output.allBytes()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }
        // Each question takes some milliseconds.
        while try playerctl("status") != "Playing\n", player.process.isRunning {}
        _ = try playerctl("pause")
        #expect(try playerctl("status") == "Paused\n")
        // The example ends when its player is stopped.
        _ = try playerctl("stop")
        #expect(player.finish().hasSuffix("finished\n"))
    }

    @Test func speechReaderExamplePrintsHeardWords() throws {
        let server = try PrivatePulseServer()
        let bundles = try TemporaryDirectory()
        try PluginBundleWriter(folder: bundles.url).write(library: Bundle.main.bundleURL.appending(path: "libMorse.so"))
        let text = try directory.write(Data("To be, or not.".utf8), to: "text.txt")
        let variables = ["PULSE_SERVER": server.address, "DESCANT_PLUGIN_PATH": bundles.url.path]
        #expect(try run("SpeechReader", [text.path, "morse"], environment: variables) == "To\nbe\nor\nnot\n")
    }

    @discardableResult
    private func run(_ example: String, _ files: [URL], environment: [String: String] = [:]) throws -> String {
        try run(example, files.map(\.path), environment: environment)
    }

    private func run(_ example: String, _ arguments: [String], environment: [String: String]) throws -> String {
        try start(example, arguments, environment: environment).finish()
    }

    private func start(
        _ example: String, _ arguments: [String], environment: [String: String]
    ) throws -> RunningExample {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent(example)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return RunningExample(process: process, output: output)
    }
}

/// An example that was started.
private struct RunningExample {
    let process: Process
    let output: Pipe

    /// Waits for the end of the example.
    ///
    /// - Returns: What it has printed.
    func finish() -> String {
        let data = output.allBytes()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }
}

extension Pipe {
    /// Reads up to the end of the pipe, also when the end of another child interrupts that.
    fileprivate func allBytes() -> Data {
        var all = Data()
        while case let bytes = fileHandleForReading.nextBytes(), !bytes.isEmpty { all.append(bytes) }
        return all
    }
}
