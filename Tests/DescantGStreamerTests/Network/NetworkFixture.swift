import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

/// Ten seconds of noise as a FLAC file, and decks on servers that have it.
struct NetworkFixture {
    let directory: TemporaryDirectory
    let samples = TestSignal.noise(seconds: 10).samples()
    let flac: Data
    let events = EventRecorder<DeckEvent>()

    init() throws {
        directory = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(samples, as: .flac(bits: 16), to: directory.file("noise.flac"))
        flac = try Data(contentsOf: file)
    }

    func open(_ url: URL, access: NetworkAccess = NetworkAccess()) async throws -> OpenedDeck {
        try await GStreamerDecks { access }
            .open(.url(url), mix: PCMFormat(sampleRate: samples.format.sampleRate, channels: 2)) { events.record($0) }
    }

    /// Expects that a deck gives the samples of the file, and those from a position on after a seek.
    func expectSoundAndSeek(_ url: URL) async throws {
        let opened = try await open(url)
        defer { opened.deck.close() }
        #expect((try DeckDrain.read(opened.deck, channels: 2).samples == samples) == true)
        opened.deck.seek(toFrame: 333_333)
        let remainder = try DeckDrain.read(opened.deck, channels: 2)
        #expect(remainder.firstPosition == 333_333)
        #expect((remainder.samples == samples.slice(333_333..<480_000)) == true)
    }

    /// Expects that an open fails, and returns the error.
    func error(_ url: URL, access: NetworkAccess = NetworkAccess()) async -> CoreError? {
        do {
            try await open(url, access: access).deck.close()
            return nil
        } catch {
            return error as? CoreError
        }
    }
}

extension [DeckEvent] {
    /// The fill levels of a buffer that were reported while the reader waited.
    var percentages: [Int] { compactMap { if case .buffering(let percent) = $0 { percent } else { nil } } }

    /// The titles that were reported.
    var titles: [String] { compactMap { if case .trackInfoChanged(let track) = $0 { track.title } else { nil } } }
}

/// What a test tells its server, and the server the test; it is turned on once.
final class SharedFlag: Sendable {
    private let state = Mutex(false)

    var isOn: Bool { state.withLock { $0 } }

    func turnOn() { state.withLock { $0 = true } }
}
