import Foundation
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
        let reason = await reason { try await library.tracks(by: "Field", on: nil) }
        #expect(reason == "the library has not answered for 1 s; is its disk there?")
    }

    @Test func anAnswerThatComesTooLateIsIgnored() async throws {
        let shelf = try Shelf()
        let script = """
            read -r question
            read -r second
            printf '{"id":1,"artists":[]}\\n{"id":2,"artists":[{"name":"Field","albumCount":1}]}\\n'
            read -r third
            """
        let library = LibraryProgram(try program(shelf, script), patience: 1)
        #expect(await reason { try await library.artists() }.contains("not answered"))
        #expect(try await library.artists().map(\.title) == ["Field"])
    }

    @Test func aProgramThatEndsIsStartedAgain() async throws {
        let shelf = try Shelf()
        let mark = shelf.folder.appendingPathComponent("mark").path
        let script = """
            read -r question
            if [ -e '\(mark)' ]; then printf '{"id":2,"artists":[]}\\n'; read -r next; else : > '\(mark)'; fi
            """
        let library = LibraryProgram(try program(shelf, script))
        #expect(await reason { try await library.artists() }.contains("has ended"))
        #expect(try await library.artists().isEmpty)
    }
}
