internal import DescantCore

/// Numbers outside every range: each method clamps or refuses them, and the engine continues to work.
struct ValueChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    private static let values: [Double] = [
        .nan, .infinity, -.infinity, 1e300, -1e300, -1, 0, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        9_223_372_036_854_775_808,
    ]

    func everyMethod(_ collector: inout FindingCollector) async throws {
        for value in Self.values {
            try await levels(value)
            try await transitions(value)
            try await transport(value, &collector)
            try await loops(value)
            await engine.stop(session.main, fade: 0, curve: .linear)
            try await session.render(declick + 10)
            await restore()
        }
        let after = try await session.open(ramp(20_000))
        try await engine.play(after, on: session.main, entry: .cut, loop: nil)
        let length = try await session.renderToIdle(limit: 100_000)
        collector.expectEqual(length, 20_000, "a deck plays whole after commands with impossible values")
        let (samples, _) = try await session.complete()
        let unfit = samples.samples.firstIndex { !$0.isFinite }
        collector.expect(
            unfit == nil, "every sample is finite after commands with impossible values",
            seen: "sample \(unfit ?? 0) is not")
    }

    /// Starts a sound that lasts longer than the commands that follow.
    private func begin(entry: DeckEntry = .cut) async throws {
        try await session.start(ramp(30_000), entry: entry, loop: nil)
        try await session.render(1_000)
    }

    private func restore() async {
        await engine.setMasterVolume(1)
        await engine.setGain(1, of: session.main, ramp: 0)
        await engine.planStop(nil, of: session.main)
        await engine.setEqualizer(EqualizerSettings())
        // A refused speed does not change the current one.
        try? await engine.setRate(1, of: session.main)
    }

    private func levels(_ value: Double) async throws {
        try await begin()
        let deck = try? await session.open(ramp(1_000), gain: value)
        if let deck { await engine.closeDeck(deck) }
        let present = await engine.status(of: session.main).deck
        await engine.setGain(value, of: session.main, ramp: value)
        if let present { await engine.setTrackGain(value, of: present, ramp: value) }
        await engine.setMasterVolume(value)
        try await session.render(1_000)
        await engine.setGain(1, of: session.main, ramp: value)
        if let present { await engine.setTrackGain(1, of: present, ramp: value) }
        await engine.setEqualizer(EqualizerSettings(isEnabled: true, preamp: value, bandGains: [value, value]))
        let ducking = Ducking(amount: value, attack: value, hold: value, release: value)
        let key = await engine.addLayer(.overlay)
        try await engine.setDucking(DuckingPlan(keys: [key], ducking: ducking), of: session.main)
        try await session.start(ramp(2_000), on: key)
        try await session.render(3_000)
        try await engine.setDucking(nil, of: session.main)
        await engine.removeLayer(key)
        try await session.render(1_000)
    }

    private func transitions(_ value: Double) async throws {
        for curve in FadeCurve.allCases {
            try await begin(entry: .fadeIn(value, curve: curve))
            try await begin(entry: .crossfade(value, curve: curve))
        }
        for join in [DeckJoin.crossfade(value, curve: .linear), .afterCrossfade(value, curve: .sCurve)] {
            try await begin()
            let next = try await session.open(ramp(30_000))
            try await engine.setFollowUp(.deck(next, join), on: session.main)
            try await session.render(1_000)
            await engine.shortenCrossfade(session.main, within: value)
            try await session.render(1_000)
        }
        try await begin()
        await engine.stop(session.main, fade: value, curve: .equalPower)
        try await session.render(1_000)
        await engine.planStop(PlannedStop(after: value, fade: value, curve: .linear), of: session.main)
        try await begin()
        await engine.planStop(nil, of: session.main)
    }

    private func transport(_ value: Double, _ collector: inout FindingCollector) async throws {
        try await begin()
        try? await engine.setRate(value, of: session.main)
        try? await engine.seek(session.main, to: value, fade: value)
        try await session.render(1_000)
        try await begin()
        try? await engine.seek(session.main, to: value, fade: 0.01)
        try? await engine.seek(to: .time(value))
        try? await engine.seek(to: .fraction(value))
        try await session.render(1_000)
        try await begin()
        await engine.pause(session.main, ramp: value)
        try await session.render(1_000)
        try await engine.resume(session.main, ramp: value)
        try await session.render(1_000)
        await engine.pause(session.main, ramp: 0)
        try? await engine.seek(session.main, to: value, fade: value)
        try await engine.resume(session.main, ramp: value)
        try await session.render(1_000)
        let status = await engine.status(of: session.main)
        let times = [status.position, status.renderedPosition, status.crossfadeRemaining, status.duration ?? 0]
        collector.expect(
            times.allSatisfy { $0.isFinite && $0 >= 0 }, "times are finite after commands with \(value)",
            seen: "\(times)")
    }

    private func loops(_ value: Double) async throws {
        let plan = LoopPlan(passes: nil, delay: value, fadeIn: value, fadeOut: value, fadesEveryPass: true)
        try await session.start(ramp(2_000), loop: plan, isClip: true)
        try await session.render(5_000)
        await engine.setLoop(LoopPlan(passes: .min, delay: value, fadeOut: value), on: session.main)
        try await session.render(5_000)
    }
}
