internal import DescantCore
internal import Foundation

struct EqualizerChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    /// Settings that are off or flat do not change a sample.
    func bypass(_ collector: inout FindingCollector) async throws {
        let content = ramp(40_000)
        var raised = EqualizerSettings(isEnabled: false, preamp: -6, bandGains: [-2, -12, -3])
        await engine.setEqualizer(raised)
        try await session.start(content)
        try await session.render(10_000)
        await engine.setEqualizer(EqualizerSettings(isEnabled: true))
        try await session.render(10_000)
        raised.isEnabled = true
        await engine.setEqualizer(raised)
        collector.expectEqual(await engine.equalizer, raised, "the equaliser's settings can be read back")
        try await session.render(5_000)
        await engine.setEqualizer(EqualizerSettings())
        try await session.renderToIdle(limit: 100_000)
        let (samples, _) = try await session.complete()
        let runs = RampAnalysis.runs(in: samples)
        collector.expect(
            runs.first.map { $0.at == 0 && $0.kind == .source(0) && $0.length >= 20_000 } ?? false,
            "an equaliser that is off or flat does not change a sample", seen: "\(runs.prefix(4))")
        let back = 25_000 + frames(0.02)
        collector.expect(
            runs.last == RampRun(.source(Int64(back)), at: back, length: 40_000 - back),
            "an equaliser that was switched off does not change a sample after 20 ms", seen: "\(runs.suffix(2))")
    }

    /// A preamp of -6 dB over constant samples, and a tone in the middle of a raised band.
    func response(_ collector: inout FindingCollector) async throws {
        var gains = [Double](repeating: 0, count: 10)
        gains[5] = 9
        let tone = tone(1_000, 60_000)
        try await session.start(tone.samples())
        try await session.render(20_000)
        await engine.setEqualizer(EqualizerSettings(isEnabled: true, preamp: -6, bandGains: gains))
        try await session.render(45_000)
        let (samples, _) = try await session.complete()
        let rendered = samples.channel(0)
        let before = amplitude(of: rendered, in: 5_000..<20_000)
        let after = amplitude(of: rendered, in: 30_000..<50_000)
        let gain = Decibels.of(after / before)
        collector.expect(
            abs(gain - 3) < 0.02, "a raised band and the preamp act on the whole mix",
            seen: "\(gain) dB instead of 3 dB")
        let ringing = LevelAnalysis.peak(Array(rendered[60_000..<60_020]))
        let after40ms = LevelAnalysis.peak(Array(rendered[62_000...]))
        collector.expect(
            ringing > 1e-3 && after40ms < 1e-9, "the equaliser rings out after the end of a sound",
            seen: "a peak of \(ringing), and of \(after40ms) 40 ms later")
        let slope = 2 * Double.pi * 1_000 / Double(format.sampleRate) * 0.25
        collector.expectNoStep(
            rendered, in: 19_990..<25_000, greaterThan: 1.45 * slope, "a change of the equaliser makes no step")
    }

    private func amplitude(of samples: [Float], in frames: Range<Int>) -> Double {
        ToneFit(frequency: 1_000, in: samples, frames: frames, sampleRate: format.sampleRate).amplitude
    }
}
