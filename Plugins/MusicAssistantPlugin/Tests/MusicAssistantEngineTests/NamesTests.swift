import Descant
import Foundation
import MusicAssistantKit
import Testing

/// A host that plays locally and on a server imports both libraries in one file.
struct NamesTests {
    /// Compiles only while each name means one type.
    @Test func typesOfBothLibrariesNeedNoModuleName() throws {
        let repeatModes: (RepeatMode, MusicAssistantRepeatMode) = (.off, .off)
        let state = PlaybackState.stopped
        let remoteState = MusicAssistantPlaybackState.idle
        let events: (EventStream<EngineState>.Type, MusicAssistantEventStream<MusicAssistantEvent>.Type) = (
            EventStream.self, MusicAssistantEventStream.self
        )
        let command = MusicAssistantCommand(messageId: 1, command: "info")
        let player = try MusicAssistantPlayer(json: ["player_id": "kitchen"])
        let user = try MusicAssistantUser(json: ["user_id": "1"])
        let provider = try MusicAssistantProvider(json: ["instance_id": "files"])
        #expect(repeatModes.0.rawValue == repeatModes.1.rawValue && state == .stopped && remoteState == .idle)
        #expect(events.0 != events.1)
        #expect((command.command, player.id, user.id, provider.id) == ("info", "kitchen", "1", "files"))
    }

    /// A new public type of one library must not have the name of one in the other.
    @Test func noTypeNameIsInBothLibraries() throws {
        var root = URL(filePath: #filePath)
        for _ in 1...5 { root.deleteLastPathComponent() }
        let sources = root.appending(path: "Sources")
        var host: Set<String> = []
        var client: Set<String> = []
        for module in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
            let names = try Self.publicTypes(in: sources.appending(path: module))
            if module.hasPrefix("MusicAssistant") { client.formUnion(names) } else { host.formUnion(names) }
        }
        try #require(host.contains("AudioPlayerService") && client.contains("MusicAssistantClient"))
        #expect(host.intersection(client).sorted() == [])
    }

    /// The types that a module declares at the top level, by the text of its files.
    private static func publicTypes(in folder: URL) throws -> [String] {
        let pattern = /^(?:public|open) (?:[a-z]+ )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/
            .anchorsMatchLineEndings()
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).matches(of: pattern).map { String($0.output.1) }
        }
    }
}
