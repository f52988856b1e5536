// snippet
import Descant
import DescantTesting
import Foundation
import Testing

@Suite struct AlbumTests {
    private let manual: ManualMixingEngine
    private let tracks = ["one", "two"].map { URL(fileURLWithPath: "/album/\($0).flac") }

    private init(_ manual: ManualMixingEngine) {
        self.manual = manual
        // A second of each track, at a level of its own; no file is read.
        for (track, level) in zip(tracks, [0.25, 0.5] as [Float]) {
            let samples = [Float](repeating: level, count: 48_000 * 2)
            manual.decks.register(SampleBuffer(format: manual.engine.mixFormat, samples: samples), for: track)
        }
    }

    init() { self.init(.offline()) }

    @Test func tracksJoinWithoutAGap() async throws {
        let player = AudioPlayerService(engine: manual.engine, clock: ManualClock())
        try await player.loadPlaylist(tracks, configuration: PlayerConfiguration(crossfadeDuration: 0))
        let frames = try await manual.engine.advance(frames: 480_000, untilIdle: manual.engine.mainLayer)
        let heard = manual.rendered.channel(0)
        #expect(frames == 96_000)
        #expect(heard[47_999] == 0.25 && heard[48_000] == 0.5)
        await manual.engine.shutdown()
    }

    @Test func aPauseIsHeardAfterItsRamp() async throws {
        let test = AlbumTests(.realTime())
        let player = AudioPlayerService(engine: test.manual.engine, clock: ManualClock())
        try await player.loadPlaylist(test.tracks)
        // The device asks for 100 ms of sound, then for 100 ms more.
        _ = await test.manual.output.step(frames: 4_800)
        try await player.pause()
        _ = await test.manual.output.step(frames: 4_800)
        let heard = test.manual.rendered.channel(0)
        #expect(heard[4_799] == 0.25)
        #expect(heard[(4_800 + 480)...].allSatisfy { $0 == 0 })
        await test.manual.engine.shutdown()
    }
}
