import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// Commands while another call opens a slow file. None of them waits: the file opens only at the end of each test.
@Suite(.timeLimit(.minutes(2)))
struct CallsDuringOpeningTests {
    private let gapless = PlayerConfiguration(crossfadeDuration: 0)

    @Test func pauseActsAtOnceAndTheTrackBeginsPaused() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack(level: 0.5)
        let loading = Task { try await session.player.loadPlaylist([slow], configuration: gapless) }
        await session.waitForOpening(of: slow)
        #expect(await session.player.state == .preparing)
        try await session.player.pause()
        #expect(await session.player.state == .paused)
        session.manual.decks.release(slow.path)
        try await loading.value
        #expect(await session.player.state == .paused)
        #expect(await session.player.currentTrack?.title == "slow")
        try await session.advance(1)
        #expect(session.manual.rendered.samples.allSatisfy { $0 == 0 })
        try await session.player.resume()
        try await session.advance(1)
        #expect(session.sample(at: 1.9) == 0.5)
        let position = try #require(await session.player.playbackPosition)
        #expect(abs(position.currentTime - 1) < 0.01)
    }

    /// A call, or headphones that are pulled out, while a paused player opens what is to be played.
    @Test(arguments: [AudioSessionCause.interruption, .oldDeviceUnavailable])
    func whatAPausedPlayerOpensBeginsPausedInACall(cause: AudioSessionCause) async throws {
        let session = await PlayerSession()
        try await session.player.loadPlaylist([session.track("first", seconds: 20)], configuration: gapless)
        try await session.player.pause()
        let slow = session.slowTrack(level: 0.5)
        let loading = Task { try await session.player.loadPlaylist([slow], configuration: gapless) }
        await session.waitForOpening(of: slow)
        _ = await session.player.pauseForSession(cause)
        session.manual.decks.release(slow.path)
        try await loading.value
        #expect(await session.player.state == .paused)
        try await session.player.resume()
        #expect(await session.player.state == .playing)
    }

    /// The last track ends while the next playlist is being opened.
    @Test(arguments: [nil, AudioSessionCause.interruption])
    func whatIsOpenedAfterTheEndBeginsPausedInACall(cause: AudioSessionCause?) async throws {
        let session = await PlayerSession()
        let player = session.player
        try await player.loadPlaylist([session.track("first", seconds: 2)], configuration: gapless)
        let slow = session.slowTrack(level: 0.5)
        let loading = Task { try await player.loadPlaylist([slow], configuration: gapless) }
        await session.waitForOpening(of: slow)
        try await session.advance(3)
        try await session.wait(for: .preparing)
        var token: InterruptionToken?
        if let cause { token = await player.pauseForSession(cause) } else { await player.pauseAll() }
        session.manual.decks.release(slow.path)
        try await loading.value
        #expect(await player.state == .paused)
        let before = session.manual.rendered.frameCount
        try await session.advance(1)
        #expect(session.manual.rendered.samples.dropFirst(before).allSatisfy { $0 == 0 })
        if let token { await player.resumeForSession(token) } else { await player.resumeAll() }
        #expect(await player.state == .playing)
    }

    /// The track that plays is removed, and what is left, if anything, cannot be opened.
    @Test(arguments: [nil, AudioSessionCause.interruption], [false, true])
    func whatIsOpenedDuringARemovalBeginsPaused(cause: AudioSessionCause?, leavesABadTrack: Bool) async throws {
        let session = await PlayerSession()
        let player = session.player
        let others = leavesABadTrack ? [PlayerSession.url("missing")] : []
        try await player.loadPlaylist([session.track("first", seconds: 20)] + others, configuration: gapless)
        let slow = session.slowTrack(level: 0.5)
        let loading = Task { try await player.loadPlaylist([slow], configuration: gapless) }
        await session.waitForOpening(of: slow)
        if let cause { _ = await player.pauseForSession(cause) } else { try await player.pause() }
        try await session.advance(1)
        try await player.removeTrackFromPlaylist(at: 0)
        while await player.main.current != nil, !Task.isCancelled { await Task.yield() }
        #expect(await player.state == .paused)
        session.manual.decks.release(slow.path)
        try await loading.value
        #expect(await player.state == .paused)
        #expect(await player.currentTrack?.title == "slow")
        let before = session.manual.rendered.frameCount
        try await session.advance(1)
        #expect(session.manual.rendered.samples.dropFirst(before).allSatisfy { $0 == 0 })
        try await player.resume()
        try await session.states.wait { (states: [PlayerState]) in states.count { $0 == .playing } == 2 }
        let states = session.states.all
        #expect(zip(states, states.dropFirst()).allSatisfy { $0.mayBecome($1) }, "\(states)")
    }

    @Test func aTrackThatCannotBeOpenedAfterTheEndLeavesThePlayerFinished() async throws {
        let session = await PlayerSession()
        var fault = DeckFault()
        (fault.opensOnRelease, fault.openError) = (true, .notFound("gone"))
        let gone = session.track("gone", seconds: 1, fault: fault)
        try await session.player.loadPlaylist([session.track("first", seconds: 2)], configuration: gapless)
        let loading = Task { try await session.player.loadPlaylist([gone], configuration: gapless) }
        await session.waitForOpening(of: gone)
        try await session.advance(3)
        try await session.wait(for: .preparing)
        session.manual.decks.release(gone.path)
        await #expect(throws: AudioPlayerError.self) { try await loading.value }
        #expect(await session.player.state == .finished)
    }

    @Test func finishEndsTheOpening() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack()
        try await session.player.loadPlaylist(
            [session.track("first", seconds: 20), session.track("second", seconds: 20), slow], configuration: gapless)
        try await session.player.pause()
        // The track behind the next one is not opened ahead.
        let jump = Task { try await session.player.jumpToTrack(at: 2) }
        await session.waitForOpening(of: slow)
        try await session.player.finish()
        session.manual.decks.release(slow.path)
        await #expect(throws: CancellationError.self) { try await jump.value }
        #expect(await session.player.state == .finished)
    }

    @Test func aFadeThatEndsDuringTheOpeningLeavesDocumentedStates() async throws {
        let session = await PlayerSession()
        try await session.player.loadPlaylist([session.track("first", seconds: 20)], configuration: gapless)
        await session.player.stop(fadeDuration: 1)
        let slow = session.slowTrack(level: 0.5)
        let loading = Task { try await session.player.loadPlaylist([slow], configuration: gapless) }
        await session.waitForOpening(of: slow)
        try await session.advance(2)
        try await session.wait(for: .preparing)
        session.manual.decks.release(slow.path)
        try await loading.value
        try await session.states.wait { (states: [PlayerState]) in
            states.suffix(4) == [.fadingOut, .finished, .preparing, .playing]
        }
    }

    @Test func resumeDuringTheOpeningTakesThePauseBack() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack(level: 0.5)
        let loading = Task { try await session.player.loadPlaylist([slow], configuration: gapless) }
        await session.waitForOpening(of: slow)
        try await session.player.pause()
        try await session.player.resume()
        #expect(await session.player.state == .preparing)
        session.manual.decks.release(slow.path)
        try await loading.value
        #expect(await session.player.state == .playing)
    }

    /// What a remote control opens is played, also by a paused player; a pause that comes meanwhile holds.
    @Test(arguments: [false, true]) func aPauseDuringAnOpeningFromAfarHolds(pauses: Bool) async throws {
        let session = await PlayerSession()
        let player = session.player
        try await player.loadPlaylist([session.track("first", seconds: 20)], configuration: gapless)
        if !pauses { try await player.pause() }
        let slow = session.slowTrack(level: 0.5)
        let opening = Task { try await player.perform(.open(slow)) }
        await session.waitForOpening(of: slow)
        if pauses { try await player.perform(.pause) }
        session.manual.decks.release(slow.path)
        try await opening.value
        #expect(await player.currentTrack?.title == "slow")
        #expect(await player.state == (pauses ? .paused : .playing))
    }

    @Test func openingThatFailsAfterAPauseLeavesAnIdlePlayer() async throws {
        let session = await PlayerSession()
        var fault = DeckFault()
        fault.opensOnRelease = true
        fault.openError = .decodeError("noise")
        let bad = session.track("bad", seconds: 1, fault: fault)
        let loading = Task { try await session.player.loadPlaylist([bad]) }
        await session.waitForOpening(of: bad)
        try await session.player.pause()
        session.manual.decks.release(bad.path)
        await #expect(throws: AudioPlayerError.self) { try await loading.value }
        #expect(await session.player.state == .idle)
    }

    /// A pause is for both of two calls, also when the first one fails.
    @Test(arguments: [false, true])
    func aPauseIsKeptWhenTheFirstOfTwoOpeningsFails(isForACall: Bool) async throws {
        let session = await PlayerSession()
        let player = session.player
        var fault = DeckFault()
        fault.opensOnRelease = true
        fault.openError = .decodeError("noise")
        let bad = session.track("bad", seconds: 1, fault: fault)
        let good = session.track("good", level: 0.5, seconds: 20)
        let first = Task { try await player.loadPlaylist([bad]) }
        await session.waitForOpening(of: bad)
        let second = Task.immediate { try await player.loadPlaylist([good]) }
        // The second call has reached the player when it answers this one.
        #expect(await player.state == .preparing)
        let token = isForACall ? await player.pauseForSession(.interruption) : nil
        if !isForACall { try await player.pause() }
        session.manual.decks.release(bad.path)
        await #expect(throws: AudioPlayerError.self) { try await first.value }
        try await second.value
        #expect(await player.state == .paused)
        try await session.advance(1)
        #expect(session.manual.rendered.samples.allSatisfy { $0 == 0 })
        if let token { await player.resumeForSession(token) } else { try await player.resume() }
        #expect(await player.state == .playing)
        try await session.advance(1)
        #expect(session.sample(at: 1.9) == 0.5)
    }

    /// A pause is for the track that is chosen instead of the one that was being opened.
    @Test func aPauseIsForTheJumpThatOvertakes() async throws {
        let session = await PlayerSession()
        let player = session.player
        let slow = session.slowTrack()
        await player.addTracksToPlaylist([slow, session.track("good", level: 0.5, seconds: 20)])
        let first = Task { try await player.jumpToTrack(at: 0) }
        await session.waitForOpening(of: slow)
        try await player.pause()
        try await player.jumpToTrack(at: 1)
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(await player.state == .paused)
        try await session.advance(1)
        #expect(session.manual.rendered.samples.allSatisfy { $0 == 0 })
        try await player.resume()
        try await session.advance(1)
        #expect(session.sample(at: 1.9) == 0.5)
    }

    /// Nothing tells of an end while one track is chosen instead of another, and the player is as it was when neither can be played.
    @Test(arguments: ["plays", "fails", "is cancelled", "is overtaken"])
    func aPlayerPreparesUntilTheLastJumpEnds(outcome: String) async throws {
        let session = await PlayerSession()
        let player = session.player
        let (slow, other) = (session.slowTrack("slow"), session.slowTrack("other"))
        let (good, missing) = (session.track("good", seconds: 20), PlayerSession.url("missing"))
        try await player.loadPlaylist([good, slow, other, missing], configuration: gapless)
        await player.stopImmediatelyWithoutFade()
        try await session.advance(1)
        try await session.wait(for: .finished)
        let states = player.stateUpdates.buffered(.bounded(64)).numbered
        let first = Task { try await player.jumpToTrack(at: 1) }
        await session.waitForOpening(of: slow)
        switch outcome {
        case "plays": try await player.jumpToTrack(at: 0)
        case "fails": await #expect(throws: AudioPlayerError.self) { try await player.jumpToTrack(at: 3) }
        default:
            let second = Task { try await player.jumpToTrack(at: 2) }
            await session.waitForOpening(of: other)
            if outcome == "is cancelled" { second.cancel() } else { try await player.jumpToTrack(at: 0) }
            await #expect(throws: CancellationError.self) { try await second.value }
        }
        await #expect(throws: CancellationError.self) { try await first.value }
        let end: PlayerState = ["plays", "is overtaken"].contains(outcome) ? .playing : .finished
        #expect(await player.state == end)
        var seen: [PlayerState] = []
        for await state in states {
            seen.append(state.event)
            if state.event == end, seen.contains(.preparing) { break }
        }
        #expect(seen == [.finished, .preparing, end])
    }

    @Test(arguments: ["load", "next", "jump", "replace", "swap"])
    func whatPlaysIsPausedAndSwitchedSilently(call: String) async throws {
        let session = await PlayerSession.realTime()
        let slow = session.slowTrack(level: 0.5)
        let player = session.player
        try await player.loadPlaylist([session.track("a", seconds: 20), slow], configuration: gapless)
        try await session.advance(1)
        await session.waitForOpening(of: slow)
        let moving = Task {
            switch call {
            case "load": try await player.loadPlaylist([slow])
            case "next": try await player.nextTrack()
            case "jump": try await player.jumpToTrack(at: 1)
            case "replace": try await player.replaceTrack(url: slow)
            default: try await player.swapPlaylist(tracks: [slow])
            }
        }
        await session.waitForOpening(of: slow, count: 2)
        await player.setVolume(0.5)
        try await player.seekWithFade(to: 10)
        await player.pauseAll()
        #expect(await player.state == .paused)
        #expect(await player.currentTrack?.title == "a")
        session.manual.decks.release(slow.path)
        try await moving.value
        #expect(await player.state == .paused)
        #expect(await player.currentTrack?.title == "slow")
        await player.resumeAll()
        #expect(await player.state == .playing)
        try await session.advance(1)
        #expect(session.sample(at: 1.9) == 0.25)
    }

    @Test func interruptionActsAtOnce() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack(level: 0.5)
        let loading = Task { try await session.player.loadPlaylist([slow], configuration: gapless) }
        await session.waitForOpening(of: slow)
        let token = try #require(await session.player.pauseForSession(.interruption))
        #expect(await session.player.state == .paused)
        await session.player.resumeForSession(token)
        #expect(await session.player.state == .preparing)
        session.manual.decks.release(slow.path)
        try await loading.value
        #expect(await session.player.state == .playing)
    }

    /// The call that opens the file is older than the interruption.
    @Test(arguments: ["load", "next"])
    func interruptionThatOutlastsTheOpeningIsResumedFrom(call: String) async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack(level: 0.5)
        let player = session.player
        if call == "next" {
            try await player.loadPlaylist([session.track("a", seconds: 20), slow], configuration: gapless)
            await session.waitForOpening(of: slow)
        }
        let openings = session.manual.decks.openedNames.count
        let moving = Task {
            if call == "next" {
                try await player.nextTrack()
            } else {
                try await player.loadPlaylist([slow], configuration: gapless)
            }
        }
        while session.manual.decks.openedNames.count == openings { await Task.yield() }
        let token = try #require(await player.pauseForSession(.interruption))
        session.manual.decks.release(slow.path)
        try await moving.value
        #expect(await player.state == .paused)
        await player.resumeForSession(token)
        #expect(await player.state == .playing)
        #expect(await player.currentTrack?.title == "slow")
    }

    @Test func editsActAtOnceAndAMoveFollowsItsTrack() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack(level: 0.5)
        let player = session.player
        try await player.loadPlaylist([session.track("a", seconds: 20), slow], configuration: gapless)
        let moving = Task { try await player.nextTrack() }
        await session.waitForOpening(of: slow, count: 2)
        try await player.insertTracksInPlaylist([session.track("b", seconds: 1)], at: 0)
        #expect(await player.getPlaylistCount() == 3)
        session.manual.decks.release(slow.path)
        try await moving.value
        #expect(await player.getCurrentTrackIndex() == 2)
    }

    @Test func removalOfTheTrackThatIsOpenedGivesItUp() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack(level: 0.5)
        let player = session.player
        try await player.loadPlaylist([session.track("a", level: 0.25, seconds: 20), slow], configuration: gapless)
        let moving = Task { try await player.nextTrack() }
        await session.waitForOpening(of: slow, count: 2)
        try await player.removeTrackFromPlaylist(at: 1)
        session.manual.decks.release(slow.path)
        await #expect(throws: CancellationError.self) { try await moving.value }
        try await session.advance(1)
        #expect(session.sample(at: 0.9) == 0.25)
        #expect(await player.getCurrentTrackIndex() == 0)
    }

    // MARK: Overlays

    @Test func overlayCommandsActAtOnceWhileAnotherClipIsOpened() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack(level: 0.5)
        let player = session.player
        try await player.startOverlay(
            url: session.track("rain", level: 0.25, seconds: 20), configuration: OverlayConfiguration(fadesEnds: false))
        let replacing = Task { try await player.replaceOverlay(url: slow) }
        await session.waitForOpening(of: slow)
        await player.setOverlayVolume(0.5)
        try await session.advance(1)
        #expect(session.sample(at: 0.9) == 0.125)
        await player.pauseAll()
        #expect(await player.getOverlayState() == .paused)
        session.manual.decks.release(slow.path)
        try await replacing.value
        #expect(await player.getOverlayState() == .paused)
        await player.resumeAll()
        try await session.advance(2)
        #expect(session.sample(at: 2.9) == 0.25)
    }

    @Test func overlayThatIsOpenedBeginsAsLaterCallsSay() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack(level: 0.5)
        let player = session.player
        let configuration = OverlayConfiguration(fadesEnds: false)
        let starting = Task { try await player.startOverlay(url: slow, configuration: configuration) }
        await session.waitForOpening(of: slow)
        await player.setOverlayVolume(0.5)
        await player.pauseOverlay()
        session.manual.decks.release(slow.path)
        try await starting.value
        #expect(await player.getOverlayState() == .paused)
        // It was paused for itself.
        await player.resumeAll()
        #expect(await player.getOverlayState() == .paused)
        await player.resumeOverlay()
        try await session.advance(1)
        #expect(session.sample(at: 0.9) == 0.25)
    }
}
