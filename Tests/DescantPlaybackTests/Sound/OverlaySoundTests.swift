import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Overlays, sample by sample: the main layer is on the left, overlays are on the right.
@Suite(.timeLimit(.minutes(5)))
struct OverlaySoundTests {
    private let rate = PlayerSession.stereo.sampleRate
    private let main = PlayerConfiguration(crossfadeDuration: 1)

    private func playing() async throws -> PlayerSession {
        let session = await PlayerSession.inStereo()
        let tracks = [
            session.level("one", 0.25, channel: 0, seconds: 8), session.level("two", 0.5, channel: 0, seconds: 20),
        ]
        session.level("rain", 0.5, channel: 1, seconds: 2)
        session.level("sea", 0.25, channel: 1, seconds: 2)
        try await session.player.loadPlaylist(tracks, configuration: main)
        return session
    }

    private func right(_ session: PlayerSession) -> [Float] { session.manual.rendered.channel(1) }

    /// The sample of a pass, as its plan says.
    private func ideal(_ frame: Int, fadeIn: Double?, fadeOut: Double?, level: Double = 0.5) -> Double {
        var gain = level
        if let fadeIn { gain *= min(1, Double(frame) / (fadeIn * Double(rate))) }
        if let fadeOut { gain *= min(1, Double(2 * rate - frame) / (fadeOut * Double(rate))) }
        return gain
    }

    @Test(arguments: [false, true])
    func fadesLieInsideTheClipAndDelaysAreSilence(everyPass: Bool) async throws {
        let session = try await playing()
        let configuration = OverlayConfiguration(
            loopMode: .count(3), loopDelay: 0.25, fadeInDuration: 0.5, fadeOutDuration: 0.75,
            applyFadeOnEachLoop: everyPass)
        try await session.player.startOverlay(url: PlayerSession.url("rain"), configuration: configuration)
        try await session.advance(7)
        try await session.wait(for: .idle, of: .default)
        let samples = right(session)
        let period = 2 * rate + rate / 4
        let found = deviation(of: samples, in: 0..<samples.count) { frame in
            let (pass, place) = (frame / period, frame % period)
            guard pass < 3, place < 2 * rate else { return 0 }
            return ideal(
                place, fadeIn: everyPass || pass == 0 ? 0.5 : nil, fadeOut: everyPass || pass == 2 ? 0.75 : nil)
        }
        #expect(found == nil)
    }

    /// Every pass of a loop has every sample of the clip, and there is no gap between two passes.
    @Test func eachLoopIsExact() async throws {
        let session = try await playing()
        let noise = TestSignal.noise(seed: 5, seconds: 0.7001, sampleRate: rate, channels: 1).samples().samples
        var clip = SampleBuffer(format: PlayerSession.stereo, samples: [Float](repeating: 0, count: 2 * noise.count))
        for (frame, sample) in noise.enumerated() { clip.samples[2 * frame + 1] = sample }
        let configuration = OverlayConfiguration(loopMode: .infinite, fadeInDuration: 0.1, fadeOutDuration: 0.1)
        try await session.player.startOverlay(url: session.register("noise", clip), configuration: configuration)
        try await session.advance(10)
        let samples = right(session)
        let found = deviation(of: samples, in: 0..<samples.count, tolerance: 0) { frame in
            frame < rate / 10 ? Double(samples[frame]) : Double(noise[frame % noise.count])
        }
        #expect(found == nil)
    }

    /// A pause stops a clip, a fade and a delay at their frame; the sound is that without the pause, with silence inserted.
    @Test(arguments: [0.2, 1.0, 1.8, 2.1])
    func pauseFreezesClipFadeAndDelay(moment: Double) async throws {
        let configuration = OverlayConfiguration(
            loopMode: .count(2), loopDelay: 0.25, fadeInDuration: 0.5, fadeOutDuration: 0.5, applyFadeOnEachLoop: true)
        let whole = try await playing()
        try await whole.player.startOverlay(url: PlayerSession.url("rain"), configuration: configuration)
        try await whole.advance(6)
        let cut = try await playing()
        try await cut.player.startOverlay(url: PlayerSession.url("rain"), configuration: configuration)
        try await cut.advance(moment)
        await cut.player.pauseOverlay()
        try await cut.advance(1)
        await cut.player.resumeOverlay()
        try await cut.advance(5)
        let (reference, samples) = (right(whole), right(cut))
        let (place, ramp) = (Int(moment * Double(rate)), rate / 100)
        #expect(deviation(of: samples, in: 0..<place, tolerance: 0) { Double(reference[$0]) } == nil)
        #expect(deviation(of: samples, in: place + ramp..<place + rate, tolerance: 0) { _ in 0 } == nil)
        let after = place + rate + ramp
        let count = min(samples.count - after, reference.count - place - ramp)
        let found = deviation(of: samples, in: after..<after + count, tolerance: 0) {
            Double(reference[place + ramp + $0])
        }
        #expect(found == nil)
    }

    @Test func volumeIsReachedWithin10Milliseconds() async throws {
        let session = try await playing()
        let configuration = OverlayConfiguration(loopMode: .infinite)
        try await session.player.startOverlay(url: PlayerSession.url("rain"), configuration: configuration)
        try await session.advance(1)
        await session.player.setOverlayVolume(0.25)
        try await session.advance(1)
        await session.player.setOverlayVolume(7)
        try await session.advance(1)
        #expect(await session.player.overlayConfiguration()?.volume == 1)
        let samples = right(session)
        let ramp = rate / 100
        #expect(samples[rate - 1] == 0.5)
        #expect(samples[rate + ramp] == 0.125)
        #expect(maximumStep(of: samples, in: rate - 1..<rate + ramp + 1) < 1.01 * 0.375 / Float(ramp))
        #expect(samples[2 * rate + ramp] == 0.5)
    }

    /// The volume belongs to the clip: the old clip keeps its volume during the crossfade.
    @Test func replacementWithAnotherVolumeMakesNoStep() async throws {
        let session = try await playing()
        try await session.player.startOverlay(
            url: PlayerSession.url("rain"), configuration: OverlayConfiguration(volume: 1, loopMode: .infinite))
        try await session.advance(1)
        try await session.player.startOverlay(
            url: PlayerSession.url("sea"),
            configuration: OverlayConfiguration(volume: 0.5, loopMode: .infinite, crossfadeDuration: 1))
        try await session.advance(2)
        let samples = right(session)
        let found = deviation(of: samples, in: rate..<2 * rate) { frame in
            let progress = Double(frame) / Double(rate)
            return 0.5 * (1 - progress) + 0.125 * progress
        }
        #expect(found == nil)
        #expect(samples[2 * rate + 10] == 0.125)
    }

    @Test func fadesContinueBeyondTheEndOfAPass() async throws {
        let session = try await playing()
        let short = session.level("short", 0.5, channel: 1, seconds: 0.7)
        let endless = OverlayConfiguration(
            loopMode: .infinite, fadeOutDuration: 3, fadesEnds: false, crossfadeDuration: 2)
        try await session.player.startOverlay(url: short, configuration: endless)
        try await session.advance(1)
        try await session.player.replaceOverlay(url: session.level("other", 0.5, channel: 1, seconds: 0.9))
        try await session.advance(3)
        await session.player.stopOverlay()
        try await session.advance(4)
        try await session.wait(for: .idle, of: .default)
        let samples = right(session)
        #expect(deviation(of: samples, in: 0..<4 * rate) { _ in 0.5 } == nil)
        #expect(deviation(of: samples, in: 4 * rate..<7 * rate) { 0.5 * (1 - Double($0) / Double(3 * rate)) } == nil)
        #expect(samples[(7 * rate)...].allSatisfy { $0 == 0 })
    }

    @Test func emptyClipDoesNotHang() async throws {
        let session = try await playing()
        let nothing = session.level("nothing", 0.5, channel: 1, seconds: 0)
        for mode in [LoopMode.once, .infinite] {
            do {
                try await session.player.startOverlay(url: nothing, configuration: OverlayConfiguration(loopMode: mode))
            } catch is AudioPlayerError {
                continue  // A refusal is allowed.
            }
            try await session.advance(1)
            try await session.wait(for: .idle, of: .default)
        }
        #expect(right(session).allSatisfy { $0 == 0 })
    }

    @Test func stoppingLoopDoesNotRepeat() async throws {
        let session = try await playing()
        let bell = session.level("bell", 0.5, channel: 1, seconds: 0.5)
        try await session.player.startOverlay(
            url: bell,
            configuration: OverlayConfiguration(
                loopMode: .infinite, loopDelay: 0.5, fadeOutDuration: 3, fadesEnds: false))
        try await session.advance(0.25)
        await session.player.stopOverlay()
        try await session.advance(4)
        try await session.wait(for: .idle, of: .default)
        let samples = right(session)
        #expect(samples[rate / 2 - 1] > 0.4)
        #expect(samples[(rate / 2)...].allSatisfy { $0 == 0 })
    }

    @Test func loopModeAndDelayApplyFromTheNextPass() async throws {
        let session = try await playing()
        try await session.player.startOverlay(
            url: PlayerSession.url("rain"), configuration: OverlayConfiguration(loopMode: .infinite))
        try await session.advance(3)
        await session.player.setOverlayLoopDelay(0.5)
        try await session.advance(2)
        await session.player.setOverlayLoopMode(.count(3))
        try await session.advance(3)
        try await session.wait(for: .idle, of: .default)
        let samples = right(session)
        #expect(samples[4 * rate - 1] == 0.5)
        #expect(samples[4 * rate..<4 * rate + rate / 2].allSatisfy { $0 == 0 })
        #expect(samples[4 * rate + rate / 2] == 0.5)
        #expect(samples[6 * rate + rate / 2..<8 * rate].allSatisfy { $0 == 0 })
        await session.player.setOverlayLoopDelay(1)
        await session.player.setOverlayLoopMode(.once)
        #expect(await session.player.overlayConfiguration() == nil)
    }

    @Test func presetsHaveTheDocumentedValues() {
        let ambient = OverlayConfiguration.ambient
        #expect(ambient.volume == 0.3 && ambient.loopMode == .infinite && !ambient.applyFadeOnEachLoop)
        #expect(ambient.fadeInDuration == 2 && ambient.fadeOutDuration == 2 && ambient.loopDelay == 0)
        let bell = OverlayConfiguration.bell(times: 3, interval: 300)
        #expect(bell.volume == 0.5 && bell.loopMode == .count(3) && bell.loopDelay == 300)
        #expect(bell.fadeInDuration == 0.5 && bell.fadeOutDuration == 0.5 && bell.applyFadeOnEachLoop)
        let notification = OverlayConfiguration.notification
        #expect(notification.volume == 0.7 && notification.loopMode == .once)
        #expect(notification.fadeInDuration == 0.3 && notification.fadeOutDuration == 0.3)
    }

    // MARK: Several at once

    @Test func overlaysAreIndependentOfEachOther() async throws {
        let session = try await playing()
        let rain = session.level("low", 0.125, channel: 1, seconds: 30)
        try await session.player.startOverlay(
            url: rain, configuration: OverlayConfiguration(fadeInDuration: 0.1), id: "rain")
        try await session.player.startOverlay(
            url: PlayerSession.url("rain"), configuration: OverlayConfiguration(loopMode: .infinite), id: "bells")
        try await session.advance(1)
        #expect(await session.player.activeOverlays == ["bells", "rain"])
        await session.player.pauseOverlay(id: "bells")
        try await session.advance(1)
        #expect(await session.player.getOverlayState(id: "bells") == .paused)
        #expect(await session.player.getOverlayState(id: "rain") == .playing)
        #expect(await session.player.getOverlayState() == .idle)
        await session.player.setOverlayVolume(0.5, id: "rain")
        await session.player.resumeOverlay(id: "bells")
        try await session.advance(1)
        await session.player.stopOverlay(id: "bells")
        try await session.advance(1)
        try await session.wait(for: .idle, of: "bells")
        let samples = right(session)
        #expect(samples[rate - 1] == 0.625)
        #expect(samples[2 * rate - 1] == 0.125)
        #expect(samples[3 * rate - 1] == 0.5625)
        #expect(samples[4 * rate - 1] == 0.0625)
        #expect(await session.player.activeOverlays == ["rain"])
    }

    @Test func eachOverlayReportsItsStates() async throws {
        let session = try await playing()
        let bells = EventRecorder(session.player.overlayUpdates(id: "bells"))
        let rain = EventRecorder(session.player.overlayUpdates(id: "rain"))
        let once = OverlayConfiguration()
        try await session.player.startOverlay(url: PlayerSession.url("rain"), configuration: once, id: "bells")
        try await session.advance(1)
        try await session.player.replaceOverlay(url: PlayerSession.url("sea"), id: "bells")
        try await session.advance(0.5)
        try await bells.wait { (states: [OverlayState]) in states.suffix(2) == [.crossfading, .playing] }
        await session.player.pauseOverlay(id: "bells")
        await session.player.resumeOverlay(id: "bells")
        await session.player.stopOverlay(id: "bells")
        try await session.advance(1)
        try await bells.wait { (states: [OverlayState]) in states.count > 1 && states.last == .idle }
        #expect(bells.all == [.idle, .playing, .crossfading, .playing, .paused, .playing, .stopping, .idle])
        #expect(rain.all == [.idle])
    }

    /// Many commands of overlays and effects during a playlist with a crossfade.
    @Test func mainLineDoesNotDependOnOverlaysAndEffects() async throws {
        let quiet = try await playing()
        try await quiet.advance(14)
        let busy = try await playing()
        let player = busy.player
        try await busy.advance(1)
        try await player.startOverlay(url: PlayerSession.url("rain"), configuration: .ambient)
        try await player.startOverlay(
            url: PlayerSession.url("sea"), configuration: .bell(times: 4, interval: 0.3), id: "bell")
        try await busy.advance(2)
        await player.setOverlayVolume(0.3)
        let effect = SoundEffect(url: PlayerSession.url("sea"))
        try await player.playSoundEffect(effect)
        try await busy.advance(1)
        try await player.playSoundEffect(effect, fadeDuration: 0.2)
        await player.pauseOverlay(id: "bell")
        try await player.replaceOverlay(url: PlayerSession.url("sea"))
        try await busy.advance(4)
        await player.resumeOverlay(id: "bell")
        await player.stopSoundEffect()
        try await busy.advance(2)
        await player.stopOverlay()
        await player.stopOverlay(id: "bell")
        try await busy.advance(4)
        let layer = quiet.manual.engine.mainLayer
        #expect(quiet.manual.output.rendered(of: layer) == busy.manual.output.rendered(of: layer))
        #expect(quiet.manual.rendered.channel(0) == busy.manual.rendered.channel(0))
        #expect(LevelAnalysis.peak(right(busy)) > 0.1)
    }

    // MARK: Ducking

    @Test func overlayDucksTheMainLine() async throws {
        let session = try await playing()
        let ducking = Ducking(amount: 12, attack: 0.1, hold: 0.1, release: 0.2)
        await session.player.setDucking(ducking, under: [.overlay("voice")])
        try await session.advance(1)
        try await session.player.startOverlay(
            url: PlayerSession.url("sea"), configuration: OverlayConfiguration(), id: "voice")
        try await session.advance(4)
        let left = session.manual.rendered.channel(0)
        let lowered = 0.25 * Float(Decibels.linear(-12))
        #expect(left[rate - 1] == 0.25)
        #expect(left[rate] == 0.25 && left[rate + 1] < 0.25)
        #expect(abs(left[rate + rate / 20] - 0.25 * Float(Decibels.linear(-6))) < 1e-5)
        #expect(abs(left[rate + rate / 10] - lowered) < 1e-6)
        #expect(abs(left[3 * rate + rate / 10 - 1] - lowered) < 1e-6)
        #expect(left[3 * rate + 3 * rate / 10 + 1] == 0.25)
        await session.player.setDucking(nil)
        try await session.player.startOverlay(
            url: PlayerSession.url("sea"), configuration: OverlayConfiguration(), id: "voice")
        try await session.advance(1)
        #expect(session.manual.rendered.channel(0)[6 * rate - 10] == 0.25)
    }

    @Test func effectsDuckOverlays() async throws {
        let session = try await playing()
        await session.player.setDucking(
            Ducking(amount: 6, attack: 0.01, hold: 0, release: 0.01), of: .overlay(.default), under: [.effects])
        try await session.player.startOverlay(
            url: PlayerSession.url("rain"), configuration: OverlayConfiguration(loopMode: .infinite))
        try await session.advance(1)
        try await session.player.playSoundEffect(SoundEffect(url: session.level("click", 0, channel: 1, seconds: 0.5)))
        try await session.advance(1)
        let samples = right(session)
        #expect(abs(samples[rate + rate / 4] - 0.5 * Float(Decibels.linear(-6))) < 1e-6)
        #expect(samples[2 * rate - 1] == 0.5)
    }
}
