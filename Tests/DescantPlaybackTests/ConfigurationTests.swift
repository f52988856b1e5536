import DescantCore
import DescantPlayback
import Foundation
import Testing

/// Ranges, defaults and presets.
struct ConfigurationTests {
    @Test func defaultsAreValid() throws {
        let configuration = PlayerConfiguration()
        try configuration.validate()
        #expect(configuration.crossfadeDuration == 10)
        #expect(configuration.fadeCurve == .equalPower)
        #expect(configuration.repeatMode == .off)
        #expect(configuration.repeatCount == nil)
        #expect(configuration.volume == 100)
        #expect(configuration.stopFadeDuration == 3)
        #expect(!configuration.mixWithOthers)
        #expect(configuration.fadeInDuration == 3)
        #expect(configuration.volumeFloat == 1)
    }

    @Test(arguments: [0, 1, 10, 30])
    func validCrossfadesAreAccepted(seconds: Double) throws {
        try PlayerConfiguration(crossfadeDuration: seconds).validate()
    }

    @Test(arguments: [-1, 0.5, 0.999, 30.001, .infinity])
    func invalidCrossfadesAreRefused(seconds: Double) {
        let configuration = PlayerConfiguration(crossfadeDuration: seconds)
        #expect(configuration.crossfadeDuration == seconds)
        #expect(throws: ConfigurationError.invalidCrossfadeDuration(seconds)) { try configuration.validate() }
    }

    @Test func nanIsRefused() {
        #expect(throws: ConfigurationError.self) { try PlayerConfiguration(crossfadeDuration: .nan).validate() }
        #expect(throws: ConfigurationError.self) { try PlayerConfiguration(stopFadeDuration: .nan).validate() }
    }

    @Test func invalidVolumesAndCountsAreRefused() {
        #expect(throws: ConfigurationError.invalidVolume(150)) { try PlayerConfiguration(volume: 150).validate() }
        #expect(throws: ConfigurationError.invalidVolume(-1)) { try PlayerConfiguration(volume: -1).validate() }
        #expect(throws: ConfigurationError.invalidRepeatCount(-1)) {
            try PlayerConfiguration(repeatCount: -1).validate()
        }
        #expect(throws: ConfigurationError.invalidStopFadeDuration(10.5)) {
            try PlayerConfiguration(stopFadeDuration: 10.5).validate()
        }
    }

    private func decoded<Value: Decodable>(_ json: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(json.utf8))
    }

    private func copy<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test func configurationsAreStoredAndRead() throws {
        let player = PlayerConfiguration(
            crossfadeDuration: 7, fadeCurve: .sCurve, repeatMode: .playlist, repeatCount: 3, volume: 40,
            stopFadeDuration: 1,
            mixWithOthers: true, fadeInAtStart: true, transitionInterruption: .fastForward, gaplessAlbums: true)
        #expect(try copy(player) == player)
        #expect(try copy(PlayerConfiguration()) == PlayerConfiguration())
        for overlay in [.ambient, .bell(times: 3, interval: 5), OverlayConfiguration(crossfadeDuration: 2)] {
            #expect(try copy(overlay) == overlay)
        }
        let effect = SoundEffect(url: PlayerSession.url("gong"), fadeIn: 1, fadeOut: 2, volume: 0.5)
        #expect(try copy(effect) == effect)
    }

    @Test func storedConfigurationsMayMissValuesAndAreClamped() throws {
        #expect(try decoded(#"{"volume": 30}"#) == PlayerConfiguration(volume: 30))
        let overlay: OverlayConfiguration = try decoded(
            #"{"volume": 7, "fadeOutDuration": 99, "loopDelay": -1, "crossfadeDuration": 0}"#)
        #expect(overlay == OverlayConfiguration(volume: 1, fadeOutDuration: 10, crossfadeDuration: 0.1))
        let effect: SoundEffect = try decoded(#"{"url": "file:///gong.wav", "volume": 3}"#)
        #expect(effect == SoundEffect(url: URL(fileURLWithPath: "/gong.wav"), volume: 1))
        #expect(throws: DecodingError.self) { let _: SoundEffect = try decoded("{}") }
    }

    @Test func sessionErrorsAreCaughtByBothNames() {
        func name(_ error: any Error) -> String {
            do { throw error } catch AudioPlayerError.audioSessionError { return "session" } catch { return "other" }
        }
        #expect(name(AudioPlayerError.sessionError("gone")) == "session")
        #expect(name(AudioPlayerError.engineError("gone")) == "other")
        #expect(name(CoreError.notFound("x")) == "other")
    }

    @Test func overlaysPlayWhileTheySound() {
        #expect(OverlayState.allCases.filter(\.isPlaying) == [.playing, .stopping, .crossfading])
        #expect(OverlayState.allCases.filter(\.isPaused) == [.paused])
        #expect(OverlayState.allCases.filter(\.isIdle) == [.idle])
    }

    @Test func overlayDefaults() {
        let configuration = OverlayConfiguration()
        #expect(configuration.loopMode == .once)
        #expect(configuration.loopDelay == 0)
        #expect(configuration.volume == 1)
        #expect(configuration.fadeInDuration == 0.1)
        #expect(configuration.fadeOutDuration == 0.1)
        #expect(!configuration.applyFadeOnEachLoop)
        #expect(configuration.crossfadeDuration == 0.1)
    }

    @Test func overlayClampsAtInit() {
        let low = OverlayConfiguration(
            volume: -1, loopMode: .count(0), loopDelay: -5, fadeInDuration: 0, fadeOutDuration: .nan,
            crossfadeDuration: 0)
        #expect(low.volume == 0)
        #expect(low.loopMode == .count(1))
        #expect(low.loopDelay == 0)
        #expect(low.fadeInDuration == 0.1)
        #expect(low.fadeOutDuration == 0.1)
        #expect(low.crossfadeDuration == 0.1)
        let high = OverlayConfiguration(
            volume: 2, loopMode: .count(5_000), loopDelay: 1_000, fadeInDuration: 60, fadeOutDuration: 60,
            crossfadeDuration: 60)
        #expect(high.volume == 1)
        #expect(high.loopMode == .count(1_000))
        #expect(high.loopDelay == 600)
        #expect(high.fadeInDuration == 10)
        #expect(high.fadeOutDuration == 10)
        #expect(high.crossfadeDuration == 10)
    }

    @Test func overlayClampsOnEveryChange() {
        var configuration = OverlayConfiguration()
        configuration.volume = 7
        configuration.loopMode = .count(-3)
        configuration.loopDelay = 601
        configuration.fadeInDuration = 11
        configuration.fadeOutDuration = 0.01
        #expect(configuration.volume == 1)
        #expect(configuration.loopMode == .count(1))
        #expect(configuration.loopDelay == 600)
        #expect(configuration.fadeInDuration == 10)
        #expect(configuration.fadeOutDuration == 0.1)
        configuration.crossfadeDuration = 4
        #expect(configuration.crossfadeDuration == 4)
    }

    @Test func overlayPresets() {
        let ambient = OverlayConfiguration.ambient
        #expect(ambient.volume == 0.3)
        #expect(ambient.loopMode == .infinite)
        #expect(ambient.fadeInDuration == 2 && ambient.fadeOutDuration == 2)
        let bell = OverlayConfiguration.bell(times: 3, interval: 300)
        #expect(bell.volume == 0.5)
        #expect(bell.loopMode == .count(3))
        #expect(bell.loopDelay == 300)
        #expect(bell.fadeInDuration == 0.5 && bell.fadeOutDuration == 0.5)
        let notification = OverlayConfiguration.notification
        #expect(notification.volume == 0.7)
        #expect(notification.loopMode == .once)
        #expect(notification.fadeInDuration == 0.3 && notification.fadeOutDuration == 0.3)
    }

    @Test func progressNeedsADuration() {
        #expect(PlaybackPosition(currentTime: 5, duration: 20).progress == 0.25)
        #expect(PlaybackPosition(currentTime: 5, duration: 0).progress == 0)
        #expect(PlaybackPosition(currentTime: 25, duration: 20).progress == 1)
    }

    @Test func errorsNameTheirSubject() {
        let url = URL(fileURLWithPath: "/music/a b.flac")
        #expect("\(AudioPlayerError.fileNotFound(url))".contains("/music/a b.flac"))
        #expect("\(AudioPlayerError.invalidAudioFile(url, reason: "no decoder"))".contains("no decoder"))
        #expect("\(AudioPlayerError.invalidPlaylistIndex(index: 7, count: 3))".contains("7"))
        #expect(AudioPlayerError.audioSessionError("gone") == .sessionError("gone"))
        #expect(AudioPlayerError.invalidConfiguration(.invalidVolume(150)).localizedDescription.contains("150"))
    }
}
