import AudioMeasurement
import Foundation
import Testing

extension RenderingSuite {
    @Suite struct RenderTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        private func render(_ arguments: String..., to output: String = "out.wav") async throws -> RenderOutput {
            let result = try await Program.run(
                "descant", ["render", "--json", "--output", shop.path(output)] + arguments)
            #expect(result.status == 0, "\(result.errors)")
            return try result.json(RenderOutput.self)
        }

        @Test func oneTrackIsCopiedToTheBit() async throws {
            let input = try shop.flac("a.flac", seconds: 1.5)
            let report = try await render(input)
            #expect(report.frames == 66_150 && report.sampleRate == 44_100 && report.channels == 2)
            #expect(report.seconds == 1.5 && report.errors == [] && report.transitions == [])
            #expect(report.tracks.map(\.startFrame) == [0] && report.tracks.map(\.endFrame) == [66_150])
            #expect(report.tracks[0].url.hasPrefix("file:///") && report.tracks[0].url.hasSuffix("/a.flac"))
            #expect(try shop.samples("out.wav") == shop.samples("a.flac.wav"))
            #expect(try shop.wave("out.wav").sampleFormat == .float32)
        }

        @Test(arguments: ["s16", "s24"])
        func integersAreCopiedToTheBit(format: String) async throws {
            let input = try shop.flac("a.flac", seconds: 0.5)
            _ = try await render("--format", format, input)
            let bits = format == "s16" ? 16 : 24
            #expect(try shop.wave("out.wav").sampleFormat == .integer(bits: bits))
            #expect(try shop.samples("out.wav") == shop.samples("a.flac.wav"))
        }

        @Test func whatIsRoundedIsDitheredUnlessToldOtherwise() async throws {
            let input = try shop.flac("a.flac", seconds: 0.5)
            _ = try await render("--format", "s16", "--volume", "70", input)
            let dithered = try shop.samples("out.wav")
            _ = try await render("--format", "s16", "--volume", "70", "--no-dither", input)
            let rounded = try shop.samples("out.wav")
            #expect((dithered == rounded) == false)
            // The noise has at most one step, and so has the rounding.
            #expect(zip(dithered, rounded).allSatisfy { abs($0 - $1) <= 2.0 / 32_768 })
        }

        @Test(arguments: ["out.wav", "out.flac"])
        func loudnessAndPeakAreThoseOfTheFile(output: String) async throws {
            // 997 Hz at -20 dBFS in both channels reads -20 LUFS.
            let input = try shop.tone("a.wav", frequency: 997, seconds: 3, rate: 48_000, level: 0.1)
            let report = try await render(input, to: output)
            let loudness = try #require(report.loudnessLUFS)
            let peak = try #require(report.peak)
            #expect(abs(loudness - -20) < 0.1)
            #expect(abs(peak - 0.1) < 0.001)
            let text = try await Program.descant("render", "--output", shop.path(output), input)
            #expect(text.output.contains("peak -20.0 dBFS, loudness -"), "\(text.output)")
        }

        @Test func crossfadesOverlapByWhatWasAskedFor() async throws {
            let first = try shop.flac("a.flac", frequency: 440, seconds: 4)
            let second = try shop.flac("b.flac", frequency: 1000, seconds: 4)
            let report = try await render("--crossfade", "1.5", "--curve", "linear", first, second)
            #expect(report.frames == 4 * 44_100 * 2 - 66_150)
            let transition = try #require(report.transitions.first)
            #expect(transition.kind == "crossfade" && transition.startFrame == 110_250 && transition.frames == 66_150)
            #expect(transition.from.hasSuffix("/a.flac") && transition.to.hasSuffix("/b.flac"))
            #expect(report.tracks.map(\.startFrame) == [0, 110_250])
            #expect(report.tracks.map(\.endFrame) == [176_400, 286_650])
        }

        @Test func crossfadesOfResampledTracksAreExactToo() async throws {
            let first = try shop.flac("a.flac", frequency: 440, seconds: 4)
            let second = try shop.flac("b.flac", frequency: 1000, seconds: 4)
            let report = try await render("--crossfade", "1.5", "--sample-rate", "48000", first, second)
            #expect(report.frames == 8 * 48_000 - 72_000)
            #expect(report.transitions.map(\.startFrame) == [120_000])
        }

        @Test func withoutACrossfadeTracksJoin() async throws {
            let first = try shop.flac("a.flac", frequency: 440, seconds: 1)
            let second = try shop.flac("b.flac", frequency: 1000, seconds: 1)
            let report = try await render(first, second)
            #expect(report.transitions.map(\.kind) == ["gapless"] && report.transitions.map(\.frames) == [0])
            #expect(try shop.samples("out.wav") == shop.samples("a.flac.wav") + shop.samples("b.flac.wav"))
        }

        @Test func seeksAndPausesHappenOnTheOutputsTimeline() async throws {
            let input = try shop.flac("a.flac", seconds: 6)
            let paused = try await render("--pause", "1=0.5", input)
            #expect(paused.frames == 6 * 44_100 + 22_050)
            // The seek fades out for 0.3 s before it moves.
            let moved = try await render("--seek", "2=5", input)
            #expect(moved.frames == Int64((2 + 0.3 + 1) * 44_100))
            let samples = try shop.samples("out.wav")
            #expect(samples.count == Int(moved.frames) * 2)
        }

        @Test func shapesFollowTheInputs() async throws {
            let mono = try shop.flac("m.flac", seconds: 0.5, rate: 32_000, channels: 1)
            let stereo = try shop.flac("s.flac", seconds: 0.5)
            let single = try await render(mono)
            #expect(single.channels == 1)
            let both = try await render(mono, stereo)
            #expect(both.channels == 2 && both.sampleRate == 32_000)
            let chosen = try await render("--channels", "1", "--sample-rate", "48000", stereo)
            #expect(chosen.channels == 1 && chosen.sampleRate == 48_000 && chosen.frames == 24_000)
        }

        /// Rates below those of a mix come out at a multiple: as long as the source, at its pitch.
        @Test(arguments: [(1_000, 8_000), (1_234, 8_638), (4_000, 8_000)])
        func slowSourcesAreMixedAtAMultiple(_ rate: Int, of mix: Int) async throws {
            let report = try await render(try shop.flac("low.flac", seconds: 2, rate: rate, channels: 1))
            #expect(report.sampleRate == mix && report.frames == 2 * Int64(mix) && report.errors == [])
        }

        @Test func anEndlessOverlayEndsWithTheTracks() async throws {
            let input = try shop.flac("a.flac", seconds: 3)
            let overlay = try shop.flac("o.flac", frequency: 2000, seconds: 0.5)
            let report = try await render(
                "--overlay", overlay, "--overlay-volume", "0.5", "--overlay-loop", "infinite", input)
            #expect(report.frames == 3 * 44_100)
            let mixed = try shop.samples("out.wav")
            let main = try shop.samples("a.flac.wav")
            let clip = try shop.samples("o.flac.wav")
            // Up to the last tenth of a second the overlay lies there in full, without a fade in and without a seam.
            let full = Int(2.9 * 44_100) * 2
            let worst = (0..<full).reduce(Float(0)) { max($0, abs(mixed[$1] - main[$1] - 0.5 * clip[$1 % clip.count])) }
            #expect(worst < 1e-6)
            #expect(abs(mixed[mixed.count - 1] - main[main.count - 1]) < 1e-3)
        }

        @Test func anOverlayOfOnePassIsPlayedOnce() async throws {
            let input = try shop.flac("a.flac", seconds: 2)
            let overlay = try shop.flac("o.flac", frequency: 2000, seconds: 0.5)
            _ = try await render("--overlay", overlay, input)
            let mixed = try shop.samples("out.wav")
            let main = try shop.samples("a.flac.wav")
            #expect(Array(mixed[44_100...]) == Array(main[44_100...]))
            #expect(mixed[5000] != main[5000])
        }

        @Test func volumeAndRateApply() async throws {
            let input = try shop.flac("a.flac", seconds: 2)
            let quiet = try await render("--volume", "50", input)
            let peak = try #require(quiet.peak)
            #expect(abs(peak - 0.125) < 0.001)
            let fast = try await render("--rate", "2", input)
            #expect(abs(fast.seconds - 1) < 0.2)
        }

        // MARK: What goes wrong

        @Test func badInputsAreReportedAndLeftOut() async throws {
            let good = try shop.flac("a.flac", seconds: 0.5)
            let text = try shop.file("text.mp3", String(repeating: "not a song\n", count: 50))
            let empty = try shop.file("empty.flac", "")
            let report = try await render(shop.path("missing.flac"), good, text, empty)
            #expect(report.tracks.count == 1 && report.frames == 22_050)
            #expect(report.errors.count == 3)
            #expect(report.errors.map(\.code).first == "notFound")
            let messages = report.errors.map(\.message)
            #expect(Set(messages).count == 3)
            for (message, name) in zip(messages, ["missing.flac", "text.mp3", "empty.flac"]) {
                #expect(message.contains(name), "\(message)")
            }
        }

        @Test func foldersAndPlaylistsWithoutTracksAreReportedAndLeftOut() async throws {
            let good = try shop.flac("a.flac", seconds: 0.5)
            let folder = shop.path("nothing")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let list = try shop.file("empty.m3u", "# nothing\n")
            let result = try await Program.descant(
                "render", "--json", "--output", shop.path("out.wav"), folder, good, list)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("nothing: there are no audio files"), "\(result.errors)")
            #expect(result.errors.contains("empty.m3u"), "\(result.errors)")
            let report = try result.json(RenderOutput.self)
            #expect(report.frames == 22_050 && report.errors.map(\.code) == ["notFound", "notFound"])
            #expect(report.errors[1].message.contains("empty.m3u"))
            let none = try await Program.descant("render", "--output", shop.path("none.wav"), folder, list)
            #expect(none.status == 66, "\(none.errors)")
            #expect(none.errors.contains("nothing") && none.errors.contains("empty.m3u"), "\(none.errors)")
        }

        @Test func whatAFolderHidesIsTold() async throws {
            let album = shop.path("album")
            try FileManager.default.createDirectory(atPath: album + "/CD2", withIntermediateDirectories: true)
            _ = try shop.flac("album/a.flac", seconds: 0.5)
            // A name in Latin-1, and a folder that may not be read.
            let name = Array((album + "/caf").utf8) + [0xE9] + Array(".wav".utf8) + [0]
            close(open(name.map(CChar.init(bitPattern:)), O_CREAT | O_WRONLY, 0o600))
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: album + "/CD2")
            let result = try await Program.withoutPrivilege(["render", "--output", shop.path("out.wav"), album])
            #expect(result.status == 0 && result.errors.contains("the name is not UTF-8"), "\(result.errors)")
            #expect(result.errors.contains("CD2: the folder cannot be read"), "\(result.errors)")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: album + "/CD2")
        }

        @Test func aPipeIsNotReplaced() async throws {
            let input = try shop.tone("a.wav", seconds: 0.5)
            let pipe = shop.path("pipe.wav")
            try #require(mkfifo(pipe, 0o600) == 0)
            let result = try await Program.descant("render", "--output", pipe, input)
            #expect(result.status != 0 && result.errors.contains("is a pipe or a device"), "\(result.errors)")
            var status = stat()
            #expect(lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        }

        @Test func aFileWithoutAFrameIs66() async throws {
            // A DSF header that announces no sound; numbers have their lowest byte first.
            func little(_ value: Int, _ size: Int) -> Data {
                Data((0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
            }
            var data =
                Data("DSD ".utf8) + little(28, 8) + little(92, 8) + little(0, 8) + Data("fmt ".utf8) + little(52, 8)
            for value in [1, 0, 2, 2, 2_822_400, 1, 0, 0, 4_096, 0] { data += little(value, 4) }
            data += Data("data".utf8) + little(12, 8)
            let file = shop.path("empty.dsf")
            try data.write(to: URL(fileURLWithPath: file))
            let old = Data("what was there before".utf8)
            let output = URL(fileURLWithPath: shop.path("out.wav"))
            try old.write(to: output)
            for command in [["render", "--output", output.path, file], ["info", file]] {
                let result = try await Program.run("descant", command)
                #expect(result.status == 66, "\(command): \(result.errors)")
                #expect(result.errors.contains("empty.dsf"))
            }
            #expect(try Data(contentsOf: output) == old)
        }

        /// As a shell without job control starts a job.
        @Test func aSignalThatTheShellIgnoresIsIgnored() async throws {
            let input = try shop.tone("a.wav", seconds: 2)
            let folder = shop.path("endless")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let program = Program.products.appendingPathComponent("descant").path
            let process = Program.make(
                "sh",
                [
                    "-c", "trap '' INT; exec \"$0\" \"$@\"", program, "render", "--repeat", "track", "--repeat-count",
                    "300",
                    "--output", "\(folder)/out.wav", input,
                ])
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            while try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, process.isRunning {
                await Task.yield()
            }
            kill(process.processIdentifier, SIGINT)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["out.wav"])
        }

        @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
        func aSignalLeavesNoOutput(signal: Int32) async throws {
            let input = try shop.flac("a.flac", seconds: 2)
            let output = shop.path("endless/out.wav")
            try FileManager.default.createDirectory(atPath: shop.path("endless"), withIntermediateDirectories: true)
            let process = Program.make(
                "descant", ["render", "--repeat", "track", "--repeat-count", "5000", "--output", output, input])
            try process.run()
            let folder = shop.path("endless")
            while try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, process.isRunning {
                await Task.yield()
            }
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            // A shell ends its loop only when its program died of the signal.
            #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == signal)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }

        @Test func twoSignalsAtOnceLeaveNoOutput() async throws {
            let input = try shop.tone("a.wav", seconds: 2)
            let folder = shop.path("endless")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let process = Program.make(
                "descant",
                ["render", "--repeat", "track", "--repeat-count", "5000", "--output", "\(folder)/out.wav", input])
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            while try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, process.isRunning {
                await Task.yield()
            }
            // Both arrive together when the process goes on: the second one ends it before it has put anything away.
            for number in [SIGSTOP, SIGINT, SIGTERM, SIGCONT] { kill(process.processIdentifier, number) }
            process.waitUntilExit()
            #expect([128 + SIGINT, 128 + SIGTERM].contains(process.shellStatus))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }

        @Test func aFullDiskLeavesNoOutput() async throws {
            let input = try shop.tone("a.wav", seconds: 20)
            try FileManager.default.createDirectory(atPath: shop.path("full"), withIntermediateDirectories: true)
            for name in ["out.wav", "out.flac"] {
                let output = shop.path("full/\(name)")
                let program = Program.products.appendingPathComponent("descant").path
                // A limit of the size stands for the end of the disk: writing fails in the middle of the file.
                let result = try await Program.run(
                    "bash",
                    [
                        "-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "bash", program, "render", "--output", output,
                        input,
                    ])
                #expect(result.status == 1 && result.errors.contains("cannot write \(output):"), "\(result.errors)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: shop.path("full")).isEmpty)
            }
        }

        @Test(arguments: ["play", "render"])
        func anErrorAfterProgressHasALineOfItsOwn(command: String) async throws {
            let input = try shop.tone("a.wav", seconds: 2, rate: 8_000, channels: 1)
            let terminal = try onTerminal(
                command, "--repeat", "track", "--repeat-count", "50000", "--output", shop.path("out.wav"), input)
            try terminal.wait("the progress", until: shows("rendered "))
            // The file is larger already: the next write fails.
            try await Program.run("prlimit", ["--pid", "\(terminal.process.processIdentifier)", "--fsize=1"])
            #expect(try terminal.finish() == 1)
            let text = terminal.screen.text
            #expect(text[0].hasPrefix("descant: ") && text[0].contains("cannot write"), "\(text)")
            #expect(!text.contains { $0.contains("rendered ") }, "\(text)")
        }

        /// Runs the program with both outputs on a terminal; a limit of the size of files does not end it.
        private func onTerminal(_ arguments: String...) throws -> TerminalProgram {
            let program = Program.products.appendingPathComponent("descant").path
            return try TerminalProgram(
                "bash", ["-c", "trap '' XFSZ; exec \"$@\" 2>&1", "bash", program] + arguments, width: 250, height: 5)
        }

        @Test func nothingToOpenIs66() async throws {
            let result = try await Program.descant(
                "render", "--json", "--output", shop.path("out.wav"), shop.path("a.flac"), shop.path("b.flac"))
            #expect(result.status == 66)
            let report = try result.json(RenderOutput.self)
            #expect(report.errors.count == 2 && report.frames == 0)
            #expect(!FileManager.default.fileExists(atPath: shop.path("out.wav")))
        }

        /// As the tags of a file are written.
        @Test func aLinkIsFollowedAndProtectionRespected() async throws {
            let song = try shop.flac("a.flac", seconds: 0.2)
            let (file, link) = (try shop.file("mix.wav", "old"), shop.path("link.wav"))
            chmod(file, 0o600)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            #expect(try await Program.descant("render", "--output", link, song).status == 0)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600 && attributes[.size] as? Int ?? 0 > 1_000)
            chmod(file, 0o444)
            let before = try Data(contentsOf: URL(fileURLWithPath: file))
            let result = try await Program.withoutPrivilege(["render", "--output", file, song])
            #expect(result.status != 0 && result.errors.contains("write-protected"), "\(result.errors)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
        }

        @Test(arguments: [
            ["--output", "out.mp3", "a.flac"], ["--output", "out.wav"], ["a.flac"],
            ["--output", "out.wav", "--crossfade", "0.5", "a.flac"],
            ["--output", "out.wav", "--curve", "round", "a.flac"],
            ["--output", "out.wav", "--seek", "1", "a.flac"], ["--output", "out.wav", "--overlay-loop", "0", "a.flac"],
            ["--output", "out.wav", "--volume", "101", "a.flac"], ["--output", "out.wav", "--format", "s8", "a.flac"],
            ["--output", "out.wav", "--nonsense", "a.flac"], ["--output", "out.wav", ""],
            ["--output", "out.flac", "--format", "f32", "a.flac"],
            ["--output", "out.wav", "--overlay-volume", "0.5", "a.flac"],
        ])
        func wrongUsageIs2(arguments: [String]) async throws {
            let result = try await Program.run("descant", ["render"] + arguments, folder: shop.folder)
            #expect(result.status == 2)
            #expect(result.errors.contains("Usage") && result.output.isEmpty)
        }

        /// A limit for the size of files ends a render that begins nevertheless.
        @Test func aWaveFileThatWouldPassItsEndIsRefusedBefore() async throws {
            let input = try shop.tone("a.wav", seconds: 1, channels: 1)
            let program = Program.products.appendingPathComponent("descant").path
            let result = try await Program.run(
                "bash",
                [
                    "-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "bash", program, "render", "--output",
                    shop.path("out.wav"), "--repeat", "track", "--repeat-count", "40000", input,
                ])
            #expect(result.status == 2 && result.errors.contains("use a name that ends in .flac"), "\(result.errors)")
            #expect(result.errors.contains("6.8 hours here, and the sound lasts 11.1 hours"), "\(result.errors)")
            #expect(!FileManager.default.fileExists(atPath: shop.path("out.wav")))
        }

        @Test func anInputIsNeverOverwritten() async throws {
            let input = try shop.tone("a.wav", seconds: 0.5)
            let before = try Data(contentsOf: URL(fileURLWithPath: input))
            let result = try await Program.descant("render", "--output", input, input)
            #expect(result.status == 2 && result.errors.contains("overwritten"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: input)) == before)
        }

        @Test func anOutputThatCannotBeMadeIs1() async throws {
            let input = try shop.tone("a.wav", seconds: 0.5)
            let result = try await Program.descant("render", "--output", shop.path("no/such/folder/out.wav"), input)
            #expect(result.status == 1 && result.errors.contains("no/such/folder/out.wav"))
        }
    }
}
