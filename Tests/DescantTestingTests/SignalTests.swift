import DescantCore
import DescantTesting
import Foundation
import Testing

@Suite struct SignalTests {
    @Test(arguments: WAVFile.Encoding.allCases, [false, true])
    func wavKeepsEverySample(encoding: WAVFile.Encoding, extensible: Bool) throws {
        let signal = TestSignal.noise(seconds: 0.1, sampleRate: 44_100, channels: 2, depth: .int16).samples()
        let directory = try TemporaryDirectory()
        let file = directory.file("noise.wav")
        try WAVFile(signal, encoding: encoding).write(to: file, extensible: extensible)
        let read = try WAVFile(contentsOf: file)
        #expect(read.encoding == encoding)
        #expect(read.content == signal)
    }

    @Test func wavReaderAcceptsAnyChunkOrderAndMissingLengths() throws {
        let signal = TestSignal.ramp(frames: 100).samples()
        let plain = [UInt8](WAVFile(signal, encoding: .int16).data())
        var reordered = Array(plain[0..<12])
        reordered += plain[36..<44] + plain[44...]  // data before fmt
        reordered += Array("junk".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]  // odd length with its padding byte
        reordered += plain[12..<36]
        #expect(try WAVFile(data: Data(reordered)).content == signal)
        var open = plain
        open.replaceSubrange(40..<44, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try WAVFile(data: Data(open)).content == signal)
    }

    @Test func wavReaderErrorNamesTheFile() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: CoreError.notFound(directory.file("none.wav").path)) {
            try WAVFile(contentsOf: directory.file("none.wav"))
        }
        let text = try directory.write(Data("no sound".utf8), to: "text.wav")
        #expect(throws: CoreError.unsupported("\(text.path): not a RIFF/WAVE file")) { try WAVFile(contentsOf: text) }
    }

    @Test(arguments: [1, 2, 3])
    func rampFramesTellTheirIndex(channels: Int) {
        let ramp = TestSignal.ramp(frames: 10_000, firstIndex: 4_000, channels: channels).samples()
        for frame in 0..<ramp.frameCount {
            let samples = ramp.samples[frame * channels..<(frame + 1) * channels]
            #expect(RampCode.index(of: samples) == Int64(4_000 + frame))
        }
        #expect(RampCode.index(of: [Float](repeating: 0, count: channels)) == nil)
    }

    @Test func depthRoundsSamplesToItsSteps() {
        let signal = TestSignal.sine(441.3, seconds: 0.01, depth: .int16).samples()
        #expect(signal.samples.allSatisfy { $0 * 32_768 == ($0 * 32_768).rounded() })
        #expect(signal.frameCount == 480)
    }

    @Test(arguments: [
        FixtureFormat.flac(bits: 16), .flac(bits: 24), .mp3(kilobitsPerSecond: 128), .vorbis(quality: 5),
        .opus(kilobitsPerSecond: 96),
    ])
    func encodersMakeTheFormat(format: FixtureFormat) throws {
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().make(
            .sine(440, seconds: 0.5), as: format, named: "tone", in: directory)
        let start = try Data(contentsOf: file).prefix(4)
        switch format {
        case .flac: #expect(start == Data("fLaC".utf8))
        case .mp3: #expect(start.first == 0xFF || start.prefix(3) == Data("ID3".utf8))
        default: #expect(start == Data("OggS".utf8))
        }
    }

    @Test func temporaryDirectoryIsRemovedWithItsLastReference() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.url.path)
        #expect(FileManager.default.fileExists(atPath: path))
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
