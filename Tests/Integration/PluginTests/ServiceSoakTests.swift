import DescantTestSupport
import Foundation
import Testing

/// Random operations over all services of a host leave nothing behind; counted in a separate process, because other tests run in this one.
@Suite(.timeLimit(.minutes(60))) struct ServiceSoakTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// `DESCANT_SOAK_HOURS` is the sound that is rendered, in hours; `make soak` sets it. Every soak is another one, unless `DESCANT_SOAK_SEED`
    /// names it.
    @Test func nothingGrows() throws {
        let hours = Self.environment["DESCANT_SOAK_HOURS"]
        let seed =
            Self.environment["DESCANT_SOAK_SEED"] ?? (hours == nil ? "1" : "\(UInt64.random(in: 0..<1_000_000_000))")
        let bundles = try SpeechBundle("FliteSpeech").folder.deletingLastPathComponent().path
        let program = try BuiltLibrary.folder.appendingPathComponent("ServiceSoak").path
        let report = try Tool.run(program, [hours ?? "0.05", seed, bundles])
        print("soak, seed \(seed):\n\(String(decoding: report, as: UTF8.self))")
    }
}
