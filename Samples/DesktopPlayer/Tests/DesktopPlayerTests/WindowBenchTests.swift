import DescantTestSupport
import Foundation
import Testing

extension DesktopPlayerTests {
    /// The output of `descant-bench window`. The figures themselves are not tested.
    @Test func theBenchmarkMeasuresTheWindow() throws {
        let session = try DesktopSession()
        let bench = try TestProgram.named("descant-bench").path
        // A search finds at most 500 tracks: fewer than there are artists.
        try session.run(bench, "corpus", session.folder.path, "--tracks", "6000")
        let sound = try session.tone("tone.wav", seconds: 60)
        let output = try session.run(bench, "window", session.path("library"), sound, "--short")
        let names = Set(output.split(whereSeparator: \.isWhitespace).compactMap { $0.split(separator: "=").first })
        let frames = ["wheel", "page", "drag", "type"].map { "\($0)_frame" } + ["find"]
        for name in ["start", "library", "open", "queue"] + frames + frames.map({ "library_\($0)" }) {
            for kind in ["", "_95", "_max"] { #expect(names.contains("\(name)\(kind)_ms"), "\(output)") }
        }
    }
}
