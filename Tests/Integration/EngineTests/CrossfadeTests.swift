import Descant
import DescantTesting
import Foundation
import Testing

/// Crossfades of tones against the ideal.
@Suite(.timeLimit(.minutes(5))) struct CrossfadeTests {
    /// Two tones, each 1.5 s longer than the crossfade between them.
    private struct Pair: Sendable {
        let outgoing: TestSignal
        let incoming: TestSignal
        let outgoingFile: URL
        let incomingFile: URL

        init(seconds: Double, in directory: TemporaryDirectory) throws {
            outgoing = TestSignal.sine(440, seconds: seconds + 1.5)
            incoming = TestSignal.sine(1_000, seconds: seconds + 1.5)
            outgoingFile = try FixtureEncoder().make(outgoing, as: .flac(bits: 24), named: "a\(seconds)", in: directory)
            incomingFile = try FixtureEncoder().make(incoming, as: .flac(bits: 24), named: "b\(seconds)", in: directory)
        }
    }

    /// Encoded once for all curves.
    private static let fixtures = Result {
        let directory = try TemporaryDirectory()
        let pairs = try [1.0, 4, 10, 30].map { ($0, try Pair(seconds: $0, in: directory)) }
        return (directory: directory, pairs: Dictionary(uniqueKeysWithValues: pairs))
    }

    @Test(arguments: FadeCurve.allCases, [1.0, 4, 10, 30])
    func crossfadeResidualEnvelopeLengthAndStart(curve: FadeCurve, seconds: Double) async throws {
        let pair = try #require(try Self.fixtures.get().pairs[seconds])
        let offline = try OfflineEngine()
        let decks = [try await offline.open(pair.outgoingFile), try await offline.open(pair.incomingFile)]
        let frames = try await offline.renderPlaylist(decks, join: .crossfade(seconds, curve: curve))
        let overlap = Int(seconds * 48_000)
        #expect(frames == pair.outgoing.frames + pair.incoming.frames - overlap)
        let found = try CrossfadeAnalysis(
            outgoing: pair.outgoing, incoming: pair.incoming, curve: curve, overlap: overlap
        ).measure(try await offline.rendered())
        #expect(found.residual <= -85)
        #expect(found.outgoingEnvelopeError <= 0.02)
        #expect(found.incomingEnvelopeError <= 0.02)
        #expect(abs(found.startError) < 0.05)
        #expect(found.excessFrames == 0)
    }
}
