import AudioMeasurement
import Foundation
import Testing

extension RenderingSuite {
    /// Albums in one file, which a CUE sheet divides.
    @Suite struct CUESheetRenderingTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        /// Writes an album of noise as WAVE; two samples of noise are never alike.
        private func album(_ name: String, seconds: Double) throws -> [Float] {
            var state: UInt32 = 1
            let samples = (0..<Int(seconds * 44_100) * 2).map { _ -> Float in
                state = state &* 1_664_525 &+ 1_013_904_223
                return Float(Int(state >> 17) - 16_384) / 32_768
            }
            try WaveFile.write(
                samples, sampleRate: 44_100, channels: 2, format: .integer(bits: 16),
                to: URL(fileURLWithPath: shop.path(name)))
            return samples
        }

        private func sheet(_ file: String, _ starts: String...) throws -> String {
            let tracks = starts.enumerated().map { number, start in
                "  TRACK 0\(number + 1) AUDIO\n    TITLE \"Part \(number + 1)\"\n    INDEX 01 \(start)\n"
            }
            return try shop.file(
                "album.cue", "PERFORMER \"The Band\"\nTITLE \"Album\"\nFILE \"\(file)\" WAVE\n" + tracks.joined())
        }

        private func convert(_ name: String, to target: String) async throws {
            let result = try await Program.run(
                "ffmpeg", ["-loglevel", "error", "-y", "-i", shop.path(name), shop.path(target)])
            #expect(result.status == 0, "\(result.errors)")
        }

        /// The joins lie in the middle of frames of every codec; not one sample is missing or there twice.
        @Test(arguments: [("wav", []), ("flac", []), ("flac", ["FLACDecoder"]), ("mp3", [])])
        func tracksOfOneFileJoinAsTheFile(_ ending: String, bundles: [String]) async throws {
            let environment = bundles.isEmpty ? [:] : try shop.bundles("FLACDecoder")
            _ = try album("source.wav", seconds: 4)
            if ending == "wav" {
                try FileManager.default.moveItem(atPath: shop.path("source.wav"), toPath: shop.path("album.wav"))
            } else {
                try await convert("source.wav", to: "album.\(ending)")
            }
            let sheet = try sheet("album.\(ending)", "00:00:00", "00:01:13", "00:01:14", "00:03:01")
            for (input, output) in [(sheet, "tracks.wav"), (shop.path("album.\(ending)"), "whole.wav")] {
                let result = try await Program.descant(
                    "render", "--format", "s16", "--no-dither", "-o", shop.path(output), input,
                    environment: environment)
                #expect(result.status == 0, "\(result.errors)")
                if input == sheet { #expect(result.output.contains("0:03")) }
            }
            let (tracks, whole) = (try shop.samples("tracks.wav"), try shop.samples("whole.wav"))
            #expect(whole.count >= 4 * 44_100 * 2)
            #expect(tracks.count == whole.count)
            #expect(zip(tracks, whole).enumerated().first { $1.0 != $1.1 }?.offset == nil)
        }

        @Test func theLastPartsOfAFileAreAsLongAsTheSheetSays() async throws {
            let samples = try album("album.wav", seconds: 4)
            // The file is named as on another computer, and the first track is left out.
            let sheet = try sheet(#"C:\Music\album.wav"#, "00:01:00")
            let result = try await Program.descant(
                "render", "--format", "s16", "--no-dither", "-o", shop.path("out.wav"), sheet)
            #expect(result.status == 0, "\(result.errors)")
            let (rendered, part) = (try shop.samples("out.wav"), samples[(44_100 * 2)...])
            #expect(rendered.count == part.count)
            #expect(zip(rendered, part).enumerated().first { $1.0 != $1.1 }?.offset == nil)
        }

        @Test func aSheetInAFolderTakesThePlaceOfItsFile() throws {
            try shop.tone("album.wav", seconds: 155, rate: 8_000, channels: 1)
            try shop.tone("other.wav", seconds: 60, rate: 8_000, channels: 1)
            _ = try sheet("album.wav", "00:00:00", "00:40:00", "01:50:00")
            let player = try TerminalProgram(
                "descant", ["play", "--output", "null", shop.folder.path], width: 80, height: 24)
            try player.wait("the tracks") { screen in
                let rows = screen.text.joined(separator: "\n")
                return ["▶ Part 1 – The Band", "Part 2 – The Band", "Part 3 – The Band", "other"].allSatisfy(
                    rows.contains)
                    && ["0:40\n", "1:10\n", "0:45\n", "1:00\n", "1/4\n"].allSatisfy(rows.contains)
            }
            player.type("n")
            try player.wait("the second track") { shows("▶ Part 2")($0) && shows("The Band · Album")($0) }
            // The position of a paused player changes by keys only.
            player.type(" ")
            try player.wait("the pause", until: shows("⏸ paused"))
            player.type("5")
            try player.wait("its middle") { screen in
                (34...36).contains(shownPosition(screen) ?? 0) && screen.text.contains { $0.contains(#/●.* 1:10/#) }
            }
            player.type("j\r")
            try player.wait("the last track") { shows("▶ Part 3")($0) && shows("▶ playing")($0) }
            player.type("9")
            // It ends at the end of the file, and the next file follows.
            try player.wait("the next file", until: shows("▶ other"))
        }

        @Test func aSheetWithAnErrorIsRefusedInWords() async throws {
            let sheet = try shop.file("bad.cue", "FILE \"a.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:61:00\n")
            let result = try await Program.descant("play", "--output", "null", sheet)
            #expect(result.status == 66)
            #expect(
                result.errors.contains(
                    "bad.cue, line 3: \"00:61:00\" is not a time; write minutes:seconds:frames, such as 03:25:74"),
                "\(result.errors)")
        }
    }
}
