import Descant
import DescantTesting
import Foundation
import Testing

/// The DSD bundle, loaded as a host loads it.
@Suite struct DSDDecoderTests {
    private let shelf: BundleShelf
    private let registry: PluginRegistry

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.plugin("DSDDecoder"))
        registry = shelf.registry()
    }

    /// A file of DSD64, and the decoder for an output rate that is a multiple of 44.1 kHz.
    struct Conversion: CustomTestStringConvertible {
        var dsd: Int
        var identifier: String
        var outputRate: Int

        var testDescription: String { "DSD\(dsd) by \(identifier)" }
        var rate: Int { dsd * 44_100 }
        var ratio: Int { rate / outputRate }
    }

    static let conversions =
        [64, 128, 256].flatMap { dsd in
            [("dsd-88.2", 88_200), ("dsd-176.4", 176_400), ("dsd-352.8", 352_800)].map {
                Conversion(dsd: dsd, identifier: $0.0, outputRate: $0.1)
            }
        }
        + [(64, 88_200), (128, 176_400), (256, 352_800)].map {
            Conversion(dsd: $0.0, identifier: "dsd", outputRate: $0.1)
        }

    // MARK: Sound

    @Test(arguments: conversions)
    func frequencyResponseIsWithinTheDocumentedLimits(_ conversion: Conversion) throws {
        let response = try response(conversion)
        for hertz in stride(from: 0.0, through: 20_000, by: 500) {
            #expect(abs(response.decibels(at: hertz)) <= 0.1, "\(hertz) Hz")
        }
        let edge = Double(conversion.outputRate) / 2
        let steps = 400.0
        for step in 0..<Int(steps) {
            let hertz = edge + (Double(conversion.rate) / 2 - edge) * pow(Double(step) / steps, 2)
            #expect(response.decibels(at: hertz) <= -100, "\(hertz) Hz")
        }
        // The filter has linear phase; its centre is half a bit after the frame, between two bits.
        let impulse = response.impulse.dropFirst(2)
        #expect(zip(impulse, impulse.reversed()).allSatisfy { abs($0 - $1) < 1e-6 })
    }

    @Test func documentationHasTheMeasuredResponse() throws {
        let conversion = Conversion(dsd: 64, identifier: "dsd", outputRate: 88_200)
        let plot = ResponsePlot(
            response: try response(conversion), title: "DSD64 to 88.2 kHz, measured on rendered samples")
        let file = SwiftPackage.root.appendingPathComponent("Sources/Descant/Descant.docc/dsd-response.svg")
        if ProcessInfo.processInfo.environment["DESCANT_UPDATE_PLOTS"] == "1" {
            try Data(plot.svg.utf8).write(to: file)
        }
        let shown = try String(decoding: Data(contentsOf: file), as: UTF8.self)
        #expect(shown == plot.svg, "Scripts/dsd-response.sh draws the picture anew")
    }

    @Test(arguments: [64, 128, 256])
    func toneKeepsItsLevelWithoutNoiseInTheBand(_ dsd: Int) throws {
        let sample = DSDSample(rate: dsd * 44_100, seconds: 0.1, tones: [1_000])
        let reader = try StreamReader(registry, try shelf.directory.write(sample.dsf(), to: "tone.dsf"))
        let rate = dsd * 44_100 / 32
        #expect(reader.info == StreamInfo(duration: 0.1, sampleRate: Double(rate), channels: 1, bitDepth: 1))
        let samples = try reader.readAll()
        let tone = ToneFit(frequency: 1_000, in: samples, frames: rate / 50..<rate * 4 / 50, sampleRate: rate)
        #expect(abs(20 * log10(tone.amplitude / 0.4)) < 0.001)
        // No frame is late: the tone begins with the file.
        #expect(abs(tone.phase) < 2 * .pi * 1_000 / Double(rate) * 0.01)
        let noise = (rate / 50..<rate * 4 / 50).map { Double(samples[$0]) - tone.sample(at: $0, sampleRate: rate) }
        #expect(Self.bandLevel(of: noise, rate: rate) < -95)
    }

    @Test(arguments: 1...6)
    func everyChannelCount(_ channels: Int) throws {
        let tones = (0..<channels).map { 1_000.0 * Double($0 + 1) }
        let sample = DSDSample(seconds: 0.03, tones: tones)
        let order = channels > 2 ? Array((0..<channels).reversed()) : Array(0..<channels)
        for (data, name) in [
            (sample.dsf(), "channels.dsf"), (sample.dsf(leastSignificantFirst: false), "high.dsf"),
            (sample.dff(), "channels.dff"), (sample.dff(order: order), "turned.dff"),
        ] {
            let reader = try StreamReader(registry, try shelf.directory.write(data, to: name))
            #expect(reader.info.channels == channels)
            let samples = SampleBuffer(
                format: PCMFormat(sampleRate: 88_200, channels: channels), samples: try reader.readAll())
            #expect(samples.frameCount == 2646)
            for (channel, hertz) in tones.enumerated() {
                let fit = ToneFit(
                    frequency: hertz, in: samples.channel(channel), frames: 100..<2_500, sampleRate: 88_200)
                #expect(abs(fit.amplitude - 0.4) < 0.01, "\(name): channel \(channel)")
            }
        }
    }

    @Test(arguments: ["dsf", "dff"])
    func levelAndDelayMatchFFmpeg(_ ending: String) throws {
        let sample = DSDSample(seconds: 0.1, tones: [1_000, 3_000])
        let file = try shelf.directory.write(ending == "dsf" ? sample.dsf() : sample.dff(), to: "tone.\(ending)")
        let output = shelf.directory.file("ffmpeg.f32")
        try Tool.run("ffmpeg", ["-v", "error", "-i", file.path, "-f", "f32le", output.path])
        let theirs = try Data(contentsOf: output).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        let ours = try StreamReader(registry.makeDecoder("dsd-352.8"), file).readAll()
        for (channel, hertz) in [1_000.0, 3_000].enumerated() {
            let fits = [theirs, ours].map { samples in
                let buffer = SampleBuffer(format: PCMFormat(sampleRate: 352_800, channels: 2), samples: samples)
                return ToneFit(
                    frequency: hertz, in: buffer.channel(channel), frames: 5_000..<30_000, sampleRate: 352_800)
            }
            #expect(abs(20 * log10(fits[0].amplitude / fits[1].amplitude)) < 0.02)
        }
    }

    @Test func ratesOf48Kilohertz() throws {
        let sample = DSDSample(rate: 3_072_000, seconds: 0.02, tones: [1_000])
        let file = try shelf.directory.write(sample.dsf(), to: "tone.dsf")
        #expect(try StreamReader(registry, file).info.sampleRate == 96_000)
        #expect(try StreamReader(registry.makeDecoder("dsd-352.8"), file).info.sampleRate == 384_000)
    }

    @Test func theDecoderContract() throws {
        let response = try response(Conversion(dsd: 64, identifier: "dsd", outputRate: 88_200))
        let sample = DSDSample(seconds: 6_600.0 / 88_200, tones: [997, 9_001])
        let planes = sample.channels.map { response.convolve($0, count: sample.count) }
        let samples = planes[0].indices.flatMap { frame in planes.map { $0[frame] } }
        let content = SampleBuffer(format: PCMFormat(sampleRate: 88_200, channels: 2), samples: samples)
        let fixtures = try [("tones.dsf", sample.dsf()), ("tones.dff", sample.dff())].map { name, data in
            DecoderFixture(url: try shelf.directory.write(data, to: name), content: content, tolerance: 2e-6)
        }
        let registry = registry
        let findings = try DecoderContract(fixtures: fixtures) { try registry.makeDecoder("dsd") }.findings()
        #expect(findings.isEmpty, "\(findings)")
    }

    // MARK: Choice

    @Test func contentSelectsTheDecoder() throws {
        registry.register(.decoder("fallback", extensions: ["*"], priority: 100) { BuiltInDecoder("fallback") })
        let sample = DSDSample(seconds: 0.01, tones: [1_000])
        for (name, data) in [
            ("a.dsf", sample.dsf()), ("a.dff", sample.dff()), ("a.mp3", sample.dsf()), ("b.mp3", sample.dff()),
        ] {
            let stream = try registry.open(try shelf.directory.write(data, to: name))
            #expect(stream.identifier == "dsd")
            #expect(stream.plugin == "org.descant.dsd")
            stream.decoder.close(stream.handle)
        }
        let text = try shelf.directory.write(Data("words".utf8), to: "words.dsf")
        #expect(try registry.open(text).identifier == "fallback")
    }

    // MARK: Odd files and faults

    @Test func foreignChunksAndUnfinishedRecordingsAreRead() throws {
        let sample = DSDSample(seconds: 0.02, tones: [1_000])
        let comment = sample.chunk("COMT", Data("a comment of odd length".utf8))
        let plain = try StreamReader(registry, try shelf.directory.write(sample.dff(), to: "plain.dff")).readAll()
        let file = try shelf.directory.write(sample.dff(extra: comment), to: "comment.dff")
        #expect(try StreamReader(registry, file).readAll() == plain)
        var unfinished = sample.dff()
        let sound = unfinished.count - sample.channels[0].count - sample.channels[0].count % 2
        unfinished.replaceSubrange(sound - 8..<sound, with: Data(count: 8))
        let open = try StreamReader(registry, try shelf.directory.write(unfinished, to: "unfinished.dff"))
        #expect(try open.readAll().prefix(plain.count - 20).elementsEqual(plain.prefix(plain.count - 20)))
    }

    @Test(arguments: ["dsf", "dff"], [0.3, 0.62, 0.95])
    func truncatedFileEndsWithAnError(_ ending: String, _ share: Double) throws {
        let sample = DSDSample(seconds: 0.1, tones: [1_000, 2_000])
        let data = ending == "dsf" ? sample.dsf() : sample.dff()
        let whole = try StreamReader(registry, try shelf.directory.write(data, to: "whole.\(ending)")).readAll()
        let cut = data.prefix(Int(Double(data.count) * share))
        let file = try shelf.directory.write(cut, to: "cut.\(ending)")
        let reader = try StreamReader(registry, file)
        let (samples, error) = reader.readUntilError()
        #expect(samples.count > 0)
        #expect(samples.elementsEqual(whole.prefix(samples.count)))
        #expect(error?.code == "decodeError")
        for words in [file.path, "truncated", "(frame \(samples.count / 2))", "(frame 8820)"] {
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        }
        #expect(throws: CoreError.self) { _ = try reader.read(10) }
        #expect(throws: CoreError.self) { try reader.seek(0.099) }
        try reader.seek(0)
        #expect(try reader.read(100).elementsEqual(whole.prefix(200)))
    }

    @Test func fileShrinkingDuringReadIsAnError() throws {
        let sample = DSDSample(channels: [[UInt8](repeating: 0x69, count: 1 << 18)])
        let file = try shelf.directory.write(sample.dsf(), to: "shrinks.dsf")
        let reader = try StreamReader(registry, file)
        _ = try reader.read(100)
        try FileHandle(forWritingTo: file).truncate(atOffset: 10_000)
        let (_, error) = reader.readUntilError()
        #expect(error?.message.contains("became shorter") == true, "\(String(describing: error))")
    }

    @Test func unsupportedFilesAreRefused() throws {
        let sample = DSDSample(seconds: 0.01, tones: [1_000, 1_000])
        var noRate = sample.dsf()
        noRate.replaceSubrange(28 + 28..<28 + 32, with: Data(count: 4))
        var seven = sample.dsf()
        seven[28 + 24] = 7
        let dst = sample.dff(compression: "DST ")
        let decoder = try registry.makeDecoder("dsd")
        for (name, data, code, words) in [
            ("compressed.dff", dst, "unsupported", "DST compression"),
            ("seven.dsf", seven, "unsupported", "7 channels"),
            ("rate.dsf", noRate, "decodeError", "0 bits per second"),
            ("head.dsf", sample.dsf().prefix(40), "decodeError", "format chunk"),
            ("data.dsf", sample.dsf().prefix(85), "decodeError", "data chunk"),
            ("head.dff", sample.dff().prefix(40), "decodeError", "no sound chunk"),
            ("text.dsf", Data(repeating: 0x78, count: 5_000), "unsupported", "neither"),
        ] {
            let file = try shelf.directory.write(data, to: name)
            let error = #expect(throws: CoreError.self) { _ = try decoder.open(url: file) }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(error?.message.contains(file.path) == true)
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        }
    }

    // MARK: Support

    private func response(_ conversion: Conversion) throws -> DecimationResponse {
        try DecimationResponse(
            rate: conversion.rate, ratio: conversion.ratio, directory: shelf.directory,
            decoder: registry.makeDecoder(conversion.identifier))
    }

    /// The level between 100 Hz and 20 kHz in dBFS, by Goertzel's algorithm at every frequency of a Hann window.
    private static func bandLevel(of samples: [Double], rate: Int) -> Double {
        let count = samples.count
        let windowed = samples.enumerated().map { $1 * (0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(count))) }
        var power = 0.0
        for bin in max(1, 100 * count / rate)...20_000 * count / rate {
            let factor = 2 * cos(2 * .pi * Double(bin) / Double(count))
            var (one, two) = (0.0, 0.0)
            for sample in windowed { (one, two) = (sample + factor * one - two, one) }
            power += one * one + two * two - factor * one * two
        }
        // Twice for the negative frequencies; 3/8 is the power that a Hann window leaves.
        return 10 * log10(2 * power / Double(count * count) / 0.375)
    }

    /// Impossible numbers in a header: offset, number of bytes, and value.
    @Test(arguments: [
        ("dsf", 4, 8), ("dsf", 28 + 4, 8), ("dsf", 28 + 16, 4), ("dsf", 28 + 24, 4), ("dsf", 28 + 28, 4),
        ("dsf", 28 + 32, 4),
        ("dsf", 28 + 36, 8), ("dsf", 28 + 44, 4), ("dsf", 80 + 4, 8), ("dff", 20, 8), ("dff", 36, 8), ("dff", 52, 8),
        ("dff", 60, 4), ("dff", 68, 8), ("dff", 76, 2),
    ])
    func impossibleHeaderNumbersDoNotCrash(kind: String, place: Int, size: Int) throws {
        let sample = DSDSample(seconds: 0.02, tones: [1_000, 2_000])
        let whole = kind == "dsf" ? sample.dsf() : sample.dff()
        let decoder = try registry.makeDecoder("dsd")
        for bytes: (edge: UInt8, rest: UInt8) in [(0, 0), (0x7f, 0xff), (0x80, 0), (0xff, 0xff), (0x40, 0)] {
            var data = whole
            for index in place..<place + size { data[index] = bytes.rest }
            data[kind == "dsf" ? place + size - 1 : place] = bytes.edge
            let file = try shelf.directory.write(data, to: "number.\(kind)")
            do {
                let reader = try StreamReader(decoder, file)
                #expect(throws: Never.self) { try reader.info.validate() }
                let (samples, _) = reader.readUntilError(limit: 1 << 20)
                #expect(samples.count <= 2 * sample.count)
            } catch let error as CoreError {
                #expect(error.code == "decodeError", "\(error)")
                #expect(error.message.contains(file.path), "\(error)")
            }
        }
    }

    @Test func fileWithoutSoundIsRefused() throws {
        let empty = DSDSample(channels: [[], []])
        let decoder = try registry.makeDecoder("dsd")
        for (name, data) in [("empty.dsf", empty.dsf()), ("empty.dff", empty.dff())] {
            let file = try shelf.directory.write(data, to: name)
            let error = #expect(throws: CoreError.self) { _ = try decoder.open(url: file) }
            #expect(error?.code == "decodeError" && error?.message.contains(file.path) == true)
        }
    }
}
