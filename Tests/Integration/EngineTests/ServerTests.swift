import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// A sound server that ends or freezes during playback.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ServerTests {
    private let server: PrivatePulseServer
    private let directory: TemporaryDirectory
    private let engine: any MixingEngine

    init() throws {
        server = try PrivatePulseServer()
        directory = try TemporaryDirectory()
        // On a restarted server a stream without a device would begin on the first sink, before the recorded one exists. A device that is
        // released because a pause was long is not lost.
        engine = try OfflineEngine.environment.makeEngine(
            output: .pulse(device: PrivatePulseServer.defaultSink, latency: 0.1, server: server.address),
            idleRelease: 600)
    }

    private func ramp() throws -> URL {
        try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 60).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
    }

    private func start() async throws {
        let deck = try await engine.openDeck(.url(try ramp()), gain: 1, isClip: false).id
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
    }

    private func wait(
        in events: AsyncStream<Numbered<MixEvent>>, for isIt: (MixEvent.Kind) -> Bool
    ) async throws {
        for await numbered in events where isIt(numbered.event.kind) { return }
        Issue.record("the events ended before what was awaited")
    }

    @Test func killedServerFreezesLayersAndPlaybackResumesThere() async throws {
        let loss = try await lose { test in
            try await test.start()
            return [test.engine.mainLayer]
        }
        let last = try #require(RampAnalysis.runs(in: loss.before).compactMap(\.sourceEnd).max())
        let runs = RampAnalysis.runs(in: loss.after).filter { $0.kind != .silence }
        guard case .source(let first)? = runs.first?.kind else {
            Issue.record("heard with the server back: \(runs.prefix(5))")
            return
        }
        #expect(abs(Double(first) / 48_000 - loss.frozen[0]) <= 0.001, "playing goes on where the layers froze")
        // When the server ends, the recorder loses its buffer and the data on the way to it.
        #expect((-2_400...14_400).contains(first - last), "heard up to \(last), went on from \(first)")
    }

    /// The main layer on the left and an overlay on the right.
    @Test func layersGoOnWithTheirDistance() async throws {
        let loss = try await lose { try await $0.startBoth() }
        let period = RampCode.period(channels: 1)
        /// The frames of both layers that were heard together, the first ones or the last ones; from 0 to the code's period.
        func pair(in heard: SampleBuffer, first: Bool) throws -> [Int64] {
            let runs = try (0..<2).map { channel in
                let format = PCMFormat(sampleRate: 48_000, channels: 1)
                let runs = RampAnalysis.runs(in: SampleBuffer(format: format, samples: heard.channel(channel)))
                    .filter { $0.sourceEnd != nil && $0.length >= 480 }
                return try #require(first ? runs.first : runs.last, "channel \(channel)")
            }
            let frame = first ? runs.map(\.at).max() ?? 0 : (runs.map(\.end).min() ?? 0) - 1
            return runs.map { run in (run.sourceEnd ?? 0) - Int64(run.end - frame) }
                .map { (($0 % period) + period) % period }
        }
        let before = try pair(in: loss.before, first: false)
        let after = try pair(in: loss.after, first: true)
        #expect((before[0] - before[1] - after[0] + after[1]) % period == 0, "heard \(before), then \(after)")
        for (frozen, heard) in zip(zip(loss.frozen, [0, Self.overlayLead]).map { $0 * 48_000 + Double($1) }, after) {
            let skipped = (Double(heard) - frozen).remainder(dividingBy: Double(period))
            #expect(abs(skipped) <= 48, "froze at \(loss.frozen), went on at \(after)")
        }
    }

    /// The index of the overlay's first frame.
    private static let overlayLead = 10_000

    /// Plays a ramp of one channel on each side.
    private func startBoth() async throws -> [LayerID] {
        // The code of one channel reaches full scale.
        await engine.setLimiter(enabled: false)
        let layers = [engine.mainLayer, await engine.addLayer(.overlay)]
        for (channel, layer) in layers.enumerated() {
            let ramp = TestSignal.ramp(
                frames: 48_000 * 60, firstIndex: Int64(channel * Self.overlayLead), channels: 1
            ).samples().samples
            let sides = ramp.flatMap { (sample: Float) -> [Float] in channel == 0 ? [sample, 0] : [0, sample] }
            let file = try FixtureEncoder().encode(
                SampleBuffer(stereo: sides), as: .flac(bits: 16), to: directory.file("side\(channel).flac"))
            let deck = try await engine.openDeck(.url(file), gain: 1, isClip: false).id
            try await engine.play(deck, on: layer, entry: .cut, loop: nil)
            try await engine.setFollowUp(.nothing, on: layer)
        }
        return layers
    }

    /// The positions at which layers stopped, in seconds, and what was heard before and after.
    private typealias Loss = (frozen: [Double], before: SampleBuffer, after: SampleBuffer)

    /// Plays on layers, kills the server and starts it again, up to five times until the recorder comes in time.
    private func lose(_ start: (ServerTests) async throws -> [LayerID]) async throws -> Loss {
        var loss = try await loseOnce(start)
        for _ in 0..<4 where loss == nil { loss = try await ServerTests().loseOnce(start) }
        return try #require(loss, "the recorder came too late each time")
    }

    /// - Returns: `nil` when the recorder started after the sound, because both wait for the same server.
    private func loseOnce(_ start: (ServerTests) async throws -> [LayerID]) async throws -> Loss? {
        let before = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let events = engine.mixEvents.buffered(.bounded(1_024)).numbered
        let layers = try await start(self)
        func positions() async -> [Double] {
            var positions: [Double] = []
            for layer in layers { positions.append(await engine.status(of: layer).position) }
            return positions
        }
        try await before.wait(soundingFrames: 60_000)
        server.kill()
        try await wait(in: events) { if case .outputLost = $0 { true } else { false } }
        let frozen = await positions()
        let heard = SampleBuffer(stereo: await before.stop())
        #expect(await positions() == frozen, "the positions stand still")
        let again = engine.mixEvents.buffered(.bounded(1_024)).numbered
        try server.start()
        let after = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let isInTime = await engine.status(of: engine.mainLayer).position <= frozen[0] + 0.01
        try await wait(in: again) { if case .outputRestored = $0 { true } else { false } }
        try await after.wait(soundingFrames: 36_000)
        await engine.shutdown()
        let heardAgain = SampleBuffer(stereo: await after.stop())
        return isInTime ? (frozen, heard, heardAgain) : nil
    }

    @Test func playerPausesAfter30SecondsAndResumesWhereServerWasLost() async throws {
        let clock = ManualClock()
        let player = AudioPlayerService(engine: engine, clock: clock)
        let events = player.events.buffered(.bounded(1_024)).numbered
        let before = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await player.startPlaying(
            url: ramp(), configuration: PlayerConfiguration(crossfadeDuration: 0, stopFadeDuration: 0))
        try await before.wait(soundingFrames: 60_000)
        server.kill()
        for await numbered in events { if case .mix(.outputLost) = numbered.event.kind { break } }
        let frozen = await engine.status(of: engine.mainLayer).position
        await clock.waitForSleepers()
        clock.advance(seconds: 29)
        #expect(await player.state == .playing)
        let states = player.stateUpdates
        clock.advance(seconds: 1)
        for await state in states where state == .paused { break }
        let again = player.events.buffered(.bounded(1_024)).numbered
        for await numbered in events {
            if case .error(.sessionError(let reason)) = numbered.event.kind {
                #expect(reason.contains(server.address))
                break
            }
        }
        #expect(await engine.status(of: engine.mainLayer).position == frozen)
        try server.start()
        let after = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await after.wait(frames: after.frameCount + 72_000)
        let silentFrames = after.frameCount
        try await player.resume()
        for await numbered in again { if case .mix(.outputRestored) = numbered.event.kind { break } }
        try await after.wait(soundingFrames: 36_000)
        await engine.shutdown()
        let runs = RampAnalysis.runs(in: SampleBuffer(stereo: await after.stop()))
        let sounds = runs.filter { $0.kind != .silence }
        #expect((sounds.first?.at ?? 0) >= silentFrames, "nothing sounds before it is resumed: \(sounds.prefix(5))")
        guard let run = sounds.first(where: { $0.sourceEnd != nil }), case .source(let first) = run.kind else {
            Issue.record("nothing was heard after resuming: \(runs.prefix(5))")
            return
        }
        // A ramp of 10 ms against clicks comes first.
        let heard = first - Int64(run.at - (sounds.first?.at ?? run.at))
        #expect(abs(Double(heard) / 48_000 - frozen) <= 0.001, "froze at \(frozen), went on at \(heard)")
    }

    @Test func stopWhileTheServerIsAwayLeavesNoSoundForItsReturn() async throws {
        let tone = try FixtureEncoder().encode(
            TestSignal.sine(440, seconds: 10).samples(), as: .flac(bits: 16),
            to: directory.file("tone.flac"))
        let before = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let events = engine.mixEvents.buffered(.bounded(1_024)).numbered
        try await start()
        try await before.wait(soundingFrames: 36_000)
        server.kill()
        try await wait(in: events) { if case .outputLost = $0 { true } else { false } }
        _ = await before.stop()
        await engine.stop(engine.mainLayer, fade: 0.01, curve: .linear)
        try server.start()
        let after = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let deck = try await engine.openDeck(.url(tone), gain: 1, isClip: false).id
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        try await after.wait(soundingFrames: 48_000)
        await engine.shutdown()
        let runs = RampAnalysis.runs(in: SampleBuffer(stereo: await after.stop()))
        #expect(runs.contains { $0.kind != .silence })
        // Single samples of the tone look like frames of the ramp.
        #expect(!runs.contains { $0.sourceEnd != nil && $0.length > 100 }, "the stopped track: \(runs.prefix(5))")
    }

    @Test func frozenServerBlocksNoCall() async throws {
        // The limit only detects a call that waits for the server; benchmarks measure the time.
        let limit: UInt64 = 3_000_000_000
        var slowest = UInt64.max
        // A busy machine may hold up a call by itself: more tries are allowed.
        for _ in 0..<3 where slowest >= limit { slowest = try await ServerTests().slowestCallOnAFrozenServer() }
        #expect(slowest < limit, "\(slowest) ns")
    }

    /// - Returns: The time that the slowest call takes, in nanoseconds.
    private func slowestCallOnAFrozenServer() async throws -> UInt64 {
        let events = engine.mixEvents.buffered(.bounded(1_024)).numbered
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await start()
        try await recording.wait(frames: recording.frameCount + 24_000)
        server.freeze()
        let clock = MonotonicClock()
        var slowest: UInt64 = 0
        func time(_ call: () async throws -> Void) async throws {
            let begin = clock.now()
            try await call()
            slowest = max(slowest, clock.now() - begin)
        }
        try await time { await engine.setMasterVolume(0.5) }
        try await time { await engine.pause(engine.mainLayer, ramp: 0.01) }
        try await time { try await engine.seek(engine.mainLayer, to: 3, fade: 0) }
        try await time { await engine.setGain(0.5, of: engine.mainLayer, ramp: 0) }
        try await time { _ = await engine.status(of: engine.mainLayer) }
        try await wait(in: events) { if case .outputLost = $0 { true } else { false } }
        server.thaw()
        await engine.shutdown()
        return slowest
    }
}
