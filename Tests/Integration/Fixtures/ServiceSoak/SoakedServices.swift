import Descant
import DescantTesting
import Foundation
import Synchronization

/// The services of one host, which get random operations.
///
/// Only one task calls its methods.
final class SoakedServices {
    private typealias Operation = () async throws -> Void

    private var random: SeededGenerator
    private let directory: TemporaryDirectory
    /// Files of every format, a damaged one and one that does not exist.
    private let files: [URL]
    private let clip: URL
    private let desktop: SoakedDesktop
    private let environment: AudioEnvironment
    private let engine: any MixingEngine
    private let player: AudioPlayerService
    private let speech: SpeechEngine
    private let reverb: any AudioEffect
    /// Plays in real time beside the rest, without a device.
    private let controller: MediaPlaybackController
    /// Everything of plugins in helper processes.
    private let isolated: AudioEnvironment
    private let states: StateLog
    private var frames: Int64 = 0
    private(set) var counts = (operations: 0, refused: 0)

    init(seed: UInt64, bundles: URL) async throws {
        random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory(label: "descant-soak")
        self.directory = directory
        let tone = TestSignal.sine(440, seconds: 6)
        let formats: [FixtureFormat] = [
            .flac(bits: 16), .mp3(kilobitsPerSecond: 128), .vorbis(quality: 4), .opus(kilobitsPerSecond: 96),
            .aac(kilobitsPerSecond: 128), .wav(.int16),
        ]
        var files = try formats.enumerated().map { index, format in
            try FixtureEncoder().make(tone, as: format, named: "tone-\(index)", in: directory)
        }
        clip = try FixtureEncoder().make(
            TestSignal.sine(880, seconds: 0.7), as: .flac(bits: 16), named: "clip", in: directory)
        let half = try Data(contentsOf: files[0])
        files.append(try directory.write(half.prefix(half.count / 2), to: "half.flac"))
        files.append(directory.file("missing.flac"))
        self.files = files
        desktop = try SoakedDesktop()
        environment = AudioEnvironment(
            plugins: PluginRegistry(searchPath: [bundles]), session: desktop.session)
        engine = try environment.makeEngine(output: .discard)
        player = AudioPlayerService(engine: engine, session: desktop.session)
        speech = try await environment.makeSpeech("flite", on: engine)
        reverb = try environment.plugins.makeEffect("reverb")
        controller = environment.makeController(output: .null, session: desktop.session)
        isolated = AudioEnvironment(
            plugins: PluginRegistry(isolation: PluginIsolation(.everything), searchPath: [bundles]))
        states = StateLog(of: player)
        try await player.loadPlaylist(Array(files.prefix(3)))
    }

    /// The sound rendered so far, in hours.
    var hours: Double { Double(frames) / 48_000 / 3_600 }

    /// The first change of the player's state that is not a documented one.
    var undocumentedChange: String? { states.undocumentedChange }

    /// How many commands of the desktop a player took.
    var takenCommands: Int { desktop.takenCommands }

    /// Carries out an operation and renders up to two seconds.
    func step() async throws {
        let operation = operations.randomElement(using: &random)
        counts.operations += 1
        do {
            try await operation?()
        } catch is CoreError {
            counts.refused += 1
        } catch let error where error is AudioPlayerError || error is MediaPlaybackError {
            counts.refused += 1
        } catch is CancellationError {
            // The sleep timer has stopped the player while the operation was opening a file.
            counts.refused += 1
        }
        frames += try await engine.advance(frames: .random(in: 1...96_000, using: &random), untilIdle: nil)
    }

    func end() async {
        await player.disconnectRemoteControl()
        await controller.stopAll()
        await speech.shutdown()
        await player.reset()
        await engine.shutdown()
    }

    private var operations: [Operation] {
        transport + playlist + settings + overlays + speaking + controlling + desktopUse + remoteControl
            + files(of: environment) + isolation
    }

    private var file: URL { files[Int.random(in: files.indices, using: &random)] }

    private func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }

    private var transport: [Operation] {
        [
            { try await self.player.pause() }, { try await self.player.resume() }, { try await self.player.resume() },
            { await self.player.stop(fadeDuration: self.number(0...1)) }, { try await self.player.nextTrack() },
            { try await self.player.previousTrack() },
            { try await self.player.seekWithFade(to: self.number(0...7), fadeDuration: self.number(0...0.5)) },
            { try await self.player.skipForward(by: self.number(-3...3)) }, { await self.player.pauseAll() },
            { await self.player.resumeAll() }, { try await self.player.setRate(self.number(0.5...2)) },
            { try await self.player.setRate(1) },
            { try await self.player.setSleepTimer(.after(self.number(0.1...20))) },
            { await self.player.cancelSleepTimer() },
        ]
    }

    private var playlist: [Operation] {
        [
            { try await self.player.loadPlaylist((0..<4).map { _ in self.file }) },
            { await self.player.addTrackToPlaylist(self.file) },
            { try await self.player.insertTracksInPlaylist([self.file, self.file], at: 0) },
            { try await self.player.removeTrackFromPlaylist(at: 0) },
            { try await self.player.moveTrackInPlaylist(from: 0, to: 1) },
            { try await self.player.jumpToTrack(at: Int(self.number(0...4))) },
            { try await self.player.replaceTrack(url: self.file, crossfadeDuration: self.number(1...3)) },
            { try await self.player.swapPlaylist(tracks: [self.file, self.file], crossfadeDuration: 1) },
            { _ = await self.player.setShuffle(self.number(0...1) < 0.5) },
            { await self.player.setRepeatMode(RepeatMode.allCases.randomElement(using: &self.random) ?? .off) },
        ]
    }

    private var settings: [Operation] {
        [
            { await self.player.setVolume(Float(self.number(0...1))) },
            {
                try await self.player.updateConfiguration(
                    PlayerConfiguration(
                        crossfadeDuration: self.number(1...4),
                        fadeCurve: FadeCurve.allCases.randomElement(using: &self.random) ?? .linear,
                        repeatMode: .playlist, mixWithOthers: self.number(0...1) < 0.5))
            },
            {
                let gains = (0..<10).map { _ in self.number(-12...12) }
                await self.player.setEqualizer(EqualizerSettings(isEnabled: true, bandGains: gains))
            },
            { await self.player.setLimiter(enabled: self.number(0...1) < 0.5) },
            { await self.player.setReplayGain(ReplayGainSettings(mode: .track)) },
            {
                try await self.player.setEffects([
                    EffectInsert("reverb", self.reverb, values: ["mix": self.number(0...1)])
                ])
            },
            { try await self.player.setEffects([]) },
            { await self.player.setDucking(Ducking(), of: .main) }, { await self.player.setDucking(nil) },
        ]
    }

    private var overlays: [Operation] {
        [
            {
                let loop: LoopMode = self.number(0...1) < 0.5 ? .infinite : .count(3)
                let configuration = OverlayConfiguration(loopMode: loop, loopDelay: self.number(0...1), volume: 0.3)
                try await self.player.startOverlay(url: self.clip, configuration: configuration, id: self.overlay)
            },
            { await self.player.stopOverlay(id: self.overlay) }, { await self.player.pauseOverlay(id: self.overlay) },
            { await self.player.resumeOverlay(id: self.overlay) },
            { try await self.player.replaceOverlay(url: self.file, id: self.overlay) },
            { try await self.player.preloadSoundEffects([SoundEffect(url: self.clip)]) },
            { try await self.player.playSoundEffect(SoundEffect(url: self.clip)) },
            { await self.player.stopSoundEffect() }, { await self.player.unloadSoundEffects() },
        ]
    }

    private var overlay: OverlayID { number(0...1) < 0.5 ? .default : "second" }

    private var speaking: [Operation] {
        [
            {
                let text = "Sentence \(Int(self.number(0...30))) of many. River and stone, again."
                try await self.speech.loadContent(.text(text, language: "en"))
                try await self.speech.play()
            },
            { _ = await self.speech.enqueue("One more \(Int(self.number(0...99))).") }, { await self.speech.pause() },
            { try await self.speech.play() }, { await self.speech.stop() }, { try await self.speech.nextSentence() },
            { try await self.speech.setRate(self.number(0.5...2)) },
        ]
    }

    private var controlling: [Operation] {
        [
            { try await self.controller.loadContent(.url(self.file)) }, { try await self.controller.play() },
            { await self.controller.pause() }, { await self.controller.stop() },
            { try await self.controller.seek(to: .time(self.number(0...7))) },
            { try await self.controller.loadContent(.text("A river. A stone.", language: "en")) },
            { try await self.controller.nextSentence() },
            { try await self.controller.selectEngine(self.number(0...1) < 0.5 ? "gstreamer" : "flite") },
            { try await self.controller.setRate(self.number(0.5...2)) },
        ]
    }

    private var desktopUse: [Operation] {
        [
            { try self.desktop.beginCall() }, { self.desktop.endCall() }, { self.desktop.endCall() },
            { try self.desktop.changeDevice(to: self.number(0...1) < 0.5) }, { try self.desktop.restartServer() },
        ]
    }

    private var remoteControl: [Operation] {
        [
            {
                let identity = RemoteIdentity(name: "soak", displayName: "Soak")
                await self.player.connectRemoteControl(self.environment.makeRemoteControl(identity))
            },
            { await self.player.disconnectRemoteControl() }, { try self.desktop.restartBus() },
            { try await self.desktop.command("play-pause") }, { try await self.desktop.command("play") },
            { try await self.desktop.command("next") }, { try await self.desktop.command("metadata") },
            { try await self.desktop.command("position", "\(self.number(0...5))") },
        ]
    }

    private var isolation: [Operation] {
        [
            { _ = try self.isolated.makeTagReaderService().readMetadata(for: self.file) },
            {
                let decoder = self.isolated.makeDecoder()
                let stream = try decoder.open(url: self.file)
                defer { decoder.close(stream) }
                var block = [Float](repeating: 0, count: 8 * 4_096)
                try decoder.seek(stream, toSeconds: self.number(0...3))
                _ = try decoder.read(stream, into: &block, maxFrames: 4_096)
            },
        ]
    }

    private func files(of environment: AudioEnvironment) -> [Operation] {
        [
            { _ = try environment.makeTagReaderService().readMetadata(for: self.file) },
            {
                let copy = self.directory.file("copy-\(self.file.lastPathComponent)")
                try? FileManager.default.removeItem(at: copy)
                guard (try? FileManager.default.copyItem(at: self.file, to: copy)) != nil else { return }
                let title = TagBundle(title: "Title \(Int(self.number(0...99)))")
                try environment.makeTagWriter().write(url: copy, change: TagChange(set: title))
            },
            {
                let service = environment.makePlaybackService(output: .discard)
                try service.load(url: self.file)
                try service.play()
                try service.seek(to: self.number(0...5))
                service.stop()
            },
            { environment.plugins.scan() },
        ]
    }
}

/// Follows the states of a player.
private final class StateLog: Sendable {
    private let wrong = Mutex<String?>(nil)

    var undocumentedChange: String? { wrong.withLock { $0 } }

    init(of player: AudioPlayerService) {
        let states = player.stateUpdates.buffered(.bounded(10_000)).numbered
        Task { [weak self] in
            var last: Numbered<PlayerState>?
            for await update in states {
                // After a gap in the numbers the state before is not known.
                if let last, update.number == last.number + 1, !last.event.mayBecome(update.event) {
                    self?.wrong.withLock { $0 = $0 ?? "the player went from \(last.event) to \(update.event)" }
                }
                last = update
            }
        }
    }
}
