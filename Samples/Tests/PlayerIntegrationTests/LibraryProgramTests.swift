import Foundation
import PlayerApp
import PlayerIntegration
import Testing

/// The library's program, replaced by scripts.
@Suite(.timeLimit(.minutes(2)))
struct LibraryProgramTests {
    private func program(_ shelf: Shelf, _ script: String) throws -> URL {
        let url = shelf.folder.appendingPathComponent("descant-library")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
        return url
    }

    private func reason(_ call: () async throws -> Any) async -> String {
        do { return "answered: \(try await call())" } catch { return "\(error)" }
    }

    @Test func aQuestionWithoutAnAnswerEnds() async throws {
        let shelf = try Shelf()
        let library = LibraryProgram(try program(shelf, "while read -r question; do :; done"), patience: 1)
        let reason = await reason { try await library.tracks(by: "Field", on: nil, in: nil) }
        #expect(reason == "the library has not answered for 1 s; is its disk there?")
    }

    @Test func anAnswerThatComesTooLateIsIgnored() async throws {
        let shelf = try Shelf()
        let script = """
            read -r question
            read -r second
            printf '{"id":1,"artists":[]}\\n{"id":2,"artists":[{"name":"Field","albumCount":1}]}\\n'
            number=2
            while read -r question; do
                number=$((number + 1))
                printf '{"id":%s,"artists":[{"name":"Field","albumCount":1}]}\\n' "$number"
            done
            """
        let library = LibraryProgram(try program(shelf, script), patience: 1)
        #expect(await reason { try await library.artists(in: nil) }.contains("not answered"))
        // On a busy machine other answers may come too late as well.
        var titles: [String]?
        for _ in 0..<20 where titles == nil { titles = try? await library.artists(in: nil).map(\.title) }
        #expect(titles == ["Field"])
    }

    @Test func aProgramThatEndsIsStartedAgain() async throws {
        let shelf = try Shelf()
        let mark = shelf.folder.appendingPathComponent("mark").path
        let script = """
            read -r question
            if [ -e '\(mark)' ]; then printf '{"id":2,"artists":[]}\\n'; read -r next; else : > '\(mark)'; fi
            """
        let library = LibraryProgram(try program(shelf, script), patience: 60)
        #expect(await reason { try await library.artists(in: nil) }.contains("has ended"))
        #expect(try await library.artists(in: nil).isEmpty)
    }

    @Test func foldersAreListedAndRemoved() async throws {
        let shelf = try Shelf()
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        func folder(_ path: String, _ count: Int, _ state: String) -> String {
            #"{"path":"\#(path)","trackCount":\#(count),"state":"\#(state)"}"#
        }
        let folders = [
            folder("\(home)/Music", 1, "readable"), folder("/disk", 5, "empty"), folder("/x", 0, "unreadable"),
            folder("/net", 7, "silent"),
        ].joined(separator: ",")
        let script = """
            read -r question
            printf '%s\\n' '{"id":1,"folders":[\(folders)]}'
            read -r question
            case $question in
            *'"remove"'*'Music"'* | *'Music"'*'"remove"'*) echo '{"id":2}' ;;
            *) echo '{"id":2,"error":"what?"}' ;;
            esac
            read -r question
            """
        let library = LibraryProgram(try program(shelf, script), patience: 60)
        let lines = try await library.folders()
        #expect(lines.map(\.title) == ["~/Music", "/disk", "/x", "/net"])
        #expect(
            lines.map(\.detail) == [
                "1 track", "5 tracks, empty now", "0 tracks, not readable",
                "7 tracks, no answer",
            ])
        #expect(lines.first?.content == .folder("\(home)/Music"))
        #expect(try await library.removeFolder("\(home)/Music") == "~/Music")
    }

    @Test func albumsAndTracksAreThoseOfAGenre() async throws {
        let shelf = try Shelf()
        let script = """
            number=0
            while read -r question; do
                number=$((number + 1))
                case $question in
                *'"genre":"Jazz"'*) printf '{"id":%s,"albums":[],"tracks":[]}\\n' "$number" ;;
                *) printf '{"id":%s,"error":"what?"}\\n' "$number" ;;
                esac
            done
            """
        let library = LibraryProgram(try program(shelf, script), patience: 60)
        #expect(try await library.albums(by: "Field", in: "Jazz").isEmpty)
        #expect(try await library.tracks(by: "Field", on: "First", in: "Jazz").isEmpty)
        #expect(await reason { try await library.albums(by: "Field", in: nil) } == "what?")
    }

    /// One more than is shown tells that there are others.
    @Test func aSearchAsksForOneMoreThanIsShown() async throws {
        let shelf = try Shelf()
        let script = """
            read -r question
            case $question in
            *'"limit":501'*) echo '{"id":1,"tracks":[]}' ;;
            *) echo '{"id":1,"error":"what?"}' ;;
            esac
            read -r question
            """
        let library = LibraryProgram(try program(shelf, script), patience: 60)
        #expect(try await library.tracks(containing: "blue").isEmpty)
    }

    @Test func aScanIsToldWithTheListsThatItMakesLonger() async throws {
        let shelf = try Shelf()
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        func line(_ phase: String, _ done: Int, _ total: Int) -> String {
            #"printf '{"scan":{"phase":"\#(phase)","folder":"\#(home)/Music","path":"","done":\#(done),"total":\#(total)}}\n'"#
        }
        let script = """
            read -r question
            \(line("searching", 0, 300))
            \(line("reading", 100, 500))
            \(line("reading", 300, 500))
            \(line("finished", 0, 0))
            printf '{"changed":{}}\\n{"id":1,"artists":[]}\\n'
            read -r question
            \(line("searching", 0, 7))
            """
        let library = LibraryProgram(try program(shelf, script), patience: 60)
        var news = library.news.makeAsyncIterator()
        func scan(_ files: Int, _ total: Int? = nil) -> LibraryNews {
            .scan(LibraryScan(folder: "~/Music", files: files, total: total))
        }
        _ = try await library.artists(in: nil)
        let expected = [scan(300), scan(100, 500), scan(300, 500), .changed, .scan(nil), .changed]
        for wanted in expected { #expect(await news.next() == wanted) }
        // When the program ends within a scan, nobody would tell the end of that.
        #expect(await reason { try await library.genres() }.contains("has ended"))
        let ending = [scan(7), .scan(nil), .problem("descant-library has ended; see: descant library stats")]
        for wanted in ending { #expect(await news.next() == wanted) }
    }
}
