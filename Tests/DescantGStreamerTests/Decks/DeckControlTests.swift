import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// Seeking, speed and closing.
struct DeckControlTests {
    private let directory: TemporaryDirectory
    private let mix = PCMFormat(sampleRate: 48_000, channels: 2)

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ url: URL) async throws -> OpenedDeck {
        try await GStreamerDecks().open(.url(url), mix: mix) { _ in }
    }

    private func ramp(frames: Int, as format: FixtureFormat = .flac(bits: 16)) throws -> (URL, SampleBuffer) {
        let signal = TestSignal.ramp(frames: frames)
        return (try FixtureEncoder().make(signal, as: format, named: "ramp", in: directory), signal.samples())
    }

    @Test(arguments: [FixtureFormat.flac(bits: 16), .wav(.int16)])
    func everySeekIsExact(format: FixtureFormat) async throws {
        let (url, samples) = try ramp(frames: 480_000, as: format)
        let opened = try await open(url)
        defer { opened.deck.close() }
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<200 {
            let target = Int((generator.nextSample() + 1) / 2 * 479_000)
            opened.deck.seek(toFrame: Int64(target))
            let outcome = try DeckDrain.read(opened.deck, channels: 2, atMost: 64)
            #expect(outcome.firstPosition == Int64(target))
            #expect((outcome.samples == samples.slice(target..<target + 64)) == true)
        }
    }

    @Test func lastOfSeveralSeeksIsCarriedOut() async throws {
        let (url, samples) = try ramp(frames: 480_000)
        let opened = try await open(url)
        defer { opened.deck.close() }
        for target in stride(from: 0, to: 400_000, by: 2_000) { opened.deck.seek(toFrame: Int64(target)) }
        opened.deck.seek(toFrame: 123_456)
        let outcome = try DeckDrain.read(opened.deck, channels: 2, atMost: 1_000)
        #expect(outcome.firstPosition == 123_456)
        #expect((outcome.samples == samples.slice(123_456..<124_456)) == true)
    }

    @Test func rewindsRepeatedlyAfterTheEnd() async throws {
        let (url, samples) = try ramp(frames: 30_001)
        let opened = try await open(url)
        defer { opened.deck.close() }
        for _ in 0..<20 {
            #expect((try DeckDrain.read(opened.deck, channels: 2).samples == samples) == true)
            opened.deck.seek(toFrame: 0)
        }
    }

    @Test func seekToTheEndEndsAtOnceAndASeekBackPlaysOn() async throws {
        let (url, samples) = try ramp(frames: 30_001)
        let opened = try await open(url)
        defer { opened.deck.close() }
        for target in [30_001, 99_999] {
            opened.deck.seek(toFrame: Int64(target))
            var memory = [Float](repeating: 0, count: 960)
            let read = opened.deck.read(into: &memory, frames: 480)
            #expect(read.frames == 0)
            #expect(read.position == 30_001)
            guard case .ended = read.condition else {
                Issue.record("\(read.condition)")
                return
            }
        }
        opened.deck.seek(toFrame: 30_000)
        #expect((try DeckDrain.read(opened.deck, channels: 2).samples == samples.slice(30_000..<30_001)) == true)
    }

    @Test(arguments: [0.5, 0.75, 1.5, 2, 3])
    func otherSpeedKeepsPitchAndPosition(rate: Double) async throws {
        let url = try FixtureEncoder().make(.sine(440, seconds: 12), as: .flac(bits: 16), named: "tone", in: directory)
        let opened = try await open(url)
        defer { opened.deck.close() }
        _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 48_000)
        opened.deck.setRate(rate, fromFrame: 48_000)
        let outcome = try DeckDrain.read(opened.deck, channels: 2)
        #expect(opened.deck.rate == rate)
        #expect(abs(outcome.firstPosition - 48_000) < 500)
        #expect(abs(outcome.samples.duration - 11 / rate) < 0.1)
        #expect(outcome.failure == nil)
        let start = outcome.samples.frameCount / 2 - 48_000
        let tone = outcome.samples.slice(start..<start + 96_000).channel(0)
        let crossings = zip(tone, tone.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
        #expect((879...881).contains(crossings))
        opened.deck.setRate(1, fromFrame: 96_000)
        let normal = try DeckDrain.read(opened.deck, channels: 2)
        #expect(normal.firstPosition == 96_000)
        #expect(normal.samples.frameCount == 12 * 48_000 - 96_000)
    }

    /// The end of the sound is there at every speed, and nothing behind it.
    @Test(
        arguments: [FixtureFormat.wav(.int16), .flac(bits: 16), .mp3(kilobitsPerSecond: 192)], [0.5, 0.7, 1.5, 2, 3])
    func otherSpeedEndsWithTheLastFrame(format: FixtureFormat, rate: Double) async throws {
        let frames = 100_001
        let signal = TestSignal(
            .sine(frequency: 440, amplitude: 0.5, phase: 0), frames: frames, channels: 2, depth: .int16)
        let url = try FixtureEncoder().make(signal, as: format, named: "tone", in: directory)
        let opened = try await open(url)
        defer { opened.deck.close() }
        for start in [0, 30_000] {
            opened.deck.setRate(rate, fromFrame: Int64(start))
            let outcome = try DeckDrain.read(opened.deck, channels: 2)
            #expect(outcome.failure == nil)
            let expected = (Double(frames - start) / rate).rounded(.up)
            #expect(
                abs(Double(outcome.samples.frameCount) - expected) <= 1,
                "of \(expected), \(outcome.samples.frameCount) from \(start), end \(outcome.endPosition)")
            // A whole period of the tone in each of the last five hundredths of a second.
            let tail = Array(outcome.samples.channel(0).suffix(2_400))
            for part in stride(from: 0, to: 2_400, by: 480) {
                let peak = tail[part..<part + 480].map { abs($0) }.max() ?? 0
                #expect(peak > 0.4, "peak of frame \(part) of the last 2,400")
            }
        }
    }

    @Test func channelsAreThoseOfTheMix() async throws {
        let mono = TestSignal.noise(seconds: 1, channels: 1)
        let url = try FixtureEncoder().make(mono, as: .flac(bits: 16), named: "mono", in: directory)
        let opened = try await open(url)
        defer { opened.deck.close() }
        let outcome = try DeckDrain.read(opened.deck, channels: 2)
        #expect((outcome.samples.channel(0) == mono.samples().samples) == true)
        #expect((outcome.samples.channel(1) == mono.samples().samples) == true)
        #expect(opened.info.sourceFormat == PCMFormat(sampleRate: 48_000, channels: 1))
    }

    @Test(arguments: [6, 8])
    func surroundIsKeptWhenTheMixHasIt(channels: Int) async throws {
        let signal = TestSignal(.noise(seed: 2, amplitude: 0.2), frames: 24_000, channels: channels, depth: .int16)
        let url = directory.file("surround.wav")
        try WAVFile(signal.samples(), encoding: .int16).write(to: url, extensible: true)
        let opened = try await GStreamerDecks().open(
            .url(url), mix: PCMFormat(sampleRate: 48_000, channels: channels)
        ) { _ in }
        defer { opened.deck.close() }
        #expect((try DeckDrain.read(opened.deck, channels: channels).samples == signal.samples()) == true)
    }

    @Test func trackIsDescribed() async throws {
        let (url, _) = try ramp(frames: 48_000)
        let opened = try await open(url)
        opened.deck.close()
        #expect(opened.info.track.title == "ramp")
        #expect(opened.info.track.duration == 1)
        #expect(opened.info.track.format.codec == "FLAC")
        #expect(opened.info.track.format.bitDepth == 16)
        #expect(opened.info.decoder == "gstreamer")
    }

    @Test func cancelledOpenEnds() async throws {
        let (url, _) = try ramp(frames: 48_000)
        for _ in 0..<20 {
            let task = Task { try await open(url) }
            task.cancel()
            do { try await task.value.deck.close() } catch is CancellationError { continue }
        }
    }

    @Test func manyCancelledOpens() async throws {
        let (url, _) = try ramp(frames: 48_000)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    let task = Task { try await open(url) }
                    if index % 2 == 0 { task.cancel() }
                    if case .success(let opened) = await task.result { opened.deck.close() }
                }
            }
        }
        let opened = try await open(url)
        #expect(try DeckDrain.read(opened.deck, channels: 2).samples.frameCount == 48_000)
        opened.deck.close()
    }
}
