import Descant
import DescantTestSupport
import Foundation
import Observation
import PlayerApp
import PlayerIntegration
import Testing

/// The state on the real services, which play to no device.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct FilePlayingTests {
    private static let bundles: URL = {
        if let folder = ProcessInfo.processInfo.environment["DESCANT_TEST_BUNDLES"] {
            return URL(fileURLWithPath: folder)
        }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent(".build/bundles/debug")
    }()

    private let folder: URL
    private let factory: DescantCoreFactory

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        factory = DescantCoreFactory(
            environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [Self.bundles])), output: .null)
    }

    /// Writes 0.3 s of a tone with ffmpeg.
    private func tone(_ name: String, _ arguments: String...) throws -> URL {
        let url = folder.appendingPathComponent(name)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "sine=frequency=440:duration=0.3"]
            + ["-metadata", "title=\(name)"] + arguments + [url.path]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return url
    }

    /// A silent DSF file of 0.3 s.
    private func dsf(_ name: String) throws -> URL {
        func little(_ value: Int, _ size: Int) -> Data {
            Data((0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
        }
        let (blocks, block) = (26, 4_096)
        let sound = blocks * 2 * block
        var data = Data("DSD ".utf8) + little(28, 8) + little(92 + sound, 8) + little(0, 8)
        data += Data("fmt ".utf8) + little(52, 8) + little(1, 4) + little(0, 4) + little(2, 4) + little(2, 4)
        data += little(2_822_400, 4) + little(1, 4) + little(blocks * block * 8, 8) + little(block, 4) + little(0, 4)
        data += Data("data".utf8) + little(12 + sound, 8) + Data(repeating: 0x96, count: sound)
        let url = folder.appendingPathComponent(name)
        try data.write(to: url)
        return url
    }

    /// The files that every test has: one of each format, and FLAC under another name and in Ogg.
    private func files() throws -> [URL] {
        let flac = try tone("b.flac")
        let disguised = folder.appendingPathComponent("c.wav")
        try FileManager.default.copyItem(at: flac, to: disguised)
        return [
            try tone("a.wav"), flac, disguised, try tone("d.mp3"), try tone("e.ogg", "-c:a", "flac"), try dsf("f.dsf"),
            try tone("g.opus"),
        ]
    }

    /// Plays files to the end of the playlist.
    ///
    /// - Returns: The state, and the names of the files that were played: those without a failure.
    private func play(_ urls: [URL], _ iap: any IAPManager) async throws -> (state: AppState, played: [String]) {
        let state = AppState(factory: factory, iap: iap)
        let following = Task { await state.follow() }
        await state.loadFiles(urls: urls)
        try await state.play()
        for await hasEnded in Observations({ state.hasEnded }) where hasEnded { break }
        let played = state.entries.filter { $0.failure == nil }.map(\.url.lastPathComponent)
        #expect(state.activity == (played.isEmpty ? .failed : .finished))
        #expect(state.currentTrack?.id == state.playlist.tracks.last?.id)
        await state.shutDown()
        await following.value
        return (state, played)
    }

    @Test func proHearsEveryFormat() async throws {
        let (state, played) = try await play(try files(), ProManager())
        #expect(played == ["a.wav", "b.flac", "c.wav", "d.mp3", "e.ogg", "f.dsf", "g.opus"])
        #expect(state.entries.allSatisfy { $0.failure == nil } && state.lastError == nil)
    }

    @Test func freeHearsTheRestAndIsToldWhy() async throws {
        let (state, played) = try await play(try files(), FreeTierIAPManager())
        #expect(played == ["a.wav", "d.mp3", "g.opus"])
        let refusals = state.entries.filter { $0.failure != nil }
        #expect(refusals.map(\.url.lastPathComponent) == ["b.flac", "c.wav", "e.ogg", "f.dsf"])
        #expect(refusals.dropLast().allSatisfy { $0.failure?.hasSuffix(ProFormat.flac.refusal) == true })
        #expect(refusals.last?.failure?.hasSuffix(ProFormat.dsd.refusal) == true)
    }

    @Test func aNameAloneIsNotGated() async throws {
        let wave = try tone("a.wav")
        let named = folder.appendingPathComponent("named.flac")
        try FileManager.default.copyItem(at: wave, to: named)
        #expect(try await play([named], FreeTierIAPManager()).played == ["named.flac"])
    }

    @Test func damagedAndMissingFilesAreNamedAndTheRestIsPlayed() async throws {
        let text = folder.appendingPathComponent("text.mp3")
        try Data("no music".utf8).write(to: text)
        let missing = folder.appendingPathComponent("missing.wav")
        let (state, played) = try await play([text, missing, try tone("a.wav")], FreeTierIAPManager())
        #expect(played == ["a.wav"])
        #expect(state.entries.map { $0.failure != nil } == [true, false])
        #expect(state.entries[0].failure?.contains("text.mp3") == true)
        #expect(state.notices.kept.contains { $0.text == "\(missing.path): there is no such file" })
    }

    @Test func aFolderIsLoadedInTheOrderOfItsNames() async throws {
        _ = [try tone("10 b.wav"), try tone("2 a.wav"), try tone("9 c.mp3")]
        let state = AppState(factory: factory, iap: FreeTierIAPManager())
        let following = Task { await state.follow() }
        await state.loadFiles(urls: [URL(fileURLWithPath: folder.path, isDirectory: true)])
        #expect(state.playlist.tracks.map(\.url.lastPathComponent) == ["2 a.wav", "9 c.mp3", "10 b.wav"])
        await state.shutDown()
        await following.value
    }

    // MARK: Storage

    @Test func preferencesAreKeptInAFile() async throws {
        let files = PlayerFiles(preferencesFile: folder.appendingPathComponent("state/preferences.json"))
        #expect(files.readPreferences() == (ViewPreferences(), nil))
        let preferences = ViewPreferences(volume: 0.3, repeats: .track, isShuffled: true, sorting: .title)
        try await files.save(preferences)
        #expect(files.readPreferences() == (preferences, nil))
        try Data("{}".utf8).write(to: files.preferencesFile)
        #expect(files.readPreferences() == (ViewPreferences(), nil))
        try Data(#"{"volume": 1e308, "repeats": "off"}"#.utf8).write(to: files.preferencesFile)
        #expect(files.readPreferences().preferences.volume == 1)
    }

    @Test func damagedPreferencesAreSetAside() async throws {
        let files = PlayerFiles(preferencesFile: folder.appendingPathComponent("preferences.json"))
        for text in ["{", #"{"repeats": "twice"}"#, String(repeating: " ", count: 70_000)] {
            try Data(text.utf8).write(to: files.preferencesFile)
            let (preferences, problem) = files.readPreferences()
            #expect(preferences == ViewPreferences())
            #expect(problem?.hasSuffix("is damaged; it was set aside as preferences.json.damaged") == true)
            #expect(!FileManager.default.fileExists(atPath: files.preferencesFile.path))
        }
    }

    @Test func playlistsReplaceOnlyWhatThePersonHasNamed() async throws {
        let state = AppState(
            factory: factory, iap: FreeTierIAPManager(),
            storage: PlayerFiles(preferencesFile: folder.appendingPathComponent("p.json")))
        await state.loadFiles(urls: [try tone("a.wav")])
        let path = try await state.files?.save(
            [PlaylistEntry(url: folder.appendingPathComponent("a.wav"))], as: folder.path + "/list",
            replaces: false)
        #expect(path == folder.path + "/list.m3u")
        #expect(try String(contentsOfFile: path ?? "", encoding: .utf8).contains("a.wav"))
        for (name, replaces) in [("list", false), ("list.m3u", false), ("list", true)] {
            await #expect(throws: PlaylistFileExists(path: folder.path + "/list.m3u")) {
                try await state.files?.save([], as: "\(folder.path)/\(name)", replaces: replaces)
            }
        }
        _ = try await state.files?.save([], as: folder.path + "/list.m3u", replaces: true)
        #expect(try !String(contentsOfFile: path ?? "", encoding: .utf8).contains("a.wav"))
        await state.shutDown()
    }

    /// Somebody who has Pro.
    private final class ProManager: IAPManager {
        private let hub = EventHub(initial: ProStatus(isProUser: true))
        var status: ProStatus { ProStatus(isProUser: true) }
        var statusUpdates: EventStream<ProStatus> { hub.stream() }
    }
}
