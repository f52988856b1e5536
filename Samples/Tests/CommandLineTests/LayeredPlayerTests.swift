import Foundation
import LicenseMaking
import Testing

extension RenderingSuite {
    /// The program on the layers of the sample player, as a free product and as Pro.
    @Suite(.timeLimit(.minutes(3))) struct LayeredPlayerTests {
        private static let refusal = "is played with Pro only; install a licence of Pro to play it"

        private let shop: Workshop
        private let vendor = LicenseMaker()

        private let environment: [String: String]

        init() throws {
            shop = try Workshop()
            let bundles = try shop.bundles("FLACDecoder", "DSDDecoder")
            let own = [
                "OUTPUT": "null", "STATE_FOLDER": shop.path("state"), "LICENSE_KEY": vendor.publicKey,
            ]
            environment = bundles.merging(own) { $1 }
        }

        private func play(_ arguments: String...) async throws -> Program {
            try await Program.run("LayeredPlayer", arguments, environment: environment)
        }

        /// WAV, FLAC and DSD.
        private func files() throws -> [String] {
            let dsd = shop.path("c.dsf")
            try DSDTests.silence(blocks: 26).write(to: URL(fileURLWithPath: dsd))
            return [try shop.tone("a.wav", seconds: 0.3), try shop.flac("b.flac", seconds: 0.3), dsd]
        }

        private func license(_ data: Data) throws -> String {
            let path = shop.path("licence.txt")
            try data.write(to: URL(fileURLWithPath: path))
            return path
        }

        @Test func aFreeProductPlaysTheRestAndSaysWhy() async throws {
            let files = try files()
            let result = try await play(files[1], files[0], files[2])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("Free\n"))
            #expect(result.output.contains("b.flac: FLAC \(Self.refusal)\n"))
            #expect(result.output.contains("c.dsf: DSD \(Self.refusal)\n"))
            #expect(result.output.hasSuffix("left out: b\nplayed: a\nleft out: c\n"), "\(result.output)")
        }

        @Test func proPlaysEverythingAfterALicenceWasInstalled() async throws {
            let files = try files()
            let path = try license(vendor.license())
            let result = try await play("--install", path, files[0], files[1], files[2])
            #expect(result.status == 0 && result.output.hasPrefix("Pro\n"), "\(result.output) \(result.errors)")
            #expect(result.output.hasSuffix("finished\nplayed: a\nplayed: b\nplayed: c\n"), "\(result.output)")
            try FileManager.default.removeItem(atPath: path)
            let again = try await play(files[1])
            #expect(again.output.hasPrefix("Pro\n") && again.output.hasSuffix("played: b\n"), "\(again.output)")
        }

        @Test func otherLicencesAreRefusedWithTheReason() async throws {
            let licenses = [
                (LicenseMaker().license(), "its signature is not valid"),
                (vendor.license().prefix(90), "its end is missing"),
                (vendor.license(product: "another"), "it is a licence of another"),
                (vendor.license(expires: "2026-01-02T00:00:00Z"), "it expired at 2026-01-02T00:00:00Z; renew it"),
                (Data("something else".utf8), "it is not a licence"),
            ]
            for (data, reason) in licenses {
                let result = try await play("--install", try license(data), try shop.tone("a.wav", seconds: 0.1))
                #expect(result.status == 1 && result.errors.contains(reason), "\(result.output) \(result.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: shop.path("state/licence.txt")))
        }

        @Test func aPlaylistOfRefusedFilesFails() async throws {
            let result = try await play(try shop.flac("b.flac", seconds: 0.2), shop.path("missing.wav"))
            #expect(result.output.contains("missing.wav: there is no such file"))
            #expect(result.output.hasSuffix("failed\nleft out: b\n"), "\(result.output)")
            #expect(result.status == 1 && result.errors.contains("nothing could be played"), "\(result.errors)")
        }

        @Test func theTerminalPlayerShowsTheSameState() async throws {
            let files = [try shop.flac("b.flac", seconds: 0.2), try shop.tone("a.wav", seconds: 60)]
            let program = try TerminalProgram(
                "LayeredPlayer", files, width: 200, height: 20, environment: environment)
            func shows(_ texts: String...) -> (TerminalEmulator) -> Bool {
                { screen in
                    let text = screen.text.joined(separator: "\n")
                    return texts.allSatisfy { text.contains($0) }
                }
            }
            try program.wait("the next track and the reason", until: shows("FLAC \(Self.refusal)", "▶ playing"))
            program.type(" ")
            try program.wait("the pause", until: shows("paused"))
            program.type(" -")
            try program.wait("the sound", until: shows("▶ playing"))
            program.type("q")
            #expect(try program.finish() == 0)
            let preferences = try String(contentsOfFile: shop.path("state/preferences.json"), encoding: .utf8)
            #expect(preferences.contains("\"volume\""))
        }
    }
}
