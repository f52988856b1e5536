internal import CPlaybinPeer
internal import Descant
internal import Foundation

/// A player of two files on a sound server, commanded as by a person.
protocol TransportPlayer {
    /// Plays the first file from its beginning.
    func play() async throws
    func stop() async throws
    func pause() async throws
    func resume() async throws
    func setVolume(_ volume: Double) async throws
    func seek(to seconds: Double) async throws
    /// Plays the second file.
    func next() async throws
    func end() async throws
}

/// Descant's player.
struct OwnTransport: TransportPlayer {
    private let engine: any MixingEngine
    private let player: AudioPlayerService
    private let files: [URL]

    init(_ files: [URL], output: OutputDestination) throws {
        engine = try AudioEnvironment.shared.makeEngine(output: output)
        player = AudioPlayerService(engine: engine)
        self.files = files
    }

    func play() async throws { try await player.loadPlaylist(files, configuration: RealTimePlayer.configuration) }
    func stop() async throws { await player.stop(fadeDuration: 0) }
    func pause() async throws { try await player.pause() }
    func resume() async throws { try await player.resume() }
    func setVolume(_ volume: Double) async throws { await player.setVolume(Float(volume)) }
    func seek(to seconds: Double) async throws { try await player.seekWithFade(to: seconds, fadeDuration: 0) }
    func next() async throws { try await player.nextTrack() }
    func end() async throws { await engine.shutdown() }
}

/// playbin with pulsesink or alsasink.
struct PlaybinTransport: TransportPlayer {
    private let playbin: OpaquePointer
    private let files: [URL]

    /// - Parameter sink: The element with its properties.
    init(_ files: [URL], sink: String) throws {
        guard let playbin = playbin_transport_open(sink) else {
            throw BenchError.failed("playbin or \(sink) is missing")
        }
        self.playbin = playbin
        self.files = files
    }

    func play() { playbin_transport_play(playbin, files[0].path) }
    func stop() { playbin_transport_stop(playbin) }
    func pause() { playbin_transport_pause(playbin) }
    func resume() { playbin_transport_resume(playbin) }
    func setVolume(_ volume: Double) { playbin_transport_set_volume(playbin, volume) }
    func seek(to seconds: Double) { playbin_transport_seek(playbin, seconds) }
    func next() { playbin_transport_play(playbin, files[1].path) }
    func end() { playbin_transport_close(playbin) }
}

/// mpv behind its JSON socket.
struct MPVTransport: TransportPlayer {
    private let mpv: MPVControl
    private let files: [URL]

    init(_ files: [URL], output: [String]) throws {
        guard let program = ChildProcess.find("mpv") else { throw BenchError.failed("mpv is not installed") }
        mpv = try MPVControl(
            program, folder: FileManager.default.temporaryDirectory,
            options: output + ["--prefetch-playlist=yes"])
        self.files = files
    }

    func play() throws {
        _ = try mpv.reply(["loadfile", files[0].path])
        _ = try mpv.reply(["loadfile", files[1].path, "append"])
    }

    func stop() throws { _ = try mpv.reply(["stop"]) }
    func pause() throws { _ = try mpv.reply(["set", "pause", "yes"]) }
    func resume() throws { _ = try mpv.reply(["set", "pause", "no"]) }
    func setVolume(_ volume: Double) throws { _ = try mpv.reply(["set", "volume", "\(volume * 100)"]) }
    func seek(to seconds: Double) throws { _ = try mpv.reply(["seek", "\(seconds)", "absolute+exact"]) }
    func next() throws { _ = try mpv.reply(["playlist-next"]) }
    func end() {}
}
