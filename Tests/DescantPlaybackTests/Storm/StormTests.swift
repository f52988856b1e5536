import Foundation
import Testing

/// Random sequences of commands: all changes of state are allowed ones, the sound has no step, no sample is lost or repeated
/// outside of fades, and the state matches the sound.
///
/// The variables DESCANT_STORM_SEED and DESCANT_STORM_SEQUENCES choose other sequences; a failure prints its seed.
@Suite(.timeLimit(.minutes(60)))
struct StormTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let firstSeed = environment["DESCANT_STORM_SEED"].flatMap { UInt64($0) } ?? 1
    private static let sequences = environment["DESCANT_STORM_SEQUENCES"].flatMap { UInt64($0) } ?? 500
    private static let shares: UInt64 = 10

    @Test(arguments: 0..<shares)
    func randomCommandsProduceTheModelledSound(share: UInt64) async throws {
        for number in stride(from: share, to: Self.sequences, by: Int(Self.shares)) {
            try await Storm(seed: Self.firstSeed &+ number).run(commands: 16)
        }
    }
}
