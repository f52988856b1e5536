import Foundation
import MusicAssistantTestServer
import Testing

/// `descant play --engine music-assistant` as a process, with its standard output in a pipe.
@Suite(.serialized, .timeLimit(.minutes(3))) struct TerminalPlayerTests {
    /// A running player, on the player `study`.
    private final class Run {
        let process = Process()
        private var lines: AsyncStream<String>.Iterator
        private let errors = Pipe()
        private(set) var output: [String] = []

        init(_ inputs: [String], on server: MusicAssistantTestServer, variables: [String: String] = [:]) throws {
            Bundles.variables
            let folder = ProcessInfo.processInfo.environment["DESCANT_TEST_PRODUCTS"].map { URL(fileURLWithPath: $0) }
            process.executableURL = (folder ?? Bundles.products).appendingPathComponent("descant")
            process.arguments =
                ["play", "--engine", "music-assistant", "--output", "null", "--no-remote"] + inputs
            process.environment = ProcessInfo.processInfo.environment.merging([
                "DESCANT_PLUGIN_PATH": try Bundles.folder().path, "DESCANT_MA_SERVER": server.url,
                "DESCANT_MA_TOKEN": "test-token", "DESCANT_MA_PLAYER": "Study",
            ]) { $1 }.merging(variables) { $1 }
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = errors
            let (stream, feed) = AsyncStream.makeStream(of: String.self)
            lines = stream.makeAsyncIterator()
            try process.run()
            Thread {
                var rest = Data()
                while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
                    rest += data
                    while let end = rest.firstIndex(of: 10) {
                        feed.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest = Data(rest[rest.index(after: end)...])
                    }
                }
                feed.finish()
            }.start()
        }

        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        /// Reads lines up to one that contains a text; nil when the program ends first.
        func line(with text: String) async -> String? {
            while let line = await lines.next() {
                output.append(line)
                if line.contains(text) { return line }
            }
            return nil
        }

        /// Waits for the end; returns the exit status and the standard error.
        func end() async -> (status: Int32, errors: String) {
            _ = await line(with: "\u{0}")
            let process = process
            let errors = errors.fileHandleForReading
            // The time limit cancels the test: a program that does not end then fails it instead of holding up the run.
            return await withTaskCancellationHandler {
                await withCheckedContinuation { ended in
                    Thread {
                        let text = String(decoding: errors.readDataToEndOfFile(), as: UTF8.self)
                        process.waitUntilExit()
                        // As a shell tells it: a program that a signal ends counts from 128.
                        let signalled = process.terminationReason == .uncaughtSignal
                        ended.resume(returning: ((signalled ? 128 : 0) + process.terminationStatus, text))
                    }.start()
                }
            } onCancel: {
                if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            }
        }
    }

    private func withServer(_ body: (MusicAssistantTestServer) async throws -> Void) async throws {
        let server = try await MusicAssistantTestServer.start()
        do {
            try await body(server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private func played(_ server: MusicAssistantTestServer) async throws -> [JSON] {
        try await server.commands.filter { $0.name == "player_queues/play_media" }.compactMap { $0.arguments["media"] }
    }

    private func state(_ server: MusicAssistantTestServer) async throws -> String? {
        try await server.perform("player_queues/get", ["queue_id": "study"])["state"]?.string
    }

    @Test func inputsArePlayedOneAfterTheOther() async throws {
        try await withServer { server in
            let run = try Run(["library://track/10", "library://track/10"], on: server)
            let end = await run.end()
            #expect(end.status == 0, "\(end.errors)")
            let heads = run.output.filter { $0 == "music-assistant: library://track/10" }
            #expect(heads.count == 2, "\(run.output)")
            #expect(run.output.contains { $0.contains("Óskar & Ýr – A \"Quoted\"") }, "\(run.output)")
            let played = try await server.commands.filter { $0.name == "player_queues/play_media" }
            #expect(played.count == 2 && played.allSatisfy { $0.arguments["queue_id"] == "study" })
        }
    }

    @Test func interruptStopsThePlayer() async throws {
        for (signal, status) in [(SIGINT, Int32(130)), (SIGTERM, 143)] {
            try await withServer { server in
                let run = try Run(["library://track/3"], on: server)
                // The line is there while it plays, not at the end.
                #expect(await run.line(with: "library://track/3") != nil)
                #expect(try await state(server) == "playing")
                kill(run.process.processIdentifier, signal)
                let end = await run.end()
                #expect(end.status == status, "\(end.errors)")
                #expect(try await state(server) == "idle")
            }
        }
    }

    @Test func changesOfTrackAndStateArePrinted() async throws {
        try await withServer { server in
            let run = try Run(["library://album/2"], on: server)
            #expect(await run.line(with: "The Lanterns – Pier  4:00") != nil)
            try await server.perform("player_queues/next", ["queue_id": "study"])
            #expect(await run.line(with: "Signal Lamp") != nil)
            try await server.perform("players/cmd/pause", ["player_id": "study"])
            #expect(await run.line(with: "paused") != nil)
            try await server.perform("players/cmd/play", ["player_id": "study"])
            #expect(await run.line(with: "playing") != nil)
            try await server.perform("players/cmd/stop", ["player_id": "study"])
            #expect(await run.end().status == 0)
        }
    }

    @Test func stopOfAnotherClientStartsNoFurtherInput() async throws {
        try await withServer { server in
            let run = try Run(["library://album/2", "library://track/10"], on: server)
            #expect(await run.line(with: "The Lanterns – Pier") != nil)
            // The line says that the player has been seen playing, so that its stop is no late start.
            try await server.perform("players/cmd/pause", ["player_id": "study"])
            #expect(await run.line(with: "paused") != nil)
            try await server.perform("players/cmd/play", ["player_id": "study"])
            #expect(await run.line(with: "playing") != nil)
            try await server.perform("players/cmd/stop", ["player_id": "study"])
            let end = await run.end()
            #expect(end.status == 0, "\(end.errors)")
            #expect(run.output.contains("stopped") && !run.output.contains { $0.contains("track/10") }, "\(run.output)")
            #expect(try await played(server) == ["library://album/2"])
        }
    }

    @Test func contentThatIsNotFoundIsLeftOut() async throws {
        try await withServer { server in
            let run = try Run(["library://track/10", "zzz zzz", "library://track/10"], on: server)
            let end = await run.end()
            #expect(end.status == 0 && end.errors.contains("zzz"), "\(end)")
            #expect(try await played(server) == ["library://track/10", "library://track/10"])
        }
    }

    @Test func lostPlayerIsAnErrorWithItsReason() async throws {
        try await withServer { server in
            let run = try Run(["library://track/3"], on: server, variables: ["DESCANT_MA_WAIT": "1"])
            #expect(await run.line(with: "library://track/3") != nil)
            try await server.goAway()
            let end = await run.end()
            #expect(end.status == 1 && end.errors.contains("127.0.0.1"), "\(end)")
        }
    }

    @Test func wordsAndPlaylistsArePlayed() async throws {
        try await withServer { server in
            for (input, uri) in [
                ("harbour lights", "library://album/2"), ("signal lamp", "library://track/4"),
                ("Endless", "library://playlist/1"), ("library://playlist/2", "library://playlist/2"),
            ] {
                try await server.forgetCommands()
                let run = try Run([input], on: server)
                #expect(await run.line(with: "music-assistant: ") != nil, "\(input)")
                #expect(try await played(server) == [.string(uri)], "\(input)")
                kill(run.process.processIdentifier, SIGINT)
                _ = await run.end()
            }
            let nothing = try Run(["zzz zzz"], on: server)
            let end = await nothing.end()
            #expect(end.status == 66 && end.errors.contains("zzz zzz"), "\(end)")
        }
    }

    @Test func providerAddressesReachTheServerUnchanged() async throws {
        try await withServer { server in
            let track = try await server.perform("music/item_by_uri", ["uri": "library://track/3"])
            try await server.setFaults([
                ReplyFault(.result(track), on: "music/item_by_uri"),
                ReplyFault(.result(.null), on: "player_queues/play_media"),
            ])
            let uri = "filesystem_local--tests://track/Alder Quartet/Für 100%.flac"
            let run = try Run([uri], on: server)
            #expect(await run.line(with: "music-assistant: ") == "music-assistant: \(uri)")
            #expect(try await played(server) == [.string(uri)])
            kill(run.process.processIdentifier, SIGTERM)
            _ = await run.end()
        }
    }

    @Test func playlistFileOfAddressesIsPlayed() async throws {
        try await withServer { server in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).m3u")
            try Data("#EXTM3U\nlibrary://track/10\nlibrary://track/10\n".utf8).write(to: file)
            let run = try Run([file.path], on: server)
            #expect(await run.end().status == 0)
            #expect(try await played(server) == ["library://track/10", "library://track/10"])
            try FileManager.default.removeItem(at: file)
        }
    }
}
