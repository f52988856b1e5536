import Descant
import DescantTesting
import Foundation
import Testing

/// Which decoder opens a file.
@Suite struct DecoderChoiceTests {
    private let shelf: BundleShelf
    private let file: URL

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.fixture("FixtureGood"))
        file = try shelf.directory.write(Data("FIXT and more".utf8), to: "sound.fixt")
    }

    /// A registry with a decoder of the host in addition to the bundle.
    private func registry(
        _ identifier: String, extensions: [String], priority: Int = 0, opens: Bool = true
    ) -> PluginRegistry {
        let registry = PluginRegistry(searchPath: [shelf.folder], logger: shelf.logger)
        registry.register(
            .decoder(identifier, extensions: extensions, priority: priority) {
                BuiltInDecoder(identifier, opens: opens)
            })
        registry.scan()
        return registry
    }

    @Test func contentMatchPrecedesTheFallback() throws {
        let registry = registry("fallback", extensions: ["*"], priority: 1000)
        let stream = try registry.open(file)
        #expect(stream.identifier == "fixture")
        #expect(stream.plugin == "org.descant.fixture.good")
        #expect(stream.info.sampleRate == 8000)
        #expect(stream.reason == "fixture of org.descant.fixture.good (score 90, priority 0)")
        #expect(registry.decoders(for: try ProbeInput(file: file)).map(\.identifier) == ["fixture", "fallback"])
    }

    @Test func priorityDecidesBetweenEqualScores() throws {
        let input = ProbeInput(header: Data(), fileExtension: "grumpy")
        let before = registry("mine", extensions: ["grumpy"], priority: 6).decoders(for: input)
        #expect(before.map(\.identifier) == ["mine", "grumpy"])
        let after = registry("mine", extensions: ["grumpy"], priority: 4).decoders(for: input)
        #expect(after.map(\.identifier) == ["grumpy", "mine"])
    }

    @Test func firstRegisteredDecoderIsPreferredAmongEquals() throws {
        let registry = registry("one", extensions: ["same"])
        registry.register(.decoder("two", extensions: ["same"]) { BuiltInDecoder("two") })
        let candidates = registry.decoders(for: ProbeInput(header: Data(), fileExtension: "same"))
        #expect(candidates.map(\.identifier) == ["one", "two"])
    }

    @Test func nextDecoderIsTriedAfterARefusal() throws {
        let registry = registry("eager", extensions: ["grumpy"], priority: 1)
        let grumpy = try shelf.directory.write(Data("?".utf8), to: "sound.grumpy")
        let stream = try registry.open(grumpy)
        #expect(stream.identifier == "eager")
        #expect(stream.reason.contains("before it grumpy of org.descant.fixture.good (score 20, priority 5)"))
        #expect(stream.reason.contains("not today"))
    }

    @Test func errorNamesAllTriedDecoders() throws {
        let registry = registry("eager", extensions: ["grumpy"], priority: 1, opens: false)
        let grumpy = try shelf.directory.write(Data("?".utf8), to: "sound.grumpy")
        let error = #expect(throws: CoreError.self) { _ = try registry.open(grumpy) }
        #expect(error?.code == "unsupported")
        for words in [grumpy.path, "grumpy: not today", "eager: it is broken"] {
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        }
        #expect(error?.message.components(separatedBy: grumpy.path).count == 2, "\(String(describing: error))")
    }

    @Test func unloadableBundleIsSkipped() throws {
        try shelf.write(BuiltLibrary.fixture("FixtureThrows"), named: "a-first")
        let registry = registry("fallback", extensions: ["*"])
        let named = try shelf.directory.write(Data("FIXT".utf8), to: "other.fixt")
        let stream = try registry.open(named)
        #expect(stream.identifier == "fixture")
        #expect(registry.unavailable.map(\.identifier) == ["org.descant.fixture.throws"])
    }

    @Test func contentPrecedesTheFileExtension() throws {
        let registry = registry("fallback", extensions: ["*"])
        let text = try shelf.directory.write(Data("no sound at all".utf8), to: "text.fixt")
        #expect(try registry.open(text).identifier == "fallback")
    }

    @Test func unsupportedFileIsAnError() throws {
        let registry = shelf.registry()
        let unknown = try shelf.directory.write(Data("?".utf8), to: "sound.unknown")
        let empty = try shelf.directory.write(Data(), to: "empty.fixt")
        let codes = [unknown, empty, shelf.folder, shelf.directory.file("nowhere.fixt")].map { url in
            let error = #expect(throws: CoreError.self) { _ = try registry.open(url) }
            #expect(error?.message.contains(url.lastPathComponent) == true)
            return error?.code
        }
        #expect(codes == ["unsupported", "decodeError", "ioError", "notFound"])
    }

    /// Headers of MPEG frames, between which lies nothing, as noise holds them now and then.
    private static let likeMP3 =
        Data(repeating: 0x55, count: 700)
        + (0..<3).reduce(into: Data()) { data, _ in
            data += [0xFF, 0xFB, 0x90, 0x64] + Data(repeating: 0, count: 413)
        }

    /// A file for a bundle out of use is not tried as noise of another format; one that GStreamer knows is played.
    @Test func aFileForABundleOutOfUseIsOnlyPlayedWhenItsContentIsKnown() async throws {
        let bundle = shelf.folder.appendingPathComponent("FixtureGood.descantplugin")
        let registry = PluginRegistry(searchPath: [shelf.folder], licenses: LicensePolicy(forbidden: ["Apache-2.0"]))
        registry.scan()
        let environment = AudioEnvironment(plugins: registry)
        let (player, decoder) = (try environment.makePlayer(output: .discard), environment.makeDecoder())
        let noise = try shelf.directory.write(Self.likeMP3, to: "noise.fixt")
        let refused = await #expect(throws: AudioPlayerError.self) { try await player.loadPlaylist([noise]) }
        let unopened = #expect(throws: CoreError.self) { _ = try decoder.open(url: noise) }
        for text in [refused?.description, unopened?.description] {
            for words in ["no decoder supports this kind of file", bundle.path, "Apache-2.0 is forbidden"] {
                #expect(text?.contains(words) == true, "\(text ?? "nothing was refused")")
            }
        }
        let wave = WAVFile(TestSignal.noise(seconds: 0.3).samples(), encoding: .int16).data()
        let known = try shelf.directory.write(wave, to: "wave.fixt")
        try await player.loadPlaylist([known])
        decoder.close(try decoder.open(url: known))
        // Without a bundle for it, GStreamer takes what it can.
        let free = AudioEnvironment(plugins: PluginRegistry(searchPath: [])).makeDecoder()
        free.close(try free.open(url: noise))
    }

    /// A track without a frame is told, and the tracks around it play.
    @Test(.timeLimit(.minutes(5)), arguments: ["a decoder", "GStreamer"])
    func aTrackWithoutAFrameIsToldAndTheOthersPlay(of decoder: String) async throws {
        let player = try AudioEnvironment(plugins: registry("mute", extensions: ["mute"])).makePlayer(output: .null)
        let sound = TestSignal.noise(seconds: 0.3).samples()
        let silent = shelf.directory.file(decoder == "GStreamer" ? "silent.wav" : "silent.mute")
        try WAVFile(sound.slice(0..<0), encoding: .int16).write(to: silent)
        let playlist = [shelf.directory.file("first.wav"), silent, shelf.directory.file("last.wav")]
        for url in [playlist[0], playlist[2]] { try WAVFile(sound, encoding: .int16).write(to: url) }
        let events = player.events
        try await player.loadPlaylist(playlist)
        var (started, errors): ([URL], [String]) = ([], [])
        reading: for await event in events {
            switch event.kind {
            case .trackStarted(let url, _, _): started.append(url)
            case .trackFailed(_, let error): errors.append("\(error)")
            case .playlistEnded: break reading
            default: break
            }
        }
        #expect(started == [playlist[0], playlist[2]])
        #expect(errors.count == 1, "\(errors)")
        for words in [silent.path, "it has no sound: it ends before its first frame"] {
            #expect(errors.first?.contains(words) == true, "\(errors)")
        }
    }

    @Test func declaredSchemeSelectsTheDecoder() throws {
        let registry = PluginRegistry(searchPath: [])
        registry.register(.decoder("radio", schemes: ["radio"]) { BuiltInDecoder("radio") })
        let url = try #require(URL(string: "radio:news"))
        #expect(try registry.open(url).identifier == "radio")
        let other = try #require(URL(string: "gopher:news"))
        let error = #expect(throws: CoreError.self) { _ = try registry.open(other) }
        #expect(error?.code == "unsupported")
    }
}

/// A decoder of the host without a frame or refuses files.
final class BuiltInDecoder: DecoderPort {
    private let name: String
    private let opens: Bool

    init(_ name: String, opens: Bool = true) {
        self.name = name
        self.opens = opens
    }

    func open(url: URL) throws -> DecodeHandle {
        guard opens else { throw CoreError.decodeError("\(url.path) is broken") }
        return DecodeHandle()
    }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int { 0 }
    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {}
    func info(_ handle: DecodeHandle) throws -> StreamInfo {
        StreamInfo(duration: 0, sampleRate: 44_100, channels: 2, bitDepth: 16)
    }
    func close(_ handle: DecodeHandle) {}
}
