internal import DescantCore
internal import Foundation

struct DuckingChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    private static let ducking = Ducking(amount: 12, attack: 0.1, hold: 0.05, release: 0.2)

    /// The gain in decibels of the ducked layer, `frame` frames after the key layer began to sound for `length` frames.
    private func ideal(_ frame: Int, keyed length: Int, _ ducking: Ducking = Self.ducking) -> Double {
        let attack = frames(ducking.attack)
        let release = frames(ducking.release)
        let lowered = { (frame: Int) in -ducking.amount * min(1, max(0, Double(frame) / Double(attack))) }
        let back = frame - length - frames(ducking.hold)
        guard back > 0 else { return lowered(frame) }
        let lowest = lowered(length + frames(ducking.hold))
        return lowest * (1 - min(1, Double(back) / (Double(release) * -lowest / ducking.amount)))
    }

    func envelope(_ collector: inout FindingCollector) async throws {
        let speech = await engine.addLayer(.speech)
        try await engine.setDucking(DuckingPlan(keys: [speech], ducking: Self.ducking), of: session.main)
        try await session.start(level(0.5, channel: 0, 200_000))
        try await session.render(5_003)
        try await session.start(level(0.25, channel: 1, 20_011), on: speech)
        try await session.render(60_000)
        let (samples, _) = try await session.complete()
        let rendered = samples.channel(0)
        collector.expectSamples(
            rendered, in: 0..<5_003, tolerance: 0, "a ducked layer is unchanged before the key sounds"
        ) { _ in 0.5 }
        collector.expectSamples(
            rendered, in: 5_003..<65_003, tolerance: 2e-5,
            "a layer is ducked from the key's first frame, and restored when the hold after the last one is over"
        ) { 0.5 * Decibels.linear(ideal($0, keyed: 20_011)) }
        collector.expectSamples(
            samples.channel(1), in: 5_003..<5_003 + 20_011, tolerance: 0,
            "ducking does not change the key layer"
        ) { _ in 0.25 }
        let returned = 5_003 + 20_011 + frames(0.25) + 1
        collector.expectSamples(
            rendered, in: returned..<65_003, tolerance: 0, "a layer is unchanged after its level is restored"
        ) { _ in 0.5 }
    }

    /// Plays two clips with a break shorter than the hold, and a third one after a longer break.
    func hold(_ collector: inout FindingCollector) async throws {
        let speech = await engine.addLayer(.speech)
        try await engine.setDucking(DuckingPlan(keys: [speech], ducking: Self.ducking), of: session.main)
        try await session.start(level(0.5, channel: 0, 200_000))
        try await session.start(
            level(0.25, channel: 1, 12_000), on: speech, loop: LoopPlan(passes: 2, delay: 0.045), isClip: true)
        try await session.render(24_000 + frames(0.045))
        await engine.pause(speech, ramp: 0)
        try await session.start(
            level(0.25, channel: 1, 100_000), on: speech, loop: LoopPlan(passes: nil), isClip: true)
        await engine.pause(speech, ramp: 0)
        try await session.render(frames(0.5))
        let (samples, _) = try await session.complete()
        let rendered = samples.channel(0)
        let (attack, sounding) = (frames(0.1), 24_000 + frames(0.045))
        collector.expectSamples(
            rendered, in: attack..<sounding, tolerance: 2e-5,
            "a break shorter than the hold does not restore the level"
        ) { _ in 0.5 * Decibels.linear(-12) }
        collector.expectSamples(
            rendered, in: sounding + frames(0.26)..<sounding + frames(0.5), tolerance: 0,
            "a paused layer does not duck others"
        ) { _ in 0.5 }
    }

    /// Changes the ducking while the level moves; the level must not jump.
    func changes(_ collector: inout FindingCollector) async throws {
        let main = session.main
        let speech = await engine.addLayer(.speech)
        try await session.start(level(0.5, channel: 0, 200_000))
        try await session.start(level(0.25, channel: 1, 200_000), on: speech)
        try await engine.setDucking(DuckingPlan(keys: [speech], ducking: Self.ducking), of: main)
        try await session.render(frames(0.05))
        try await engine.setDucking(
            DuckingPlan(keys: [speech], ducking: Ducking(amount: 24, attack: 0, hold: 0, release: 0)), of: main)
        try await session.render(frames(0.1))
        try await engine.setDucking(nil, of: main)
        try await session.render(frames(0.1))
        await collector.expectError(["invalidArgument"], "a layer does not duck itself") {
            try await engine.setDucking(DuckingPlan(keys: [main]), of: main)
        }
        await collector.expectError(["invalidArgument"], "an unknown layer cannot be ducked") {
            try await engine.setDucking(nil, of: LayerID(rawValue: 987_654))
        }
        let (samples, _) = try await session.complete()
        let rendered = samples.channel(0)
        // The steepest of these ramps changes the level by 24 dB in 10 ms.
        let step = 0.5 * (1 - Decibels.linear(-24 / Double(declick)))
        collector.expectNoStep(
            rendered, in: 0..<frames(0.25), greaterThan: 1.1 * step, "a change of the ducking makes no step")
        collector.expectSamples(
            rendered, in: frames(0.1)..<frames(0.15), tolerance: 2e-5, "the level of changed ducking is reached"
        ) { _ in 0.5 * Decibels.linear(-24) }
        collector.expectSamples(
            rendered, in: frames(0.2)..<frames(0.25), tolerance: 0, "the level is restored when ducking is removed"
        ) { _ in 0.5 }
    }
}
