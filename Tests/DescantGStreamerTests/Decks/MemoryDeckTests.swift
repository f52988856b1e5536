import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// Encoded bytes in memory and from the host play like files.
struct MemoryDeckTests {
    static let formats: [FixtureFormat] = [
        .flac(bits: 16), .wav(.int16), .mp3(kilobitsPerSecond: 192), .vorbis(quality: 6), .opus(kilobitsPerSecond: 128),
    ]

    private let mix = PCMFormat(sampleRate: 48_000, channels: 2)

    private func encoded(_ format: FixtureFormat, in directory: TemporaryDirectory) throws -> Data {
        let signal = TestSignal(.noise(seed: 9, amplitude: 0.3), frames: 120_007, sampleRate: 48_000, depth: .int16)
        return try Data(contentsOf: FixtureEncoder().make(signal, as: format, named: "noise", in: directory))
    }

    @Test(arguments: formats)
    func dataHasItsWholeLengthAndSeeks(format: FixtureFormat) async throws {
        let directory = try TemporaryDirectory()
        let data = try encoded(format, in: directory)
        let opened = try await GStreamerDecks().open(.data(data, name: "noise.\(format.fileExtension)"), mix: mix) {
            _ in
        }
        defer { opened.deck.close() }
        #expect(opened.deck.frameCount == 120_007)
        let whole = try DeckDrain.read(opened.deck, channels: 2)
        #expect(whole.samples.frameCount == 120_007)
        opened.deck.seek(toFrame: 77_777)
        let part = try DeckDrain.read(opened.deck, channels: 2)
        #expect(part.firstPosition == 77_777)
        #expect(part.samples.frameCount == 120_007 - 77_777)
    }

    @Test(arguments: formats, [true, false])
    func hostBytesDeliverTheSamplesOfTheFile(format: FixtureFormat, isSeekable: Bool) async throws {
        let directory = try TemporaryDirectory()
        let data = try encoded(format, in: directory)
        let file = try await GStreamerDecks().open(.data(data, name: "noise"), mix: mix) { _ in }
        defer { file.deck.close() }
        let source = HostBytes(data, isSeekable: isSeekable)
        let opened = try await GStreamerDecks().open(.bytes(source), mix: mix) { _ in }
        defer { opened.deck.close() }
        let wanted = try DeckDrain.read(file.deck, channels: 2).samples
        let found = try DeckDrain.read(opened.deck, channels: 2).samples
        #expect(found.slice(0..<wanted.frameCount) == wanted)
        #expect(source.threadsInside == 1, "one call at a time")
        guard isSeekable else { return }
        opened.deck.seek(toFrame: 50_000)
        let remainder = try DeckDrain.read(opened.deck, channels: 2)
        #expect(remainder.samples.frameCount == 70_007)
    }

    @Test func errorOfTheHostIsInTheDecksError() async throws {
        let directory = try TemporaryDirectory()
        let source = HostBytes(try encoded(.wav(.int16), in: directory), isSeekable: false, failsAt: 300_000)
        let opened = try await GStreamerDecks().open(.bytes(source), mix: mix) { _ in }
        defer { opened.deck.close() }
        let outcome = try DeckDrain.read(opened.deck, channels: 2)
        let failure = try #require(outcome.failure)
        #expect(failure.code == "ioError")
        #expect(failure.message.contains("host bytes"))
        #expect(failure.message.contains("the archive is locked"))
    }

    /// The length is read from the headers before anything plays.
    @Test(arguments: [0, 2_000]) func errorOfTheHostInTheHeadersIsThatOfTheOpening(offset: Int) async throws {
        let directory = try TemporaryDirectory()
        let source = HostBytes(
            try encoded(.mp3(kilobitsPerSecond: 192), in: directory), isSeekable: true, failsAt: offset)
        let error = await #expect(throws: CoreError.self) {
            try await GStreamerDecks().open(.bytes(source), mix: mix) { _ in }
        }
        #expect(error?.code == "ioError")
        #expect(error?.message.contains("host bytes") == true)
        #expect(error?.message.contains("the archive is locked") == true, "\(String(describing: error))")
    }

    @Test func hostThatHangsDoesNotBlockClosing() async throws {
        let directory = try TemporaryDirectory()
        let source = HostBytes(try encoded(.wav(.int16), in: directory), isSeekable: false, hangsAt: 300_000)
        let opened = try await GStreamerDecks().open(.bytes(source), mix: mix) { _ in }
        // Frames must be read before the pipeline reads this far.
        _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 60_000)
        await source.untilHanging()
        opened.deck.close()
        let next = try await GStreamerDecks().open(
            .data(try encoded(.flac(bits: 16), in: directory), name: "next"), mix: mix
        ) { _ in }
        next.deck.close()
        source.release()
    }

    /// What was received before goes on without a gap.
    @Test func refusedSeekLosesNothing() async throws {
        let directory = try TemporaryDirectory()
        let data = try encoded(.flac(bits: 16), in: directory)
        let bytes = HostBytes(data, isSeekable: false)
        let opened = try await GStreamerDecks().open(.bytes(bytes), mix: mix) { _ in }
        defer { opened.deck.close() }
        let first = try DeckDrain.read(opened.deck, channels: 2, atMost: 100)
        opened.deck.seek(toFrame: 50_000)
        let rest = try DeckDrain.read(opened.deck, channels: 2)
        #expect(first.samples.frameCount == 100 && rest.samples.frameCount == 119_907)
        #expect(rest.firstPosition == 100 && rest.endPosition == 120_007)
    }
}
