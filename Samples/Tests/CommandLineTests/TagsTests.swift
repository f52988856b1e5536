import Descant
import Foundation
import Testing

extension RenderingSuite {
    @Suite struct TagsTests {
        private struct Report: Decodable {
            struct Picture: Decodable {
                let kind: String
                let mimeType: String
                let bytes: Int
            }
            struct Technical: Decodable {
                let codec: String
                let sampleRate: Int
            }
            let schemaVersion: Int
            let url: String
            let title: String?
            let artists: [String]?
            let trackNumber: Int?
            let trackTotal: Int?
            let pictures: [Picture]?
            let technical: Technical
        }

        private let shop: Workshop

        init() throws { shop = try Workshop() }

        @Test func fieldsAreWrittenAndShown() async throws {
            let file = try shop.flac("a.flac", seconds: 0.2, tags: ["TITLE=alt", "MOOD=calm"])
            let picture = shop.path("cover.png")
            try (Data([0x89, 0x50, 0x4E, 0x47]) + Data(count: 500)).write(to: URL(fileURLWithPath: picture))
            let result = try await Program.descant(
                "tags", file, "--set", "title=日本の雨", "--set", "artist=Ann", "--set", "artist=Ben", "--set",
                "track=3/12", "--artwork", picture, "--json")
            #expect(result.status == 0, "\(result.errors)")
            let report = try result.json(Report.self)
            #expect(report.title == "日本の雨" && report.artists == ["Ann", "Ben"])
            #expect(report.trackNumber == 3 && report.trackTotal == 12 && report.schemaVersion == 2)
            #expect(report.pictures?.first?.kind == "frontCover" && report.pictures?.first?.bytes == 504)
            #expect(report.technical.codec == "FLAC" && report.technical.sampleRate == 44_100)
            let text = try await Program.descant("tags", file)
            #expect(text.output.contains("日本の雨") && text.output.contains("3 of 12"))
            let copy = shop.path("copy.png")
            #expect(try await Program.descant("tags", file, "--extract-artwork", copy).status == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: copy)).count == 504)
        }

        /// Whoever takes the picture out wants the one that is in the file.
        @Test func thePictureIsTakenOutBeforeItIsRemoved() async throws {
            let file = try shop.flac("a.flac", seconds: 0.2)
            let picture = shop.path("cover.png")
            try (Data([0x89, 0x50, 0x4E, 0x47]) + Data(count: 500)).write(to: URL(fileURLWithPath: picture))
            #expect(try await Program.descant("tags", file, "--artwork", picture).status == 0)
            let nowhere = try await Program.descant(
                "tags", file, "--extract-artwork", shop.path("nowhere/x.png"), "--unset", "artwork")
            #expect(nowhere.status == 1, "\(nowhere.errors)")
            let same = try await Program.descant("tags", file, "--artwork", picture, "--extract-artwork", picture)
            #expect(same.status == 2 && same.errors.contains("name the same file"), "\(same.errors)")
            let copy = shop.path("copy.png")
            let result = try await Program.descant("tags", file, "--extract-artwork", copy, "--unset", "artwork")
            #expect(result.status == 0, "\(result.errors)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: copy)).count == 504)
            #expect(try await Program.descant("tags", file, "--extract-artwork", copy).errors.contains("no picture"))
        }

        @Test func picturesDoNotReplaceSound() async throws {
            let file = try shop.flac("a.flac", seconds: 0.2)
            let picture = shop.path("cover.png")
            try (Data([0x89, 0x50, 0x4E, 0x47]) + Data(count: 500)).write(to: URL(fileURLWithPath: picture))
            #expect(try await Program.descant("tags", file, "--artwork", picture).status == 0)
            let song = shop.path("song")
            try FileManager.default.copyItem(atPath: file, toPath: song)
            let other = try shop.flac("other.flac", seconds: 0.2)
            let before = try [song, other].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
            for (input, target) in [(song, other), (file, shop.path("new.MP3")), (song, song)] {
                let result = try await Program.descant("tags", input, "--extract-artwork", target)
                #expect(result.status == 2 && result.errors.contains("name a picture"), "\(result.errors)")
            }
            #expect(try [song, other].map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == before)
        }

        @Test func aFileThatCannotBeWrittenDoesNotKeepTheOthers() async throws {
            let files = try ["a.flac", "c.flac"].map { try shop.flac($0, seconds: 0.1) }
            let broken = try shop.file("b.flac", "no sound")
            let result = try await Program.descant("tags", files[0], broken, files[1], "--set", "album=Tea")
            #expect(result.status == 1, "\(result.errors)")
            #expect(result.errors.split(separator: "\n").count == 1 && result.errors.contains("b.flac"))
            for file in files { #expect(try await Program.descant("tags", file).output.contains("Tea")) }
            // The format follows the files that were asked for, not those that were written.
            let json = try await Program.descant("tags", "--json", broken, files[0], "--set", "album=Tea")
            #expect(json.status == 1 && json.output.split(separator: "\n").count == 1, "\(json.output)")
            #expect(try await Program.descant("tags", broken, "--set", "album=Tea").status == 66)
        }

        @Test func namesDoNotControlTheTerminal() async throws {
            let file = try shop.flac("red\u{1b}[31m.flac", seconds: 0.1)
            let missing = shop.path("gone\u{1b}[31m.flac")
            for arguments in [
                ["tags", file], ["tags", missing], ["info", file], ["info", missing],
                ["tags", file, "--set", "year=33"],
                ["play", "--output", "null", missing], ["play", "--output", "null", file], ["play", "\(file).m3u"],
            ] {
                let result = try await Program.run("descant", arguments)
                #expect(!(result.output + result.errors).utf8.contains(0x1B), "\(arguments)")
            }
        }

        @Test func fieldsAreRemoved() async throws {
            let tags = ["TITLE=alt", "COMMENT=x", "TRACKNUMBER=3", "TRACKTOTAL=9", "MOOD=calm"]
            let file = try shop.flac("a.flac", seconds: 0.2, tags: tags)
            let result = try await Program.descant(
                "tags", file, "--unset", "title", "--unset", "tracktotal", "--set", "artist=Ann", "--json")
            #expect(result.status == 0, "\(result.errors)")
            let report = try result.json(Report.self)
            #expect(report.title == nil && report.trackTotal == nil)
            #expect(report.artists == ["Ann"] && report.trackNumber == 3)
            let unknown = try await Program.descant("tags", file, "--unset", "colour")
            #expect(unknown.status == 2 && unknown.errors.contains("artwork"), "\(unknown.errors)")
            let both = try await Program.descant("tags", file, "--unset", "title", "--set", "title=x")
            #expect(both.status == 1 && both.errors.contains("title"), "\(both.errors)")
        }

        @Test func numberAndTotalAreWrittenAlone() async throws {
            let file = try shop.flac("a.flac", seconds: 0.2, tags: ["TRACKNUMBER=3"])
            let total = try await Program.descant("tags", file, "--set", "track=/12", "--json")
            #expect(total.status == 0, "\(total.errors)")
            let report = try total.json(Report.self)
            #expect(report.trackNumber == 3 && report.trackTotal == 12)
            let number = try await Program.descant("tags", file, "--set", "track=4", "--json").json(Report.self)
            #expect(number.trackNumber == 4 && number.trackTotal == 12)
            let before = try Data(contentsOf: URL(fileURLWithPath: file))
            for value in ["track=3/", "disc=3/", "track=/", "track=", "track=3/12/1", "year=/12", "tracktotal=/12"] {
                let result = try await Program.descant("tags", file, "--set", value)
                #expect(result.status == 2 && result.errors.contains("\(value): no number"), "\(result.errors)")
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
        }

        /// ID3 in a WAVE file; mutagen is the witness.
        @Test func wordsInOtherLanguagesStay() async throws {
            let file = try shop.tone("a.wav", seconds: 0.2)
            let script = """
                import sys, mutagen.wave
                words = mutagen.wave.WAVE(sys.argv[1]).tags.getall("USLT")
                print(" ".join(sorted(frame.lang + "=" + frame.text for frame in words)))
                """
            func words(after arguments: String...) async throws -> String {
                let result = try await Program.run("descant", ["tags", file] + arguments)
                #expect(result.status == 0, "\(result.errors)")
                // The system's Python, for which python3-mutagen is installed.
                return try await Program.run("env", ["/usr/bin/python3", "-c", script, file]).output
            }
            #expect(
                try await words(after: "--set", "lyrics:deu=Regen", "--set", "lyrics:fra=pluie", "--set", "title=x")
                    == "deu=Regen fra=pluie\n")
            #expect(try await words(after: "--set", "lyrics:eng=rain") == "deu=Regen eng=rain fra=pluie\n")
            #expect(
                try await words(after: "--set", "lyrics:eng=drizzle", "--set", "lyrics:DEU=Nieseln")
                    == "deu=Nieseln eng=drizzle fra=pluie\n")
            #expect(try await words(after: "--set", "lyrics:fra=") == "deu=Nieseln eng=drizzle\n")
            #expect(try await words(after: "--set", "lyrics=la") == "XXX=la\n")
            #expect(try await words(after: "--set", "lyrics:eng=rain") == "eng=rain\n")
            // Other kinds of tags have no languages, and so one text.
            let flac = try shop.flac("b.flac", seconds: 0.1, tags: ["LYRICS=old"])
            #expect(try await Program.descant("tags", flac, "--set", "lyrics:eng=new").status == 0)
            let tags = try await Program.run("metaflac", ["--show-tag=LYRICS", flac])
            #expect(tags.output == "LYRICS=new\n")
        }

        @Test func infoShowsTagsToo() async throws {
            struct Info: Decodable { let tags: Report? }
            let file = try shop.flac("a.flac", seconds: 0.2, tags: ["TITLE=Regen", "TRACKTOTAL=9"])
            let info = try await Program.descant("info", "--json", file).json(Info.self)
            #expect(info.tags?.title == "Regen" && info.tags?.trackTotal == 9)
        }

        @Test func folderPrintsOneObjectPerLine() async throws {
            let names = ["b", "a", "c"]
            for name in names { try shop.flac("\(name).flac", seconds: 0.1, tags: ["TITLE=\(name)"]) }
            try shop.file("broken.flac", "no sound")
            let result = try await Program.descant("tags", "--recursive", shop.folder.path, "--json")
            #expect(result.status == 1 && result.errors.contains("broken.flac"))
            let reports = try result.output.split(separator: "\n")
                .map { try JSONDecoder().decode(Report.self, from: Data($0.utf8)) }
            #expect(reports.compactMap(\.title) == names.sorted())
            #expect(reports.map(\.url) == reports.map(\.url).sorted())
            // The source files of the encoder are in the same folder.
            #expect(reports.count == 6)
        }

        @Test func invalidTagsAreReported() async throws {
            let file = try shop.flac("a.flac", seconds: 0.1)
            let unknown = try await Program.descant("tags", file, "--set", "colour=red")
            #expect(unknown.status == 2 && unknown.errors.contains("albumartist"))
            #expect(try await Program.descant("tags", file, "--set", "year=soon").status == 2)
            let year = try await Program.descant("tags", file, "--set", "year=33")
            #expect(year.status == 1 && year.errors.contains("1000 to 9999"))
            #expect(try await Program.descant("tags", shop.path("missing.flac")).status == 66)
            #expect(try await Program.descant("tags", "--recursive", shop.path("missing")).status == 66)
            #expect(try await Program.descant("tags").status == 2)
            for empty in [["tags", ""], ["tags", "--recursive", ""], ["play", ""]] {
                let result = try await Program.run("descant", empty)
                #expect(result.status == 2 && result.errors.contains("a name is empty"), "\(result.errors)")
            }
            let none = try await Program.descant("tags", file, "--extract-artwork", shop.path("x.png"))
            #expect(none.status == 1 && none.errors.contains("no picture"))
        }

        /// A limit for the size of files simulates a full disk.
        @Test func fullDiskKeepsTheFile() async throws {
            let file = try shop.flac("a.flac", seconds: 1, tags: ["TITLE=alt"])
            let before = try Data(contentsOf: URL(fileURLWithPath: file))
            let names = try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).sorted()
            let program = Program.products.appendingPathComponent("descant").path
            let command = "trap '' XFSZ; ulimit -f 8; exec \"\(program)\" tags \"\(file)\" --set title=neu"
            let result = try await Program.run("bash", ["-c", command])
            #expect(result.status == 1 && result.errors.contains("a.flac"), "\(result.errors)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).sorted() == names)
        }

        /// `DESCANT_TAG_KILLS` sets the number of kills, by default 12; `make test-long` uses 200.
        /// Where files cannot be made without a name, a copy would stay beside the file that is being written.
        @Test func ctrlCFinishesTheFileThatIsWritten() async throws {
            let first = try shop.flac("0.flac", seconds: 0.1)
            let before = try Data(contentsOf: URL(fileURLWithPath: first))
            let files = [first] + (1..<1_000).map { shop.path("\($0).flac") }
            for file in files.dropFirst() { try before.write(to: URL(fileURLWithPath: file)) }
            let process = Program.make("descant", ["tags", "--set", "title=New"] + files)
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try process.run()
            while try Data(contentsOf: URL(fileURLWithPath: first)) == before, process.isRunning { await Task.yield() }
            kill(process.processIdentifier, SIGINT)
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGINT)
            #expect(try Data(contentsOf: URL(fileURLWithPath: files[999])) == before)
            let names = try FileManager.default.contentsOfDirectory(atPath: shop.folder.path)
            #expect(!names.contains { $0.hasPrefix(".") }, "\(names)")
        }

        @Test(arguments: [["tags", "a.flac"], ["info", "a.flac"], ["doctor"]])
        func aClosedPipeEndsTheProgramAsItEndsOthers(arguments: [String]) async throws {
            try shop.flac("a.flac", seconds: 0.1)
            let process = Program.make("descant", arguments, folder: shop.folder)
            let (output, errors) = (Pipe(), Pipe())
            try output.fileHandleForReading.close()
            (process.standardOutput, process.standardError) = (output.fileHandleForWriting, errors)
            try process.run()
            let told = String(decoding: await errors.fileHandleForReading.allBytes(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGPIPE, "\(told)")
            #expect(told.isEmpty)
        }

        @Test func killDuringWriteLeavesOldOrNewFile() async throws {
            let kills = ProcessInfo.processInfo.environment["DESCANT_TAG_KILLS"].flatMap { Int($0) } ?? 12
            let file = try shop.flac("a.flac", seconds: 20, tags: ["TITLE=alt"])
            let url = URL(fileURLWithPath: file)
            let old = try Data(contentsOf: url)
            let comment = String(repeating: "long ", count: 4_000)
            let program = Program.products.appendingPathComponent("descant").path
            let arguments = [program, "tags", file, "--set", "comment=\(comment)"]
            let clock = ContinuousClock()
            let whole = try await clock.measure { _ = try await Program.run("env", arguments) }
            let new = try Data(contentsOf: url)
            #expect(new != old)
            for round in 0..<kills {
                try old.write(to: url)
                let limit = whole / .seconds(1) * 1.2 * Double(round + 1) / Double(kills)
                _ = try await Program.run("timeout", ["-s", "KILL", String(format: "%.4f", limit)] + arguments)
                let now = try Data(contentsOf: url)
                #expect(now == old || now == new, "killed after \(limit) s")
            }
        }
    }
}
