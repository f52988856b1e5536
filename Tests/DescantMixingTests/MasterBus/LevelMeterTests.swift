import DescantCore
import DescantMixing
import Testing

@Suite("Level meter")
struct LevelMeterTests {
    @Test("Spans last 1/60 s for every block length", arguments: [1, 100, 480, 5_000])
    func spans(block: Int) {
        var meter = LevelMeter(sampleRate: 48_000, channels: 2)
        let samples: [Float] = (0..<48_000).flatMap { frame -> [Float] in
            [frame < 24_000 ? 0.5 : -1, frame % 2 == 0 ? 0.3 : -0.3]
        }
        var readings: [LevelMeter.Reading] = []
        samples.withUnsafeBufferPointer { memory in
            for start in stride(from: 0, to: 48_000, by: block) {
                guard let base = memory.baseAddress else { return }
                meter.measure(
                    base + start * 2, frames: min(block, 48_000 - start), startingAt: Int64(start + 1_000)
                ) { readings.append($0) }
            }
        }
        #expect(readings.count == 60)
        #expect(readings.enumerated().allSatisfy { $1.frame == Int64(1_000 + ($0 + 1) * 800 - 1) })
        #expect(readings.first?.levels.peak == [0.5, 0.3])
        #expect(readings.last?.levels.peak == [1, 0.3])
        #expect(readings.last.map { abs($0.levels.rms[0] - 1) < 1e-6 && abs($0.levels.rms[1] - 0.3) < 1e-6 } == true)
    }

    @Test("Silence is measured as such")
    func silence() {
        var meter = LevelMeter(sampleRate: 48_000, channels: 1)
        var readings: [LevelMeter.Reading] = []
        meter.measure(nil, frames: 1_600, startingAt: 0) { readings.append($0) }
        #expect(readings.map(\.levels) == [.init(peak: [0], rms: [0]), .init(peak: [0], rms: [0])])
    }

    @Test("Reset removes an incomplete span")
    func reset() {
        var meter = LevelMeter(sampleRate: 48_000, channels: 1)
        var readings: [LevelMeter.Reading] = []
        let loud = [Float](repeating: 1, count: 700)
        loud.withUnsafeBufferPointer { memory in
            guard let base = memory.baseAddress else { return }
            meter.measure(base, frames: 700, startingAt: 0) { readings.append($0) }
        }
        meter.reset()
        meter.measure(nil, frames: 800, startingAt: 700) { readings.append($0) }
        #expect(readings.map(\.levels.peak) == [[0]])
    }
}
