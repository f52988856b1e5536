import Descant
import Foundation
import GRDB
import MediaLibrary
import Testing

/// `descant library`.
@Suite struct LibraryCommandTests {
    private let music: MusicFolder

    init() throws { music = try MusicFolder() }

    private struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        /// The lines of the output as JSON objects.
        var objects: [[String: Any]] {
            output.split(separator: "\n").compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
        }
    }

    private func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "descant-library")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["XDG_DATA_HOME": music.libraryFile.deletingLastPathComponent().path]) { $1 }
        return process
    }

    private func run(_ arguments: String..., input: String = "") throws -> Outcome {
        try run(arguments, input: input)
    }

    private func run(_ arguments: [String], input: String = "") throws -> Outcome {
        let process = process(arguments)
        let files = ["out", "err"].map { music.libraryFile.deletingLastPathComponent().appending(path: $0) }
        try FileManager.default.createDirectory(
            at: files[0].deletingLastPathComponent(), withIntermediateDirectories: true)
        for file in files { try Data().write(to: file) }
        let stdin = Pipe()
        process.standardInput = stdin
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: try String(contentsOf: files[0], encoding: .utf8),
            errors: try String(contentsOf: files[1], encoding: .utf8))
    }

    private func fill() throws {
        try music.track(
            "a/1.wav", TagBundle("So What", by: "Miles Davis", on: "Kind of Blue", year: 1959, genre: "Jazz"))
        try music.track("a/2.wav", TagBundle("Blue in Green", by: "Miles Davis", on: "Kind of Blue", number: 2))
    }

    @Test func aFolderIsAddedSearchedListedAndRemoved() throws {
        try fill()
        let added = try run("add", music.url.path)
        #expect(added.status == 0 && added.output == "2 new\n", "\(added)")
        #expect(try run("scan").output == "2 unchanged\n")
        let scan = try run("scan", music.url.path, "--json")
        #expect(scan.objects.first?["unchanged"] as? Int == 2)
        let found = try run("search", "blue", "gre", "--json")
        #expect(found.objects.first?["title"] as? String == "Blue in Green")
        #expect(try run("search", "what", "--paths").output == music.url.path + "/a/1.wav\n")
        let none = try run("search", "nowhere")
        #expect(none.status == 66 && none.errors.contains("nothing contains nowhere"))
        #expect(try run("list").output == "Miles Davis  1 album, 2 tracks\n")
        #expect(try run("list", "albums").output == "Miles Davis – Kind of Blue (1959)  2 tracks, 0:00\n")
        #expect(try run("list", "tracks", "--genre", "JAZZ", "--paths").output == music.url.path + "/a/1.wav\n")
        #expect(try run("list", "artists", "--genre", "jazz").output == "Miles Davis  1 album, 1 track\n")
        #expect(try run("list", "genres", "--json").objects.first?["name"] as? String == "Jazz")
        #expect(try run("list", "folders").output == music.url.path + "\n")
        #expect(try run("stats").output.contains("tracks     2, 0:00"))
        #expect(try run("stats", "--json").objects.first?["artistCount"] as? Int == 1)
        #expect(try run("remove", music.url.path).status == 0)
        #expect(try run("list", "tracks").output.isEmpty)
    }

    @Test func aFolderThatCannotBeAddedDoesNotKeepTheOthers() throws {
        try fill()
        try music.track("b/3.wav")
        let added = try run("add", music.url.path + "/a", music.elsewhere.path, music.url.path + "/b")
        #expect(added.status == 66 && added.output == "3 new\n", "\(added)")
        #expect(added.errors.contains("elsewhere: No such file or directory"))
        let inner = try run("add", music.url.path, music.url.path + "/a")
        #expect(inner.status == 66 && inner.output == "3 unchanged\n", "\(inner)")
        #expect(inner.errors.contains("it lies within \(music.url.path)"))
        #expect(try run("list", "folders").output == music.url.path + "\n")
        let none = try run("add", music.elsewhere.path, "--json")
        #expect(none.status == 66 && none.output.isEmpty, "\(none)")
    }

    @Test func aFolderThatCannotBeRemovedDoesNotKeepTheOthers() throws {
        try fill()
        try music.track("b/3.wav")
        #expect(try run("add", music.url.path + "/a", music.url.path + "/b").status == 0)
        let removed = try run("remove", music.url.path + "/a", music.url.path + "/typo", music.url.path + "/b")
        #expect(removed.status == 66 && removed.errors.contains("/typo: this is not a folder of the library"))
        #expect(!removed.errors.contains("/a:") && !removed.errors.contains("/b:"), "\(removed)")
        #expect(try run("list", "folders").output.isEmpty)
    }

    @Test func peopleSeeSomeTracksAndProgramsAllOfThem() throws {
        for number in 100..<160 { try music.track("a/song \(number).wav") }
        #expect(try run("add", music.url.path).status == 0)
        let some = try run("search", "song")
        #expect(some.status == 0 && some.output.split(separator: "\n").count == 50)
        #expect(some.errors == "… and more: --limit COUNT\n")
        let whole = try run("search", "song", "--limit", "60")
        #expect(whole.output.split(separator: "\n").count == 60 && whole.errors.isEmpty)
        #expect(try run("search", "song", "--limit", "\(Int.max)").output == whole.output)
        let paths = try run("search", "song", "--paths")
        #expect(paths.output.split(separator: "\n").count == 60 && paths.errors.isEmpty)
        #expect(try run("search", "song", "--json").objects.count == 60)
        #expect(try run("search", "song", "--json", "--limit", "2").objects.count == 2)
        let list = try run("list", "tracks", "--limit", "2")
        #expect(list.output.split(separator: "\n").count == 2 && list.errors == "… and more: --limit COUNT\n")
        let json = try run("list", "tracks", "--json", "--limit", "2")
        #expect(json.objects.count == 2 && json.errors.isEmpty)
        #expect(try run("list", "tracks").output.split(separator: "\n").count == 60)
    }

    @Test func pathsMayEndInNUL() throws {
        try music.track("a/one\nline.wav")
        try music.track("a/two lines.wav")
        #expect(try run("add", music.url.path).status == 0)
        let paths = ["\(music.url.path)/a/one\nline.wav", "\(music.url.path)/a/two lines.wav"]
        for arguments in [["search", "line"], ["list", "tracks"]] {
            let found = try run(arguments + ["--print0"])
            #expect(found.status == 0 && found.output == paths.map { $0 + "\0" }.joined(), "\(found)")
        }
    }

    @Test func whatIsNotFoundIsNoResult() throws {
        try fill()
        #expect(try run("add", music.url.path).status == 0)
        for arguments in [
            ["list", "albums", "--artist", "nobody"], ["list", "artists", "--genre", "Pop"],
            ["list", "tracks", "--most-played", "--paths"], ["list", "tracks", "--album", "none", "--json"],
        ] {
            let outcome = try run(arguments)
            #expect(outcome.status == 66 && outcome.output.isEmpty, "\(arguments)")
            #expect(outcome.errors == "descant library: nothing found\n", "\(arguments)")
        }
        #expect(try run("remove", music.url.path).status == 0)
        for kind in ["artists", "albums", "genres", "tracks", "folders"] {
            let outcome = try run("list", kind)
            #expect(outcome.status == 66 && outcome.output.isEmpty, "\(kind)")
            #expect(outcome.errors == "descant library: the library has no \(kind)\n")
        }
    }

    @Test func whatIsWrongIsNamed() throws {
        let missing = try run("add", music.elsewhere.path)
        #expect(missing.status == 66 && missing.errors.contains("elsewhere: No such file or directory"))
        let empty = try run("scan")
        #expect(empty.status == 66 && empty.errors.contains("descant library add FOLDER"))
        let foreign = try run("remove", music.url.path)
        #expect(foreign.status == 66 && foreign.errors.contains("the library has no folders"))
        for wrong in [
            ["list", "words"], ["list", "--limit", "3"], ["list", "albums", "--genre", "Jazz"], ["search"],
            ["search", "--limit", "0", "a"], ["search", "--json", "--paths", "a"],
            ["search", "--json", "--print0", "a"], ["list", "tracks", "--json", "--print0"], ["list", "--print0"],
            ["scan", "--watch", "/"],
        ] {
            let process = process(wrong)
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 2, "\(wrong)")
        }
        let file = music.libraryFile.deletingLastPathComponent().appending(path: "descant/library.sqlite")
        try Data(
            "not a library, but a text that is longer than a hundred bytes, as short files count as empty ones …………"
                .utf8
        )
        .write(to: file)
        let damaged = try run("stats")
        #expect(damaged.status == 0 && damaged.errors.contains("set aside as library.sqlite.damaged"), "\(damaged)")
    }

    @Test func namesDoNotControlTheTerminal() throws {
        let name = "red\u{1b}[31m"
        try music.track("\(name)/1.wav")
        #expect(try run("add", music.url.path + "/" + name).status == 0)
        try music.remove(name)
        for arguments in [["scan"], ["add", music.url.path + "/" + name], ["list", "folders"]] {
            let outcome = try run(arguments)
            #expect(!(outcome.output + outcome.errors).utf8.contains(0x1B), "\(arguments)")
        }
    }

    @Test func aPlayerIsAnswered() throws {
        try fill()
        #expect(try run("add", music.url.path).status == 0)
        let outcome = try run(
            "serve",
            input: """
                {"id":1,"ask":"artists"}
                {"id":2,"ask":"albums","artist":"miles davis"}
                {"id":3,"ask":"tracks","album":"kind of blue"}
                {"id":4,"ask":"search","text":"green","limit":1}
                {"id":5,"ask":"played","path":"\(music.url.path)/a/1.wav"}
                {"id":6,"ask":"the time"}
                this is no request
                {"id":7,"ask":"genres"}
                {"id":8,"ask":"stats"}
                {"id":9,"ask":"artists","genre":"JAZZ"}
                {"id":10,"ask":"artists","genre":"Pop"}
                {"id":11,"ask":"tracks","order":"loudest"}
                {"id":12,"ask":"albums","artist":"miles davis","genre":"jazz"}
                {"id":13,"ask":"albums","artist":"miles davis","genre":"Pop"}
                {"id":14,"ask":"tracks","artist":"miles davis","album":"kind of blue","genre":"jazz"}

                """)
        #expect(outcome.status == 0)
        let answers = Dictionary(grouping: outcome.objects) { $0["id"] as? Int ?? 0 }
        func items(_ id: Int, _ key: String) -> [[String: Any]] { answers[id]?.first?[key] as? [[String: Any]] ?? [] }
        #expect(items(1, "artists").count == 1 && items(2, "albums").count == 1 && items(3, "tracks").count == 2)
        #expect(items(4, "tracks").first?["title"] as? String == "Blue in Green")
        #expect(answers[5]?.first?.count == 1, "an answer without values")
        #expect((answers[6]?.first?["error"] as? String)?.contains("no question the time") == true)
        #expect(answers[0]?.contains { ($0["problem"] as? String)?.contains("this is no request") == true } == true)
        #expect(items(7, "genres").count == 1 && answers[8]?.first?["stats"] != nil)
        #expect(items(9, "artists").first?["trackCount"] as? Int == 1 && items(10, "artists").isEmpty)
        #expect((answers[11]?.first?["error"] as? String)?.contains("no order loudest") == true)
        #expect(items(12, "albums").first?["trackCount"] as? Int == 1 && items(13, "albums").isEmpty)
        #expect(items(14, "tracks").count == 1)
        #expect(try run("list", "tracks", "--most-played", "--paths").output == music.url.path + "/a/1.wav\n")
    }

    /// A shell ends its loop when the program dies of the signal, and at no exit status.
    @Test(.timeLimit(.minutes(3)), arguments: [SIGINT, SIGTERM])
    func anInterruptedScanDiesOfTheSignal(number: Int32) async throws {
        try fill()
        let library = try music.library()
        try await library.add(music.url)
        let database = try DatabaseQueue(path: music.libraryFile.path)
        // An insertion goes on until it is interrupted, and the scan with it.
        try await database.write { db in
            try db.execute(
                sql: """
                    CREATE VIEW endless AS
                        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number) SELECT n FROM number;
                    CREATE TRIGGER delay BEFORE INSERT ON track BEGIN SELECT count(*) FROM endless; END
                    """)
        }
        for options in [[], ["--watch"]] {
            let scan = process(["scan", "--library", music.libraryFile.path] + options)
            let errors = Pipe()
            scan.standardError = errors
            try scan.run()
            while try !Self.catches(number, in: scan) { await Task.yield() }
            kill(scan.processIdentifier, number)
            let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            scan.waitUntilExit()
            #expect(scan.terminationReason == .uncaughtSignal, "\(options): \(text)")
            #expect(scan.terminationStatus == number, "\(options): \(text)")
            #expect(text.contains("the next scan goes on") == options.isEmpty, "\(options): \(text)")
        }
        try await database.write { try $0.execute(sql: "DROP TRIGGER delay") }
        #expect(try run("scan", "--library", music.libraryFile.path).output == "2 new\n")
    }

    /// Whether a running program catches a signal: a number of the kernel has a bit for each.
    private static func catches(_ number: Int32, in process: Process) throws -> Bool {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let head = "SigCgt:\t"
        let line = status.split(separator: "\n").first { $0.hasPrefix(head) }
        let caught = line.flatMap { UInt64($0.dropFirst(head.count), radix: 16) } ?? 0
        return caught & (1 << (number - 1)) != 0
    }

    /// The program `serve` while a person uses the player.
    private final class Player {
        private let process: Process
        private let requests = Pipe()
        private var lines: AsyncStream<String>.Iterator

        init(_ process: Process) throws {
            self.process = process
            let answers = Pipe()
            (process.standardInput, process.standardOutput) = (requests, answers)
            let (stream, feed) = AsyncStream.makeStream(of: String.self)
            lines = stream.makeAsyncIterator()
            try process.run()
            // Its output is read on a thread of its own, because that blocks.
            let file = answers.fileHandleForReading
            Thread.detachNewThread {
                var rest = Data()
                while let data = try? file.read(upToCount: 1), !data.isEmpty {
                    rest += data
                    guard data.first == 0x0A else { continue }
                    feed.yield(String(decoding: rest, as: UTF8.self))
                    rest = Data()
                }
                feed.finish()
            }
        }

        deinit { process.terminate() }

        func ask(_ request: String) throws {
            try requests.fileHandleForWriting.write(contentsOf: Data((request + "\n").utf8))
        }

        /// The lines up to the first one that meets a condition, as JSON objects.
        func read(until isLast: ([String: Any]) -> Bool) async -> [[String: Any]] {
            var objects: [[String: Any]] = []
            while let line = await lines.next() {
                guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                    continue
                }
                objects.append(object)
                if isLast(object) { return objects }
            }
            return []
        }
    }

    @Test(.timeLimit(.minutes(2))) func aPlayerAddsFoldersAndFollowsTheirScan() async throws {
        try fill()
        #expect(try run("add", music.url.path + "/a").status == 0)
        try music.track("b/3.wav", TagBundle("Nardis", by: "Bill Evans", on: "Explorations"))
        let player = try Player(process(["serve"]))
        func phase(_ line: [String: Any]) -> String? { (line["scan"] as? [String: Any])?["phase"] as? String }
        let first = await player.read { phase($0) == "finished" }
        let phases = first.compactMap(phase)
        #expect(phases.first == "searching" && phases.last == "finished", "\(phases)")
        #expect(!phases.contains("reading"), "there is nothing to read")
        try player.ask(#"{"id":1,"ask":"add","path":"\#(music.url.path)"}"#)
        var lines = await player.read { $0["changed"] != nil }
        // The scan begins before the answer, which may be the last to come.
        if !lines.contains(where: { $0["id"] as? Int == 1 }) { lines += await player.read { $0["id"] as? Int == 1 } }
        #expect(lines.contains { $0["id"] as? Int == 1 && $0["error"] == nil })
        let scans = lines.compactMap { $0["scan"] as? [String: Any] }
        #expect(scans.first?["phase"] as? String == "searching" && scans.first?["folder"] as? String == music.url.path)
        let reading = scans.first { $0["phase"] as? String == "reading" }
        #expect(reading?["total"] as? Int == 3 && reading?["folder"] as? String == music.url.path)
        #expect(scans.last?["phase"] as? String == "finished")
        // A folder that was added is followed. The file comes with its tags, from a folder that is hidden.
        try music.track(".new/4.wav", TagBundle("Quietly There", by: "Zoot Sims", on: "Quietly There"))
        try music.move(".new/4.wav", to: "c/4.wav")
        #expect(await !player.read { $0["changed"] != nil }.isEmpty)
        try player.ask(#"{"id":2,"ask":"artists"}"#)
        let artists = await player.read { $0["id"] as? Int == 2 }.last?["artists"] as? [[String: Any]]
        #expect(artists?.map { $0["name"] as? String } == ["Bill Evans", "Miles Davis", "Zoot Sims"])
        try player.ask(#"{"id":6,"ask":"tracks","order":"newest","limit":2}"#)
        let newest = await player.read { $0["id"] as? Int == 6 }.last?["tracks"] as? [[String: Any]]
        #expect(newest?.map { $0["title"] as? String } == ["Quietly There", "Nardis"])
        let refusals = [
            (music.url.path, "it is in the library already"), (music.url.path + "/a", "it lies within"),
            (music.elsewhere.path, "No such file or directory"), (music.url.path + "/a/1.wav", "Not a directory"),
            ("music", "name a folder by its whole path"),
        ]
        for (path, reason) in refusals {
            try player.ask(#"{"id":3,"ask":"add","path":"\#(path)"}"#)
            let answer = await player.read { $0["id"] as? Int == 3 }.last
            #expect((answer?["error"] as? String)?.contains(reason) == true, "\(path): \(answer ?? [:])")
        }
        try player.ask(#"{"id":7,"ask":"folders"}"#)
        let folders = await player.read { $0["id"] as? Int == 7 }.last?["folders"] as? [[String: Any]]
        #expect(folders?.first?["path"] as? String == music.url.path && folders?.first?["trackCount"] as? Int == 4)
        #expect(folders?.count == 1 && folders?.first?["state"] as? String == "readable")
        try player.ask(#"{"id":4,"ask":"remove","path":"\#(music.url.path)"}"#)
        #expect(await player.read { $0["id"] as? Int == 4 }.last?["error"] == nil)
        try player.ask(#"{"id":5,"ask":"folders"}"#)
        #expect(await player.read { $0["id"] as? Int == 5 }.last?["folders"] as? [[String: String]] == [])
    }

    /// A mistyped name must not cost another program its file.
    @Test func filesOfOtherProgramsStayAsTheyAre() throws {
        let folder = music.libraryFile.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (text, other) = (folder.appending(path: "list.xml"), folder.appending(path: "other.db"))
        try Data("<plist>a list of another program</plist>".utf8).write(to: text)
        try DatabaseQueue(path: other.path).write { try $0.execute(sql: "CREATE TABLE track (name TEXT)") }
        for file in [text, other] {
            let before = try Data(contentsOf: file)
            for command in [["stats"], ["list", "tracks"], ["add", music.url.path]] {
                let outcome = try run(command + ["--library", file.path])
                #expect(outcome.status == 66 && outcome.errors.contains("no library of Descant"), "\(outcome.errors)")
            }
            #expect(try Data(contentsOf: file) == before)
            #expect(!FileManager.default.fileExists(atPath: file.path + ".damaged"))
        }
        let missing = folder.appending(path: "new/mine.sqlite")
        #expect(try run("list", "tracks", "--library", missing.path).status == 66)
        #expect(!FileManager.default.fileExists(atPath: missing.path))
        try music.track("a/1.wav")
        #expect(try run("add", music.url.path, "--library", missing.path).status == 0)
        #expect(try run("list", "tracks", "--library", missing.path).status == 0)
        #expect(try run("remove", "").status == 2)
    }
}
