import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

/// The order of channels, tested with a tone of another frequency in each.
struct ChannelOrderTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func read(_ url: URL, channels: Int) async throws -> SampleBuffer {
        let opened = try await GStreamerDecks().open(
            .url(url), mix: PCMFormat(sampleRate: 48_000, channels: channels)
        ) { _ in }
        defer { opened.deck.close() }
        let outcome = try DeckDrain.read(opened.deck, channels: channels)
        #expect(outcome.failure == nil)
        return outcome.samples
    }

    private func expectEqual(_ found: SampleBuffer, _ expected: SampleBuffer) {
        #expect(found.frameCount == expected.frameCount)
        let isEqual = found.samples == expected.samples
        #expect(isEqual)
    }

    @Test(arguments: [(6, "5.1"), (7, "6.1"), (8, "7.1")], ["flac", "mka", "mp4"])
    func flacSurroundHasTheRightOrder(shape: (Int, String), container: String) async throws {
        let file = CodedFile(
            name: "FLAC", fileExtension: container, arguments: ["-c:a", "flac", "-strict", "-2"], sampleRate: 48_000,
            channels: shape.0, layout: shape.1)
        let url = try file.encode(seconds: 0.3, in: directory.url)
        try await expectEqual(read(url, channels: shape.0), file.reference(of: url))
    }

    private func tones(_ channels: Int) -> SampleBuffer {
        let samples = CodedFile.signal(seconds: 0.3, sampleRate: 48_000, channels: channels)
        return WAVFile(samples, encoding: .float32).content
    }

    /// The order of professional recorders: FL FR FC LFE SL SR.
    @Test func sideSpeakersOf51AreNotRemixed() async throws {
        let signal = tones(6)
        var data = WAVFile(signal, encoding: .float32).data(extensible: true)
        data.replaceSubrange(40..<44, with: [0x0F, 0x06, 0, 0])
        try await expectEqual(read(directory.write(data, to: "side.wav"), channels: 6), signal)
    }

    @Test(arguments: 1...8) func channelsWithoutAMaskPlay(channels: Int) async throws {
        let signal = tones(channels)
        let url = try directory.write(WAVFile(signal, encoding: .float32).data(), to: "plain.wav")
        try await expectEqual(read(url, channels: channels), signal)
        let stereo = try await read(url, channels: 2)
        #expect(stereo.frameCount == signal.frameCount)
        #expect(LevelAnalysis.peak(stereo.samples) > 0.1)
        #expect(LevelAnalysis.peak(stereo.samples) <= 1)
    }

    @Test(arguments: [10, 16]) func moreThanEightChannelsPlayAtAnotherSpeed(channels: Int) async throws {
        let tone = TestSignal.sine(440, seconds: 1, channels: channels, depth: .float).samples()
        let url = try directory.write(WAVFile(tone, encoding: .float32).data(), to: "many.wav")
        let mix = try await OfflineMix.render(.url(url), speed: 2)
        try #require((22_800...28_800).contains(mix.frameCount))
        for part in stride(from: 1_200, to: 22_800, by: 1_200) {
            #expect(LevelAnalysis.peak(mix.slice(part..<part + 1_200).samples) > 0.2, "frame \(part)")
        }
    }

    @Test func moreThanEightChannelsHaveNoSpeakers() {
        let speakers = (1...63).map { RawAudioCaps.mask(channels: $0).nonzeroBitCount }
        #expect(speakers == (1...63).map { $0 <= 8 ? $0 : 0 })
    }

    @Test func lfeIsNotInTheStereoMix() async throws {
        var signal = tones(6)
        for index in signal.samples.indices where index % 6 != 3 { signal.samples[index] = 0 }
        let url = try directory.write(WAVFile(signal, encoding: .float32).data(extensible: true), to: "bass.wav")
        #expect(LevelAnalysis.peak(try await read(url, channels: 2).samples) == 0)
        try await expectEqual(read(url, channels: 6), signal)
    }

    // MARK: The map itself

    private func sum(_ outputs: Int, _ inputs: Int, _ sample: [Float]) -> [Float] {
        let map = ChannelMap(speakers: ChannelMap.speakers(channels: inputs), outputs: outputs)
        var target = [Float](repeating: 9, count: outputs)
        target.withUnsafeMutableBufferPointer { target in
            sample.withUnsafeBufferPointer { source in
                guard let source = source.baseAddress, let target = target.baseAddress else { return }
                map.apply(source, to: target, frames: 1)
            }
        }
        return target
    }

    @Test(arguments: 1...8, 1...8) func noDownmixExceedsFullScale(inputs: Int, outputs: Int) {
        let mixed = sum(outputs, inputs, [Float](repeating: 1, count: inputs))
        #expect(mixed.allSatisfy { $0 <= 1.000_001 }, "\(mixed)")
        #expect(mixed.contains { $0 > 0.3 }, "\(mixed)")
        if inputs == outputs {
            #expect(ChannelMap(speakers: ChannelMap.speakers(channels: inputs), outputs: outputs).isIdentity)
        }
    }

    @Test func downmixHasTheUsualBalance() {
        #expect(sum(2, 1, [1]) == [1, 1])
        #expect(sum(1, 2, [1, 0]) == [0.5])
        // Front 1, centre and rear 0.707, bass nothing; all over 2.414.
        let left = sum(2, 6, [1, 0, 0, 0, 0, 0])
        #expect(abs(left[0] - 0.4142) < 1e-3 && left[1] == 0)
        let center = sum(2, 6, [0, 0, 1, 0, 0, 0])
        #expect(abs(center[0] - 0.2929) < 1e-3 && center[0] == center[1])
        #expect(sum(2, 6, [0, 0, 0, 1, 0, 0]) == [0, 0])
        // Rear and side speakers of 7.1 share the surround pair of 5.1.
        #expect(sum(6, 8, [0, 0, 0, 1, 0, 0, 0, 0])[3] > 0.5)
        let side = sum(6, 8, [0, 0, 0, 0, 0, 0, 1, 0])
        #expect(side[4] > 0.3 && side[5] == 0)
    }
}
