import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

@Suite("File outputs")
struct FileOutputTests {
    let folder: TemporaryDirectory
    let stereo = PCMFormat(sampleRate: 48_000, channels: 2)

    init() throws { folder = try TemporaryDirectory(label: "descant-output") }

    private func noise(_ seed: UInt64, frames: Int, channels: Int = 2, rate: Int = 48_000) -> [Float] {
        TestSignal(
            .noise(seed: seed, amplitude: 0.2), frames: frames, sampleRate: rate, channels: channels, depth: .float
        ).samples().samples
    }

    private func render(
        _ source: ScriptedMixSource, to destination: OutputDestination, format: PCMFormat, steps: [Int64]
    ) async throws -> Int64 {
        let output = try GStreamerMixOutput(format: format, destination: destination)
        output.connect(source: source) { _ in }
        try await output.start()
        var rendered: Int64 = 0
        for step in steps { rendered += try await output.advance(frames: step) }
        try await output.finish()
        #expect(output.heardFrame == rendered)
        await output.shutdown()
        return rendered
    }

    @Test("One layer at unity gain is bit-exact", arguments: [44_100, 48_000, 96_000], [1, 2, 6, 8])
    func singleLayerIsBitExact(rate: Int, channels: Int) async throws {
        let frames = rate + 137
        let samples = noise(1, frames: frames, channels: channels, rate: rate)
        let source = ScriptedMixSource(channels: channels, layers: [.init(1, start: 0, samples: samples)])
        let file = folder.file("single.wav")
        let format = PCMFormat(sampleRate: rate, channels: channels)
        let rendered = try await render(source, to: .wav(file, .f32), format: format, steps: [Int64(frames)])
        #expect(rendered == Int64(frames))
        let wav = try WAVFile(contentsOf: file)
        #expect(wav.encoding == .float32)
        #expect(wav.content.format == format)
        #expect(wav.content.samples == samples)
    }

    @Test("An effect on the mix sounds as it does alone, its tail behind the end of the sound included")
    func effectOnTheMix() async throws {
        let samples = noise(1, frames: 20_000)
        let echo = EchoEffect(delay: 3_001)
        let length = 20_000 + echo.tail
        let source = ScriptedMixSource(layers: [.init(1, start: 0, samples: samples)])
        let file = folder.file("effect.wav")
        let output = try GStreamerMixOutput(format: stereo, destination: .wav(file, .f32))
        output.connect(source: source) { _ in }
        output.setLimiter(enabled: false)
        var prepared = echo
        try prepared.prepare(stereo, maximumFrames: EffectChain.maximumFrames)
        let plan = EffectPlan([.init(id: EffectID(), name: "echo", effect: prepared, values: [:])])
        output.setEffects(plan)
        _ = try await output.advance(frames: Int64(length))
        try await output.finish()
        await output.shutdown()
        let silence = [Float](repeating: 0, count: 2 * length - samples.count)
        let expected = try echo.process(samples + silence, format: stereo)
        let rendered = try WAVFile(contentsOf: file).content.samples
        #expect(rendered.count == expected.count)
        #expect((rendered == expected) == true)
    }

    @Test("Layers start and end at the exact frame, and the sum is exact", arguments: [true, false])
    func layersJoinAtTheirFrames(cutsBlocks: Bool) async throws {
        let source = ScriptedMixSource(
            layers: [
                .init(1, start: 0, samples: noise(1, frames: 30_011)),
                .init(2, start: 4_801, samples: noise(2, frames: 7)),
                .init(3, start: 7_919, samples: noise(3, frames: 50_000), silent: 9_001..<20_003),
                .init(4, start: 60_001, samples: noise(4, frames: 12_345)),
                .init(5, start: 60_003, samples: noise(5, frames: 12_345)),
                .init(6, start: 60_003, samples: noise(6, frames: 1)),
            ], cutsBlocks: cutsBlocks)
        let file = folder.file("joins.wav")
        _ = try await render(source, to: .wav(file, .f32), format: stereo, steps: [90_000])
        let content = try WAVFile(contentsOf: file).content
        let expected = source.expected(frames: 90_000)
        #expect(content.frameCount == 90_000)
        #expect(LevelAnalysis.maximumDifference(content.samples, expected) <= 1e-7)
    }

    @Test("Rendering stops exactly at the requested frame")
    func gatingIsExact() async throws {
        let source = ScriptedMixSource(layers: [.init(1, start: 0, samples: noise(1, frames: 200_000))])
        let output = try GStreamerMixOutput(format: stereo, destination: .discard)
        output.connect(source: source) { _ in }
        try await output.start()
        #expect(source.renderedFrames == 0)
        var total: Int64 = 0
        for step in [1, 479, 4_800, 4_801, 33_333, 2] as [Int64] {
            #expect(try await output.advance(frames: step) == step)
            total += step
            #expect(source.renderedFrames == total)
            #expect(output.heardFrame == total)
        }
        #expect(source.calls.allSatisfy { $0.asked <= 19_200 && $0.given == $0.asked })
        await output.shutdown()
        #expect(source.renderedFrames == total)
    }

    @Test("A source without frames ends the advance, and can continue later")
    func sourceMayStop() async throws {
        let source = ScriptedMixSource(layers: [.init(1, start: 0, samples: noise(1, frames: 5_000))], end: 5_000)
        let output = try GStreamerMixOutput(format: stereo, destination: .discard)
        output.connect(source: source) { _ in }
        #expect(try await output.advance(frames: 9_000) == 5_000)
        #expect(try await output.advance(frames: 9_000) == 0)
        #expect(try await output.advance(frames: 1) == 0)
        await output.shutdown()
    }

    @Test("Integer files hold the rounded samples and correct headers", arguments: SampleEncoding.allCases)
    func waveEncodings(encoding: SampleEncoding) async throws {
        // Samples of 16 bits survive every encoding exactly.
        let samples = TestSignal.noise(seconds: 0.5).samples().samples
        let source = ScriptedMixSource(layers: [.init(1, start: 0, samples: samples)])
        let file = folder.file("coded.wav")
        _ = try await render(source, to: .wav(file, encoding), format: stereo, steps: [7, 10_000, 13_993])
        let wav = try WAVFile(contentsOf: file)
        #expect(wav.encoding == ["f32": .float32, "s16": .int16, "s24": .int24][encoding.rawValue])
        #expect(wav.content.samples == samples)
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        let header = try [UInt8](Data(contentsOf: file).prefix(8))
        #expect(header[4..<8].enumerated().reduce(0) { $0 + Int($1.element) << (8 * $1.offset) } == size - 8)
    }

    @Test("FLAC files pass flac's own test", arguments: [16, 24])
    func flacFiles(bits: Int) async throws {
        let signal = TestSignal.noise(seconds: 1.5, depth: bits == 16 ? .int16 : .int24).samples()
        let source = ScriptedMixSource(layers: [.init(1, start: 0, samples: signal.samples)])
        let file = folder.file("coded.flac")
        _ = try await render(source, to: .flac(file, bits: bits), format: stereo, steps: [72_000])
        try run("flac", ["-t", "-s", file.path])
        try run("flac", ["-d", "-s", "-f", "-o", folder.file("back.wav").path, file.path])
        let back = try WAVFile(contentsOf: folder.file("back.wav"))
        #expect(back.encoding == (bits == 16 ? .int16 : .int24))
        #expect(back.content.samples == signal.samples)
    }

    /// The level of a frequency in dBFS.
    private func level(of frequency: Double, in samples: [Float]) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (frame, sample) in samples.enumerated() where sample != 0 {
            let angle = 2 * Double.pi * frequency * Double(frame) / 48_000
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 20 * log10(max(1e-12, 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)))
    }

    @Test(
        "A tone of -100 dBFS survives 16 bits without distortion, and is gone without dither", arguments: [true, false])
    func dither(isDithered: Bool) async throws {
        let mono = PCMFormat(sampleRate: 48_000, channels: 1)
        let source = ScriptedMixSource(
            channels: 1,
            layers: [.init(1) { frame, _ in Float(1e-5 * sin(2 * Double.pi * Double(frame % 48) / 48)) }])
        let file = folder.file("tone.wav")
        _ = try await render(source, to: .wav(file, .s16, dither: isDithered), format: mono, steps: [480_000])
        let samples = try WAVFile(contentsOf: file).content.samples
        guard isDithered else { return #expect(samples.allSatisfy { $0 == 0 }) }
        #expect(abs(level(of: 1_000, in: samples) + 100) < 0.1)
        // The noise itself has -147 dBFS in a band as narrow as this.
        for harmonic in 2...12 { #expect(level(of: 1_000 * Double(harmonic), in: samples) < -135) }
    }

    @Test("Dithered output is the same in every render", arguments: [16, 24])
    func ditherIsReproducible(bits: Int) async throws {
        var files: [Data] = []
        for steps in [[24_000], [7, 10_000, 13_993]] as [[Int64]] {
            let file = folder.file("again.flac")
            let source = ScriptedMixSource(layers: [.init(1, start: 0, samples: noise(3, frames: 24_000))])
            _ = try await render(source, to: .flac(file, bits: bits), format: stereo, steps: steps)
            files.append(try Data(contentsOf: file))
        }
        #expect(files[0] == files[1])
    }

    @Test("A raw file contains exactly the samples")
    func rawFile() async throws {
        let samples = noise(1, frames: 4_999)
        let source = ScriptedMixSource(layers: [.init(1, start: 0, samples: samples)])
        let file = folder.file("bare.pcm")
        _ = try await render(source, to: .raw(file, .f32), format: stereo, steps: [4_999])
        let bytes = try Data(contentsOf: file)
        #expect(bytes == samples.withUnsafeBytes { Data($0) })
    }

    @Test("A render without a frame leaves a file with a header and no samples")
    func emptyFile() async throws {
        let file = folder.file("empty.wav")
        _ = try await render(ScriptedMixSource(layers: []), to: .wav(file, .f32), format: stereo, steps: [])
        #expect(try WAVFile(contentsOf: file).content.frameCount == 0)
    }

    @Test("A mix without layers is silence of the right length")
    func silentMix() async throws {
        let file = folder.file("silent.wav")
        _ = try await render(ScriptedMixSource(layers: []), to: .wav(file, .f32), format: stereo, steps: [12_345])
        let content = try WAVFile(contentsOf: file).content
        #expect(content.frameCount == 12_345)
        #expect(content.samples.allSatisfy { $0 == 0 })
    }

    @Test("A file that cannot be made is an error of the output's creation, which names the file")
    func impossibleFile() throws {
        for (file, reason) in [
            (folder.file("nowhere/out.wav"), "No such file or directory"), (folder.url, "Is a directory"),
        ] {
            for destination in [OutputDestination.wav(file, .f32), .raw(file, .s16), .flac(file, bits: 16)] {
                let error = #expect(throws: CoreError.self) {
                    _ = try GStreamerMixOutput(format: stereo, destination: destination)
                }
                #expect(error?.code == "ioError")
                #expect(error?.message.contains("\(file.path): \(reason)") == true)
            }
        }
    }

    @Test("The error for a full disk names the file", arguments: [1, 2_000_000] as [Int64])
    func fullDisk(frames: Int64) async throws {
        let full = URL(fileURLWithPath: "/dev/full")
        for destination in [OutputDestination.wav(full, .f32), .raw(full, .s16), .flac(full, bits: 16)] {
            let source = ScriptedMixSource(layers: [.init(1) { frame, _ in Float(frame % 100) / 200 }])
            let output = try GStreamerMixOutput(format: stereo, destination: destination)
            output.connect(source: source) { _ in }
            let error = await #expect(throws: CoreError.self) {
                _ = try await output.advance(frames: frames)
                try await output.finish()
            }
            #expect(error?.code == "ioError")
            #expect(error?.message.contains("/dev/full") == true, "\(error?.message ?? "")")
            await output.shutdown()
        }
    }

    @Test("The length of a WAVE file is limited by its header")
    func maximumLength() {
        let file = folder.file("long.wav")
        for (encoding, bytes) in [(SampleEncoding.s16, 2), (.s24, 3), (.f32, 4)] as [(SampleEncoding, Int64)] {
            let frames = OutputDestination.wav(file, encoding).maximumLength(channels: 2) ?? 0
            #expect(frames * 2 * bytes < Int64(UInt32.max) - 512)
            #expect(frames * 2 * bytes > Int64(UInt32.max) - 2_048)
        }
        #expect(OutputDestination.raw(file, .f32).maximumLength(channels: 2) == nil)
    }

    @Test("A render with a limit of an hour ends with its source")
    func generousLimit() async throws {
        let source = ScriptedMixSource(layers: [.init(1, start: 0, samples: noise(1, frames: 5_000))], end: 5_000)
        let file = folder.file("short.wav")
        let output = try GStreamerMixOutput(format: stereo, destination: .wav(file, .f32))
        output.connect(source: source) { _ in }
        #expect(try await output.advance(frames: 1 << 40) == 5_000)
        try await output.finish()
        #expect(try WAVFile(contentsOf: file).content.frameCount == 5_000)
    }

    @Test("An invalid format is refused")
    func impossibleFormat() {
        for format in [PCMFormat(sampleRate: 0, channels: 2), PCMFormat(sampleRate: 48_000, channels: 9)] {
            #expect(throws: CoreError.self) { try GStreamerMixOutput(format: format, destination: .discard) }
        }
    }

    /// The header of a file whose writer was killed announces the written samples, not three hours.
    @Test("An unfinished file has no announced length", arguments: [1, 2, 6])
    func unfinishedFile(channels: Int) async throws {
        let frames = 200_000
        let samples = noise(1, frames: frames, channels: channels)
        let source = ScriptedMixSource(channels: channels, layers: [.init(1, start: 0, samples: samples)])
        let file = folder.file("unfinished-\(channels).wav")
        let format = PCMFormat(sampleRate: 48_000, channels: channels)
        let output = try GStreamerMixOutput(format: format, destination: .wav(file, .s16))
        output.connect(source: source) { _ in }
        try await output.start()
        _ = try await output.advance(frames: Int64(frames))
        let header = Data(try Data(contentsOf: file).prefix(100))
        let data = try #require(header.range(of: Data("data".utf8))).upperBound
        #expect(header[4..<8] == Data(repeating: 0xff, count: 4))
        #expect(header[data..<data + 4] == Data(repeating: 0xff, count: 4))
        let copy = folder.file("killed-\(channels).wav")
        try FileManager.default.copyItem(at: file, to: copy)
        try run("ffmpeg", ["-v", "error", "-y", "-i", copy.path, "-f", "s16le", copy.path + ".raw"])
        let read = try Data(contentsOf: URL(fileURLWithPath: copy.path + ".raw")).count
        #expect((1...frames * channels * 2).contains(read))
        try await output.finish()
        await output.shutdown()
        #expect(try WAVFile(contentsOf: file).content.frameCount == frames)
    }

    private func run(_ tool: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(tool) \(arguments)")
    }
}
