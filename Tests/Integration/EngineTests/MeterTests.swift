import Descant
import DescantTesting
import Foundation
import Testing

/// Levels at up to 60 Hz and the PCM tap.
@Suite(.timeLimit(.minutes(5))) struct MeterTests {
    @Test func levelsAreReportedAtMost60TimesPerSecond() async throws {
        let offline = try OfflineEngine()
        let overlay = await offline.engine.addLayer(.overlay)
        let idle = await offline.engine.addLayer(.effects)
        let readings = offline.engine.levels.buffered(.bounded(4_096)).numbered
        let main = TestSignal.sine(400, amplitude: 0.5, seconds: 4).samples()
        let quiet = TestSignal.sine(1_000, amplitude: 0.125, seconds: 4).samples()
        try await offline.start(try await offline.open(try offline.file(main)))
        try await offline.start(try await offline.open(try offline.file(quiet)), on: overlay)
        try await offline.render(4 * 48_000)
        await offline.engine.shutdown()
        var all: [LevelReading] = []
        for await numbered in readings { all.append(numbered.event) }
        #expect(all.count > 100 && all.count <= 240)
        #expect(all.map(\.frame) == all.map(\.frame).sorted())
        let reading = try #require(all.dropFirst(50).first)
        for channel in 0..<2 {
            #expect(abs(reading.master.peak[channel] - 0.625) < 0.02)
            #expect(abs(reading.master.rms[channel] - 0.3644) < 0.02)
            let layer = try #require(reading.layers[overlay])
            #expect(abs(layer.peak[channel] - 0.125) < 1e-3)
            #expect(abs(layer.rms[channel] - 0.0884) < 5e-3)
        }
        #expect(reading.layers[idle] == nil, "an idle layer costs nothing")
    }

    @Test func tapIsBitExact() async throws {
        let offline = try OfflineEngine()
        let blocks = offline.engine.pcmTap.buffered(.bounded(4_096)).numbered
        let noise = TestSignal.noise(seconds: 2).samples()
        try await offline.start(try await offline.open(try offline.file(noise)))
        try await offline.renderToIdle()
        let rendered = try await offline.rendered()
        await offline.engine.shutdown()
        var tapped: [Float] = []
        for await numbered in blocks { tapped += numbered.event.samples }
        #expect(rendered == noise, "one layer at unity gain is the decoder's output")
        #expect(tapped.count <= noise.samples.count && tapped.count > noise.samples.count - 9_600)
        #expect(tapped == Array(noise.samples.prefix(tapped.count)))
    }
}
