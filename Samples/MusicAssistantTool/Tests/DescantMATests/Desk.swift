import Foundation
import MusicAssistantTestServer

/// A server and a user's configuration folder for one test.
struct Desk {
    let server: MusicAssistantTestServer
    let home: URL

    /// Runs a test with a server; by default the user is logged in.
    static func with(
        _ scenario: Scenario = Scenario(), isLoggedIn: Bool = true, _ body: (Desk) async throws -> Void
    ) async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("descant-ma-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let server = try await MusicAssistantTestServer.start(scenario)
        let desk = Desk(server: server, home: home)
        do {
            if isLoggedIn { try await desk.logIn() }
            try await body(desk)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    func logIn() async throws {
        for (arguments, input) in [(["connect", server.url], ""), (["login", "--user", "admin"], "secret\n")] {
            let result = try await Program.run(arguments, home: home, input: input)
            guard result.status == 0 else { throw Failed(what: result.errors) }
        }
    }

    func run(_ arguments: String..., input: String = "") async throws -> Program {
        try await Program.run(arguments, home: home, input: input)
    }

    /// Starts the program.
    func start(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram([Program.products.appendingPathComponent("descant-ma").path] + arguments, home: home)
    }

    /// A file of the configuration folder.
    func file(_ name: String) -> URL { home.appendingPathComponent("descant/\(name)") }

    struct Failed: Error {
        let what: String
    }
}
