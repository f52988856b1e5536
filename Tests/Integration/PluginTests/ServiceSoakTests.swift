import DescantTestSupport
import Foundation
import Testing

/// Random operations over all services of a host leave nothing behind; counted in a separate process, because other tests run in this one.
/// `make soak` runs the same program for hours of sound.
@Suite(.timeLimit(.minutes(60))) struct ServiceSoakTests {
    @Test func nothingGrows() throws {
        let bundles = try SpeechBundle("FliteSpeech").folder.deletingLastPathComponent().path
        let program = try BuiltLibrary.folder.appendingPathComponent("ServiceSoak").path
        let report = try Tool.run(program, ["0.05", "1", bundles])
        print(String(decoding: report, as: UTF8.self))
    }
}
