import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// The length of coded blocks without a container is a guess from those that were read; what lies behind it is reached.
@Suite(.timeLimit(.minutes(2))) struct EstimatedLengthTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// 30 s of MP3 of variable bit rate, without a tag: noise, whose blocks are large, then a quiet tone.
    private func encoded() throws -> URL {
        var sound = TestSignal.noise(amplitude: 0.5, seconds: 6, sampleRate: 44_100).samples()
        sound.append(TestSignal.sine(440, amplitude: 0.01, seconds: 24, sampleRate: 44_100).samples())
        let input = directory.file("sound.wav")
        try WAVFile(sound, encoding: .int16).write(to: input)
        let output = directory.file("sound.mp3")
        try CodedFile.run(["lame", "--quiet", "-V", "2", "-t", input.path, output.path])
        return output
    }

    @Test func aSeekBehindTheEstimateIsHeard() async throws {
        let (events, continuation) = AsyncStream<DeckEvent>.makeStream()
        let opened = try await GStreamerDecks().open(
            .url(try encoded()), mix: PCMFormat(sampleRate: 44_100, channels: 2)
        ) { continuation.yield($0) }
        defer { opened.deck.close() }
        _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 3 * 44_100)
        if opened.deck.frameCount == nil {
            // Some blocks must be read first.
            for await event in events {
                if case .trackInfoChanged(let track) = event, track.duration > 0 { break }
            }
        }
        let estimate = try #require(opened.deck.frameCount)
        let target: Int64 = 25 * 44_100
        try #require(estimate < target, "an estimate of \(estimate) frames")
        #expect(opened.deck.isFrameCountEstimated && !opened.deck.isFrameCountExact)
        opened.deck.seek(toFrame: target)
        let heard = try DeckDrain.read(opened.deck, channels: 2)
        #expect(heard.failure == nil && heard.firstPosition == target)
        #expect(abs(heard.samples.frameCount - 5 * 44_100) < 4_410, "\(heard.samples.frameCount)")
        // Behind the real end, too, there is only the end.
        opened.deck.seek(toFrame: 99 * 44_100)
        let nothing = try DeckDrain.read(opened.deck, channels: 2)
        #expect(nothing.failure == nil && nothing.samples.frameCount == 0)
    }

    @Test func aDecoderReachesEveryPlaceThatItAnnounces() throws {
        let decoder = GStreamerDecoder()
        let handle = try decoder.open(url: try encoded())
        defer { decoder.close(handle) }
        let duration = try decoder.info(handle).duration
        #expect(abs(duration - 30) < 0.1, "\(duration)")
        #expect(try frames(decoder, handle, atMost: 5 * 44_100) == 5 * 44_100)
        try decoder.seek(handle, toSeconds: 25)
        #expect(try frames(decoder, handle, atMost: 44_100) == 44_100)
    }

    /// Reads, and returns the number of frames that were there.
    private func frames(_ decoder: GStreamerDecoder, _ handle: DecodeHandle, atMost limit: Int) throws -> Int {
        var buffer = [Float](repeating: 0, count: 2 * 4_096)
        var count = 0
        while count < limit {
            let wanted = min(4_096, limit - count)
            let read = try buffer.withUnsafeMutableBufferPointer { buffer in
                try buffer.baseAddress.map { try decoder.read(handle, into: $0, maxFrames: wanted) } ?? 0
            }
            if read == 0 { break }
            count += read
        }
        return count
    }
}
