import DescantCore
import Foundation
import Testing

@testable import DescantPlayback

/// The values that a player consists of, without a player.
@Suite struct PlayerValueTests {
    private let changes = EventHub<RemoteChange>()

    @Test func playlistChangeInvalidatesTheSearch() {
        var queue = PlayQueue(changes: changes)
        let number = queue.search.number
        queue.repeatCount += 1
        #expect(queue.search.number == number)
        queue.playlist = Playlist([URL(fileURLWithPath: "/a.wav")])
        #expect(queue.search.number != number)
    }

    @Test func cancelledSearchIsNotRunning() {
        var search = FollowUpSearch()
        search.began(Task {})
        let number = search.number
        #expect(search.isRunning)
        search.cancel()
        #expect(!search.isRunning)
        #expect(search.number != number)
    }

    @Test func sessionLowersTheSetVolume() {
        var volume = MasterVolume()
        volume.level = 0.5
        volume.sessionGain = 0.2
        #expect(volume.gain == 0.1)
        #expect(volume.level == 0.5)
    }

    @Test func onlyATimerInSecondsSchedulesAStop() {
        var sleep = SleepSchedule()
        #expect(sleep.plannedStop(after: 1, curve: .linear) == nil)
        sleep.set(.endOfTrack, fade: 2)
        #expect(sleep.isSet)
        #expect(sleep.plannedStop(after: 1, curve: .linear) == nil)
        sleep.set(.after(5), fade: 2)
        #expect(sleep.plannedStop(after: 1, curve: .linear) == PlannedStop(after: 1, fade: 2, curve: .linear))
        #expect(sleep.plannedStop(after: nil, curve: .linear) == nil)
        sleep.end()
        #expect(!sleep.isSet)
        #expect(sleep.fade == 2)
    }

    @Test func aStopEndsTheEarlierCallsOfItsLayer() throws {
        var commands = PlayerCommands()
        let earlier = [commands.began(.main), commands.began(.overlay("rain")), commands.began(.overlay("bell"))]
        commands.abandonOpenings(of: "rain")
        try commands.check(earlier[0])
        #expect(throws: CancellationError.self) { try commands.check(earlier[1]) }
        commands.abandonMainOpenings()
        commands.abandonOverlayOpenings()
        #expect(throws: CancellationError.self) { try commands.check(earlier[0]) }
        #expect(throws: CancellationError.self) { try commands.check(earlier[2]) }
        try commands.check(commands.began(.main))
        try commands.check(commands.began(.overlay("rain")))
    }

    @Test func eachOverlayHasItsOwnQueue() {
        var commands = PlayerCommands()
        let queues = [commands.queue(of: "rain"), commands.queue(of: "rain"), commands.queue(of: "bell")]
        #expect(queues[0] === queues[1])
        #expect(queues[0] !== queues[2])
    }

    @Test func openingOverlayCountsAsSounding() {
        var overlays = OverlaySet()
        #expect(!overlays.isSounding)
        let call = overlays.beganOpening("rain")
        #expect(overlays.isSounding)
        let paused = overlays.pauseOpenings()
        #expect(paused == ["rain"] && overlays.beginsPaused("rain", call: call))
        overlays.resumeOpenings(["wind"])
        #expect(overlays.beginsPaused("rain", call: call))
        overlays.endedOpening("rain")
        #expect(!overlays.beginsPaused("rain", call: call))
        #expect(!overlays.isSounding)
    }

    /// What is asked while two clips wait holds for both, and not for a third one that is asked for later.
    @Test func whatIsAskedOfAnOpeningOverlayHoldsForTheCallsBefore() {
        var overlays = OverlaySet()
        let (first, second) = (overlays.beganOpening("rain"), overlays.beganOpening("rain"))
        overlays.pauseOpening("rain")
        overlays.changeOpening("rain") { $0.volume = 0.25 }
        let third = overlays.beganOpening("rain")
        overlays.endedOpening("rain")
        let calls = [first, second, third]
        #expect(calls.map { overlays.beginsPaused("rain", call: $0) } == [true, true, false])
        #expect(
            calls.map { overlays.configuration(.ambient, of: "rain", call: $0).volume == 0.25 } == [true, true, false])
        #expect(overlays.isSounding)
        overlays.endedOpening("rain")
        overlays.endedOpening("rain")
        #expect(!overlays.isSounding && !overlays.beginsPaused("rain", call: second))
    }

    @Test func jumpIsReportedOnceWhenItsTaskIsReplaced() {
        var observation = PlayerObservation()
        let isRead = Promise<Bool>()
        let delivered = EventHub<PlaybackPosition>(initial: PlaybackPosition(currentTime: 0, duration: 0))
        let reader = PositionReader(
            pacer: PositionPacer(interval: 1), deliver: { delivered.post($0) }, isRead: { isRead.present ?? true },
            finish: {})
        observation.add(reader, of: delivered)
        // A task that follows the position replaces the one that has not reported the jump yet.
        let jumps = [observation.restart(jumped: true), observation.restart(jumped: false)]
        #expect(jumps == [true, true])
        let distance = observation.report(PlaybackPosition(currentTime: 7.25, duration: 10), jumped: true)
        #expect(distance == 0.75)
        #expect(delivered.snapshot?.currentTime == 7.25)
        let isAgain = observation.restart(jumped: false)
        #expect(!isAgain)
        isRead.resolve(false)
        #expect(observation.report(PlaybackPosition(currentTime: 8, duration: 10), jumped: false) == .infinity)
        #expect(!observation.hasReaders)
    }

    @Test func repeatedItemIsAJumpForRemoteControls() {
        var remote = RemotePresentation()
        let item = PlaylistItem.ID(rawValue: 1)
        let other = PlaylistItem.ID(rawValue: 2)
        let jumps = [nil, item, item, other, nil].map { remote.begin($0) }
        #expect(jumps == [false, false, true, false, true])
    }
}
