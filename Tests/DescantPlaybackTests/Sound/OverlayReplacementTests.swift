import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Replacements of an overlay's clip, sample by sample: the old clip is on the right, the new one on the left.
@Suite(.timeLimit(.minutes(5)))
struct OverlayReplacementTests {
    private let rate = PlayerSession.stereo.sampleRate
    /// The length of the ramps of pauses and of changes of volume, 10 ms in frames.
    private let ramp = PlayerSession.stereo.sampleRate / 100

    /// Starts an overlay with an old clip of a level of 0.5. The new clip has a level of 0.25 and lasts 20 s.
    private func start(_ configuration: OverlayConfiguration, seconds: Double = 20) async throws -> PlayerSession {
        let session = await PlayerSession.inStereo()
        session.level("new", 0.25, channel: 0, seconds: 20)
        let old = session.level("old", 0.5, channel: 1, seconds: seconds)
        try await session.player.startOverlay(url: old, configuration: configuration)
        return session
    }

    private func replace(in session: PlayerSession) async throws {
        try await session.player.replaceOverlay(url: PlayerSession.url("new"))
    }

    /// Compares both clips from a frame on.
    private func expect(
        _ session: PlayerSession, from start: Int, frames: Int, old: (Int) -> Double, new: (Int) -> Double,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (left, right) = (session.manual.rendered.channel(0), session.manual.rendered.channel(1))
        let ofOld = deviation(of: right, in: start..<start + frames, from: old)
        let ofNew = deviation(of: left, in: start..<start + frames, from: new)
        #expect(ofOld == nil, sourceLocation: sourceLocation)
        #expect(ofNew == nil, sourceLocation: sourceLocation)
    }

    /// The share of a ramp or a fade that has passed, 0…1.
    private func share(_ frame: Int, of length: Int) -> Double { min(1, max(0, Double(frame) / Double(length))) }

    // MARK: Loops

    /// The replacement begins half a second before the end of a pass, with a crossfade of three seconds.
    @Test(arguments: [0, 0.5])
    func oldClipGoesOnLoopingDuringTheCrossfade(delay: Double) async throws {
        let session = try await start(
            OverlayConfiguration(loopMode: .infinite, loopDelay: delay, fadesEnds: false, crossfadeDuration: 3),
            seconds: 2)
        try await session.advance(1.5)
        try await replace(in: session)
        try await session.advance(1)
        #expect(await session.player.getOverlayState() == .crossfading)
        try await session.advance(3)
        try await session.wait(for: .playing, of: .default)
        let (begin, length) = (rate * 3 / 2, 3 * rate)
        let period = 2 * rate + Int(delay * Double(rate))
        expect(session, from: begin, frames: 4 * rate) { frame in
            let sounds = (begin + frame) % period < 2 * rate
            return sounds ? 0.5 * (1 - share(frame, of: length)) : 0
        } new: { frame in
            0.25 * share(frame, of: length)
        }
    }

    /// Two passes of two seconds: the second one is the last.
    @Test(arguments: [(1.5, 2.5), (3.5, 0.5)])
    func crossfadeEndsWithTheLastPass(moment: Double, seconds: Double) async throws {
        let session = try await start(
            OverlayConfiguration(loopMode: .count(2), fadesEnds: false, crossfadeDuration: 3), seconds: 2)
        try await session.advance(moment)
        try await replace(in: session)
        try await session.advance(4)
        try await session.wait(for: .playing, of: .default)
        let length = Int(seconds * Double(rate))
        expect(session, from: Int(moment * Double(rate)), frames: 4 * rate) { frame in
            0.5 * (1 - share(frame, of: length))
        } new: { frame in
            0.25 * share(frame, of: length)
        }
    }

    /// In the delay of a loop there is nothing to fade out.
    @Test(arguments: [false, true])
    func replacementInADelayHasItsOwnFadeIn(isPaused: Bool) async throws {
        let session = try await start(
            OverlayConfiguration(loopMode: .count(3), loopDelay: 1, fadeInDuration: 0.25, crossfadeDuration: 1),
            seconds: 1)
        try await session.advance(1.5)
        if isPaused {
            await session.player.pauseOverlay()
            try await session.advance(0.5)
        }
        try await replace(in: session)
        if isPaused {
            #expect(await session.player.getOverlayState() == .paused)
            await session.player.resumeOverlay()
        }
        #expect(await session.player.getOverlayState() == .playing)
        try await session.advance(2)
        let begin = isPaused ? 2 * rate : rate * 3 / 2
        expect(session, from: begin, frames: 2 * rate) { _ in
            0
        } new: { frame in
            0.25 * share(frame, of: rate / 4) * (isPaused ? share(frame, of: ramp) : 1)
        }
    }

    /// Two replacements in a pause that began in the delay of a loop: the clip between was never heard, and is not heard now.
    @Test func aClipThatWasNotHeardIsNotFadedOut() async throws {
        let session = try await start(
            OverlayConfiguration(loopMode: .count(3), loopDelay: 1, fadeInDuration: 0.25, crossfadeDuration: 1),
            seconds: 1)
        let between = session.level("between", 0.5, channel: 1, seconds: 20)
        try await session.advance(1.5)
        await session.player.pauseOverlay()
        try await session.advance(0.5)
        try await session.player.replaceOverlay(url: between)
        try await replace(in: session)
        await session.player.resumeOverlay()
        try await session.advance(2)
        expect(session, from: 2 * rate, frames: 2 * rate) { _ in
            0
        } new: { frame in
            0.25 * share(frame, of: rate / 4) * share(frame, of: ramp)
        }
    }

    // MARK: Pauses

    /// Both when the pause's ramp is still to come and when it has passed.
    @Test(arguments: [false, true])
    func pausedReplacementCrossfadesWhenItIsResumed(waits: Bool) async throws {
        let session = try await start(OverlayConfiguration(crossfadeDuration: 1))
        try await session.advance(1)
        await session.player.pauseOverlay()
        if waits { try await session.advance(1) }
        try await replace(in: session)
        #expect(await session.player.getOverlayState() == .paused)
        try await session.advance(1)
        await session.player.resumeOverlay()
        #expect(await session.player.getOverlayState() == .crossfading)
        try await session.advance(2)
        try await session.wait(for: .playing, of: .default)
        let resumed = waits ? 3 * rate : 2 * rate
        expect(session, from: rate + ramp, frames: resumed - rate - ramp) { _ in
            0
        } new: { _ in
            0
        }
        // A resumption repeats the frames of the pause's ramp. The old clip is alone in them when they precede the replacement.
        let begin = waits ? ramp : 0
        expect(session, from: resumed, frames: 2 * rate) { frame in
            0.5 * (1 - share(frame - begin, of: rate)) * share(frame, of: ramp)
        } new: { frame in
            0.25 * share(frame - begin, of: rate) * share(frame, of: ramp)
        }
    }

    /// A clip that was replaced before it was heard is not heard at all.
    @Test func lastClipOfAPauseIsHeard() async throws {
        let session = try await start(OverlayConfiguration(crossfadeDuration: 1))
        try await session.advance(1)
        await session.player.pauseOverlay()
        try await session.advance(1)
        try await replace(in: session)
        try await session.advance(1)
        let silence = session.level("silence", 0, channel: 0, seconds: 20)
        try await session.player.replaceOverlay(url: silence)
        await session.player.setOverlayVolume(0.5)
        await session.player.resumeOverlay()
        try await session.advance(2)
        expect(session, from: 3 * rate, frames: 2 * rate) { frame in
            0.25 * (1 - share(frame - ramp, of: rate)) * share(frame, of: ramp)
        } new: { _ in
            0
        }
    }

    // MARK: Volume

    @Test func volumeIsThatOfBothClips() async throws {
        let session = try await start(OverlayConfiguration(crossfadeDuration: 2))
        try await session.advance(1)
        try await replace(in: session)
        try await session.advance(1)
        await session.player.setOverlayVolume(0.5)
        try await session.advance(2)
        let place = rate + ramp
        expect(session, from: 2 * rate + ramp, frames: 2 * rate - ramp) { frame in
            0.25 * (1 - share(place + frame, of: 2 * rate))
        } new: { frame in
            0.125 * share(place + frame, of: 2 * rate)
        }
        let (left, right) = (session.manual.rendered.channel(0), session.manual.rendered.channel(1))
        #expect(maximumStep(of: left, in: 2 * rate - 1..<2 * rate + ramp + 1) < 0.0625 * 1.1 / Float(ramp))
        #expect(maximumStep(of: right, in: 2 * rate - 1..<2 * rate + ramp + 1) < 0.125 * 1.1 / Float(ramp))
    }

    /// Both when the pause's ramp is still to come and when it has passed; also for an overlay that was silent before.
    @Test(arguments: [false, true], [1, 0.8, 0] as [Float])
    func volumeOfAPauseIsThatOfTheResumption(waits: Bool, before: Float) async throws {
        let session = try await start(OverlayConfiguration(volume: before))
        try await session.advance(1)
        await session.player.pauseOverlay()
        if waits { try await session.advance(1) }
        await session.player.setOverlayVolume(0.5)
        try await session.advance(1)
        await session.player.resumeOverlay()
        try await session.advance(1)
        expect(session, from: waits ? 3 * rate : 2 * rate, frames: rate) { frame in
            0.25 * share(frame, of: ramp)
        } new: { _ in
            0
        }
    }

    /// The frames of the pause's ramp are a sum of both clips and are left out.
    @Test(arguments: [false, true])
    func volumeOfAPausedCrossfadeIsThatOfBothClips(waits: Bool) async throws {
        let session = try await start(OverlayConfiguration(crossfadeDuration: 2))
        try await session.advance(1)
        try await replace(in: session)
        try await session.advance(1)
        await session.player.pauseOverlay()
        if waits { try await session.advance(1) }
        await session.player.setOverlayVolume(0.5)
        try await session.advance(1)
        await session.player.resumeOverlay()
        try await session.advance(2)
        let place = rate + ramp
        expect(session, from: waits ? 4 * rate : 3 * rate, frames: 2 * rate) { frame in
            0.25 * (1 - share(place + frame, of: 2 * rate)) * share(frame, of: ramp)
        } new: { frame in
            0.125 * share(place + frame, of: 2 * rate) * share(frame, of: ramp)
        }
    }
}
