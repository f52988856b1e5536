import DescantCore
@testable import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Sound, positions, seeks, ends and ranges of the service on fakes and a manual clock.
struct ServicePlayingTests {
    @Test func everyFrameIsRenderedOnceAndPlaybackStopsAtTheEnd() async throws {
        let fixture = ServiceFixture()
        try fixture.service.load(url: fixture.url)
        #expect(fixture.service.duration() == 3)
        try fixture.service.play()
        try await fixture.wait(for: .stopped)
        #expect(fixture.output.content == fixture.sound)
        #expect(fixture.service.currentTime() == 0)
        #expect(fixture.service.duration() == 3)
        #expect(!fixture.output.isStarted)
    }

    @Test func playAfterTheEndStartsAtTheBeginning() async throws {
        let fixture = ServiceFixture(seconds: 0.5)
        try fixture.service.load(url: fixture.url)
        for round in 1...3 {
            try fixture.service.play()
            #expect(fixture.service.state == .playing || round > 0)
            try await fixture.wait(for: .stopped)
            #expect(fixture.output.startCount == round)
        }
        let thrice = fixture.sound.samples + fixture.sound.samples + fixture.sound.samples
        #expect(fixture.output.content.samples == thrice)
        #expect(fixture.decoder.openHandleCount == 1)
    }

    @Test func unseekableStreamIsReopenedToPlayAgain() async throws {
        var fault = MemoryDecoder.Fault()
        fault.refusesSeek = true
        let fixture = ServiceFixture(seconds: 0.5, fault: fault)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(for: .stopped)
        try fixture.service.play()
        try await fixture.wait(for: .stopped)
        #expect(fixture.output.content.samples == fixture.sound.samples + fixture.sound.samples)
        #expect(fixture.decoder.openHandleCount == 1)
    }

    // MARK: Position

    @Test func positionFollowsTheOutput() async throws {
        let fixture = ServiceFixture(pacing: .output, capacity: 8_192)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(forFrames: 8_192)
        #expect(fixture.service.currentTime() == 0)
        fixture.output.play(frames: 4_410)
        #expect(fixture.service.currentTime() == 0.1)
        fixture.service.pause()
        #expect(fixture.service.currentTime() == 0.1)
        #expect(!fixture.output.isStarted)
        fixture.clock.advance(seconds: 5)
        #expect(fixture.service.currentTime() == 0.1)
    }

    @Test func pauseLosesAndRepeatsNoFrame() async throws {
        let fixture = ServiceFixture(pacing: .output, capacity: 10_000)
        try fixture.service.load(url: fixture.url)
        for stretch in [1_000, 4_410, 9_999, 1] {
            // Nothing is rendered while paused, so this is the heard position.
            let before = fixture.output.content.frameCount
            try fixture.service.play()
            try await ServiceFixture.within { [output = fixture.output] in
                while output.content.frameCount < before + 8_000 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
            fixture.output.play(frames: stretch)
            fixture.service.pause()
        }
        try fixture.service.play()
        try await fixture.playOut(until: .stopped)
        #expect(fixture.output.content == fixture.sound)
    }

    @Test func unpacedOutputFollowsTheClock() async throws {
        let fixture = ServiceFixture(pacing: .clock)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(forFrames: 8_192)
        #expect(fixture.output.content.frameCount == 8_192, "two buffers ahead")
        #expect(fixture.service.currentTime() == 0)
        await fixture.clock.waitForSleepers()
        fixture.clock.advance(seconds: 1)
        try await fixture.wait(forFrames: 44_100)
        #expect(fixture.service.currentTime() == 1)
        fixture.service.pause()
        fixture.clock.advance(seconds: 1)
        #expect(fixture.service.currentTime() == 1)
        try fixture.service.play()
        #expect(fixture.service.currentTime() == 1)
        try await fixture.playOut(until: .stopped)
    }

    @Test(arguments: [(44_100.0, 4_096), (48_000, 4_096), (96_000, 8_192), (8_000, 1_024), (384_000, 32_768), (1, 1)])
    func bufferSizeIsThePowerOfTwoNearest100Milliseconds(_ rate: Double, _ frames: Int) {
        #expect(BufferLength.frames(sampleRate: rate) == frames)
    }

    @Test func outputIsConfiguredForTheFile() throws {
        let fixture = ServiceFixture(sampleRate: 96_000)
        try fixture.service.load(url: fixture.url)
        #expect(fixture.output.framesPerBuffer == 8_192)
        #expect(fixture.output.content.format == fixture.sound.format)
    }

    // MARK: Seek

    @Test func seekIsExactAndDropsPendingFrames() async throws {
        let fixture = ServiceFixture(pacing: .output, capacity: 8_192)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(forFrames: 8_192)
        fixture.output.play(frames: 2_000)
        try fixture.service.seek(to: 2.5)
        #expect(fixture.output.flushCount == 1)
        #expect(fixture.service.currentTime() == 2.5)
        #expect(fixture.service.state == .playing)
        try await fixture.playOut(until: .stopped)
        let expected = fixture.sound.slice(0..<2_000).samples + fixture.sound.slice(110_250..<132_300).samples
        #expect(fixture.output.content.samples == expected)
    }

    @Test func seekWhilePausedOnlyMovesThePosition() async throws {
        let fixture = ServiceFixture()
        try fixture.service.load(url: fixture.url)
        try fixture.service.seek(to: 1)
        #expect(fixture.service.state == .paused)
        #expect(fixture.service.currentTime() == 1)
        try fixture.service.play()
        try await fixture.wait(for: .stopped)
        #expect(fixture.output.content == fixture.sound.slice(44_100..<132_300))
    }

    @Test func seekOutsideIsRefusedAndSeekToEndIsAllowed() async throws {
        let fixture = ServiceFixture()
        try fixture.service.load(url: fixture.url)
        for seconds in [-0.001, 3.001, .nan, .infinity, -.infinity] {
            #expect { try fixture.service.seek(to: seconds) } throws: { ($0 as? CoreError)?.code == "invalidArgument" }
        }
        #expect(fixture.service.state == .paused)
        try fixture.service.seek(to: 3)
        #expect(fixture.service.currentTime() == 3)
        try fixture.service.play()
        try await fixture.wait(for: .stopped)
        #expect(fixture.output.content.frameCount == 0)
    }

    @Test func refusedSeekDoesNotInterruptPlayback() async throws {
        var fault = MemoryDecoder.Fault()
        fault.refusesSeek = true
        let fixture = ServiceFixture(pacing: .output, capacity: 8_192, fault: fault)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(forFrames: 8_192)
        fixture.output.play(frames: 100)
        #expect { try fixture.service.seek(to: 1) } throws: { ($0 as? CoreError)?.code == "unsupported" }
        #expect(fixture.service.state == .playing)
        try await fixture.playOut(until: .stopped)
        #expect(fixture.output.content == fixture.sound)
    }

    // MARK: End

    @Test func pendingFramesArePlayedBeforeTheEnd() async throws {
        let fixture = ServiceFixture(seconds: 0.2, pacing: .output, capacity: 100_000)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(for: .buffering)
        fixture.output.play(frames: 8_000)
        #expect(fixture.service.state == .buffering)
        #expect(fixture.service.currentTime() == 8_000 / 44_100.0)
        try await fixture.playOut(until: .stopped)
        #expect(fixture.output.content == fixture.sound)
    }

    @Test func endIsReachedWhenOutputNeverPlaysPendingFrames() async throws {
        let fixture = ServiceFixture(seconds: 0.2, pacing: .output, capacity: 100_000)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(for: .buffering)
        let (clock, service) = (fixture.clock, fixture.service)
        try await ServiceFixture.within {
            while service.state != .stopped {
                try Task.checkCancellation()
                clock.advance(by: 100_000_000)
                await Task.yield()
            }
        }
        #expect(fixture.logger.messages(.warning).contains { $0.contains("did not play its last") })
    }

    // MARK: Range

    @Test func rangeEndPausesAtItsStart() async throws {
        let fixture = ServiceFixture()
        #expect(throws: CoreError.self) { try fixture.service.setPlaybackRange(start: 1, end: 2) }
        try fixture.service.load(url: fixture.url)
        try fixture.service.setPlaybackRange(start: 1, end: 1.5)
        #expect(fixture.service.duration() == 3)
        #expect(fixture.service.currentTime() == 1, "a position outside moves to the start")
        for _ in 0..<2 {
            try fixture.service.play()
            try await fixture.wait(for: .paused)
            #expect(fixture.service.currentTime() == 1)
        }
        let part = fixture.sound.slice(44_100..<66_150).samples
        #expect(fixture.output.content.samples == part + part)
        #expect { try fixture.service.seek(to: 0.9) } throws: { ($0 as? CoreError)?.code == "invalidArgument" }
        #expect { try fixture.service.seek(to: 1.6) } throws: { ($0 as? CoreError)?.code == "invalidArgument" }
        try fixture.service.seek(to: 1.25)
        fixture.service.clearPlaybackRange()
        try fixture.service.play()
        try await fixture.wait(for: .stopped)
        #expect(fixture.output.content.samples == part + part + fixture.sound.slice(55_125..<132_300).samples)
    }

    @Test func rangeCanBeSetWhilePlaying() async throws {
        let fixture = ServiceFixture(pacing: .output, capacity: 8_192)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(forFrames: 8_192)
        fixture.output.play(frames: 4_410)
        try fixture.service.setPlaybackRange(start: 0, end: 1)
        #expect(fixture.service.state == .playing)
        try await fixture.playOut(until: .paused)
        #expect((fixture.output.content == fixture.sound.slice(0..<44_100)) == true)
        #expect(fixture.service.currentTime() == 0)
    }

    @Test func rangeHoldsForFramesThatAreBeingDecoded() async throws {
        let fixture = ServiceFixture(pacing: .output, capacity: 8_192)
        fixture.scripted.hold(.read)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        await fixture.scripted.isWaiting.value
        // A block has more frames.
        try fixture.service.setPlaybackRange(start: 0, end: 0.01)
        fixture.scripted.release()
        try await fixture.playOut(until: .paused)
        #expect((fixture.output.content == fixture.sound.slice(0..<441)) == true)
    }

    @Test func invalidRangesAreRefusedAndLoadClearsTheRange() async throws {
        let fixture = ServiceFixture()
        try fixture.service.load(url: fixture.url)
        for (start, end) in [(-1.0, 1.0), (1, 1), (2, 1), (0, 3.1), (.nan, 1), (0, .nan), (0, .infinity)] {
            #expect { try fixture.service.setPlaybackRange(start: start, end: end) } throws: {
                ($0 as? CoreError)?.code == "invalidArgument"
            }
        }
        try fixture.service.setPlaybackRange(start: 0, end: 1)
        try fixture.service.load(url: fixture.url)
        try fixture.service.seek(to: 2.9)
        try fixture.service.play()
        try await fixture.wait(for: .stopped)
    }

    // MARK: Volume

    @Test func volumeIsReachedWithoutAStep() async throws {
        let fixture = ServiceFixture(pacing: .output, capacity: 8_192)
        fixture.service.setVolume(0.5)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(forFrames: 8_192)
        #expect(fixture.output.content == fixture.sound.slice(0..<8_192).scaled(by: 0.5))
        fixture.service.setVolume(7)
        try await fixture.playOut(until: .stopped)
        let gains = zip(fixture.output.content.channel(1), fixture.sound.channel(1)).map { $0 / $1 }
        #expect(gains[..<8_192].allSatisfy { $0 == 0.5 })
        #expect(gains[(8_192 + 882)...].allSatisfy { $0 == 1 })
        for index in 1..<gains.count { #expect(abs(gains[index] - gains[index - 1]) < 0.001) }
    }
}
