import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// The values that a controller consists of, without a controller.
@Suite struct ControllerValueTests {
    @Test func engineWaitingForFirstSoundIsStartedNotResumed() {
        var engines = EngineSet()
        let callbacks = [.buffering, .playing, .buffering, .playing, .playing, .paused, .playing, .idle]
            .map { engines.note($0, of: "voice") }
        #expect(
            callbacks == [
                nil, "engine.didStart", "engine.didStall", "engine.didContinue", nil, "engine.didPause",
                "engine.didResume", "engine.didCancel",
            ])
    }

    @Test func contentIsLoadedOnlyWithItsOwnNumber() {
        var engines = EngineSet()
        engines.loaded(1, "voice")
        #expect(engines.hasLoaded(1, "voice"))
        #expect(!engines.hasLoaded(2, "voice"))
        engines.forgetContent(of: "voice")
        #expect(!engines.hasLoaded(1, "voice"))
    }

    @Test func pendingPositionReplacesTheEnginesPosition() {
        var media = LoadedMedia()
        media.load(.text("one two three four five", language: nil), sections: [])
        #expect(media.unloadedProgress.duration == 1.5)
        media.pending = .fraction(0.5)
        #expect(media.unloadedProgress.position == 0.75)
        let number = media.number
        media.load(.url(URL(fileURLWithPath: "/a.wav")), sections: [])
        #expect(media.pending == nil)
        #expect(media.number != number)
    }

    @Test func outdatedStateIsNotPublished() {
        var order = PublicationOrder()
        let numbers = [order.begin(), order.begin()]
        let published = [order.publish(numbers[1]), order.publish(numbers[0])]
        #expect(published == [true, false])
    }

    @Test func outageKeepsItsFirstPosition() {
        var outage = ServerOutage()
        outage.begin(at: .time(3))
        outage.begin(at: .time(9))
        #expect(outage.position == .time(3))
        outage.end()
        #expect(outage.position == nil)
    }

    @Test func duckedEngineIsRestoredWhenAnotherIsSelected() {
        var gain = SessionGain()
        let isUntouched = !gain.reduce("a")
        #expect(isUntouched)
        gain.level = 0.5
        let isReduced = gain.reduce("a")
        #expect(isReduced)
        let left = [gain.restore(besides: "a"), gain.restore(besides: "b"), gain.restore(besides: "b")]
        #expect(left == [nil, "a", nil])
    }
}
