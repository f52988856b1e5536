internal import DescantCore
internal import Foundation

/// One engine under the checks of ``MediaEngineContract``.
struct MediaEngineBench: Sendable {
    let engine: any MediaEngine
    let contract: MediaEngineContract

    /// How exact positions must be, in seconds: engines report what a device has played.
    private static let tolerance = 0.15

    func check(_ rule: MediaEngineContract.Rule, _ collector: inout FindingCollector) async throws {
        switch rule {
        case .description: await description(&collector)
        case .nothingLoaded: await nothingLoaded(&collector)
        case .loading: try await loading(&collector)
        case .playing: try await playing(&collector)
        case .pausing: try await pausing(&collector)
        case .seeking: try await seeking(&collector)
        case .rate: try await rate(&collector)
        case .stopping: try await stopping(&collector)
        case .end: try await end(&collector)
        case .refusals: try await refusals(&collector)
        case .replacing: try await replacing(&collector)
        case .concurrency: try await concurrency(&collector)
        case .release: break
        }
    }

    // MARK: Before playing

    private func description(_ collector: inout FindingCollector) async {
        collector.expect(!engine.identifier.isEmpty, "an engine has an identifier", seen: "an empty one")
        let plays: EngineCapabilities = [.playsURLs, .speaksText]
        collector.expect(
            !engine.capabilities.isDisjoint(with: plays), "an engine plays URLs or speaks text", seen: "it does neither"
        )
        await expectState(.idle, "a new engine is idle", &collector)
        collector.expectEqual(await engine.currentTime, 0, "a new engine is at 0 s")
        collector.expectEqual(await engine.duration, nil, "a new engine has no duration")
        var states = engine.stateUpdates.makeAsyncIterator()
        collector.expectEqual(await states.next(), .idle, "state updates begin with the present state")
    }

    private func nothingLoaded(_ collector: inout FindingCollector) async {
        await engine.pause()
        await engine.stop()
        await collector.expectError(["invalidState"], "a start without content is refused") { try await engine.play() }
        await collector.expectError(["invalidState"], "a seek without content is refused") {
            try await engine.seek(to: .time(1))
        }
        await engine.pause()
        await engine.stop()
        await expectState(.idle, "calls without content leave an engine idle", &collector)
    }

    private func loading(_ collector: inout FindingCollector) async throws {
        let states = watch()
        try await engine.loadContent(contract.content)
        await expectState(.ready, "loaded content is ready", &collector)
        collector.expectEqual(await engine.currentTime, 0, "loaded content is at its beginning")
        if let duration = await engine.duration {
            collector.expect(duration >= 4.5, "the duration is that of the content", seen: "\(duration) s")
        }
        let seen = await states.until { $0 == .ready }
        collector.expect(seen?.contains(.loading) == true, "an engine tells that it loads", seen: "\(seen ?? [])")
        await engine.pause()
        await expectState(.ready, "a pause before the first start changes nothing", &collector)
    }

    // MARK: Playing

    private func start(_ content: MediaContent) async throws {
        try await engine.loadContent(content)
        try await engine.play()
    }

    private func playing(_ collector: inout FindingCollector) async throws {
        let states = watch()
        try await start(contract.content)
        await expect(await states.until { $0 == .playing } != nil, "a start leads to playing", &collector)
        await expect(await isBeyond(0.3), "content that plays moves on", &collector)
        let before = await engine.currentTime
        try await engine.play()
        await expect(await engine.currentTime >= before, "a start of what plays changes nothing", &collector)
        await expectState(.playing, "an engine that plays says so", &collector)
        await expect((0...1).contains(await engine.progress), "progress is a share", &collector)
    }

    private func pausing(_ collector: inout FindingCollector) async throws {
        try await start(contract.content)
        _ = await isBeyond(0.3)
        await engine.pause()
        await expectState(.paused, "a paused engine says so", &collector)
        // Frames that the device has taken may still be heard.
        _ = await Self.poll(0.2) { false }
        let place = await engine.currentTime
        await engine.pause()
        _ = await Self.poll(0.3) { false }
        expectPosition(await engine.currentTime, place, within: 0.02, "a pause freezes the position", &collector)
        await expectState(.paused, "a second pause changes nothing", &collector)
        let states = watch()
        try await engine.play()
        await expect(await states.until { $0 == .playing } != nil, "paused content plays on", &collector)
        let resumed = await engine.currentTime
        collector.expect(
            resumed >= place - Self.tolerance, "a start continues where the pause was",
            seen: "\(resumed) s after \(place) s")
        await expect(await isBeyond(place + 0.2), "resumed content moves on", &collector)
    }

    private func stopping(_ collector: inout FindingCollector) async throws {
        try await start(contract.content)
        _ = await isBeyond(0.3)
        await engine.stop()
        await expectState(.idle, "a stopped engine is idle", &collector)
        collector.expectEqual(await engine.currentTime, 0, "a stop returns to the beginning")
        await engine.stop()
        let states = watch()
        try await engine.play()
        await expect(await states.until { $0 == .playing } != nil, "stopped content plays again", &collector)
        await expect(await isBeyond(0.1), "stopped content plays again", &collector)
    }

    private func end(_ collector: inout FindingCollector) async throws {
        let states = watch()
        try await start(contract.short)
        let seen = await states.until { $0 == .finished }
        await expect(seen != nil, "content that was heard to its end is finished", &collector)
        collector.expectEqual(await engine.isPlaying, false, "finished content does not play")
        if let duration = await engine.duration {
            let place = await engine.currentTime
            expectPosition(place, duration, within: 0.3, "finished content is at its end", &collector)
        }
        let again = watch()
        try await engine.play()
        await expect(
            await again.until { $0 == .finished }?.contains(.playing) == true, "finished content can be played again",
            &collector)
    }

    // MARK: Positions and rates

    private func seeking(_ collector: inout FindingCollector) async throws {
        try await engine.loadContent(contract.content)
        guard engine.capabilities.contains(.seeks) else {
            return await collector.expectError(["unsupported"], "an engine without seeks refuses them") {
                try await engine.seek(to: .time(1))
            }
        }
        do {
            try await engine.seek(to: .time(1))
            expectPosition(
                await engine.currentTime, 1, within: Self.tolerance, "content begins where a seek put it", &collector)
        } catch CoreError.invalidState {
            // An engine may move only what plays.
        }
        try await engine.play()
        try await engine.seek(to: .time(3))
        // The position moves on until a busy machine reads it.
        let isMoved = await Self.poll(contract.limit) { (2.8...3 + contract.limit).contains(await engine.currentTime) }
        await expect(isMoved, "a seek to 3 s moves what plays", &collector)
        // Content that plays reaches 3 s without a seek as well.
        let ahead = await engine.currentTime
        try await engine.seek(to: .time(0.5))
        let isBack = await Self.poll(contract.limit) { await engine.currentTime < ahead - 1 }
        await expect(isBack, "a seek back to 0.5 s moves what plays", &collector)
        await engine.pause()
        try await engine.seek(to: .time(2))
        await expectArrival(2, "a seek to 2 s moves what is paused", &collector)
        await expectState(.paused, "a seek keeps a pause", &collector)
        guard await engine.duration != nil else { return }
        try await engine.seek(to: .fraction(0.5))
        await expectArrival(atShare: 0.5, "a seek to one half moves there", &collector)
        try await engine.seek(to: .time(-10))
        await expectArrival(0, "a seek before the beginning goes to it", &collector)
        try await engine.seek(to: .time(.infinity))
        await expectArrival(atShare: 1, "a seek behind the end goes to the end", &collector)
        await collector.expectError(
            ["invalidArgument", "unsupported"], "a position that is not a number is refused"
        ) { try await engine.seek(to: .time(.nan)) }
        if case .url = contract.content {
            await collector.expectError(["unsupported"], "sound has no characters to seek to") {
                try await engine.seek(to: .characterOffset(3))
            }
        }
    }

    private func rate(_ collector: inout FindingCollector) async throws {
        try await engine.loadContent(contract.short)
        let isAble = engine.capabilities.contains(.changesRate)
        for rate in [0, -1, 1_000, Double.nan, .infinity] {
            await collector.expectError(
                isAble ? ["invalidArgument"] : ["invalidArgument", "unsupported"], "a rate of \(rate) is refused"
            ) { try await engine.setRate(rate) }
        }
        guard isAble else { return }
        for rate in [0.5, 2] { try await engine.setRate(rate) }
        let states = watch()
        try await engine.play()
        await expect(await states.until { $0 == .finished } != nil, "content plays at another rate", &collector)
    }

    // MARK: Other content

    private func refusals(_ collector: inout FindingCollector) async throws {
        var refused = contract.refused
        if !engine.capabilities.contains(.speaksText) {
            refused.append(.init(.text("Apple", language: "en"), named: ""))
        }
        for refusal in refused {
            let rule = "content that cannot be opened is refused"
            do {
                try await engine.loadContent(refusal.content)
                collector.expect(false, rule, seen: "\(refusal.content) was loaded")
            } catch let error as CoreError {
                collector.expect(
                    refusal.name.isEmpty || error.message.contains(refusal.name), "an error names the content",
                    seen: error.message)
            }
            if case .failed = await engine.engineState {
            } else {
                await expect(false, "a failed load is a failed state", &collector)
            }
            await collector.expectError(["invalidState"], "after a failed load there is no content") {
                try await engine.play()
            }
        }
        let states = watch()
        try await start(contract.content)
        await expect(
            await states.until { $0 == .playing } != nil, "other content plays after refused content", &collector)
    }

    private func replacing(_ collector: inout FindingCollector) async throws {
        try await start(contract.content)
        _ = await isBeyond(0.2)
        try await engine.loadContent(contract.short)
        await expectState(.ready, "new content waits, whatever was played before", &collector)
        collector.expectEqual(await engine.currentTime, 0, "new content is at its beginning")
        let states = watch()
        try await engine.play()
        await expect(await states.until { $0 == .finished } != nil, "new content plays to its end", &collector)
        let opening = Task { try await engine.loadContent(contract.content) }
        await engine.stop()
        _ = await opening.result
        await engine.stop()
        let isAtRest = await Self.poll(contract.limit) { [.idle, .ready].contains(await engine.engineState) }
        await expect(isAtRest, "a stop ends an opening", &collector)
    }

    private func concurrency(_ collector: inout FindingCollector) async throws {
        try await engine.loadContent(contract.content)
        try await withTimeout(contract.limit) { [self] in
            await withTaskGroup(of: Void.self) { group in
                for seed in 1...6 { group.addTask { await storm(seed: UInt64(seed)) } }
            }
        }
        await engine.stop()
        // The last of the calls may have loaded content, which is ready and stays so.
        await expect(
            [.idle, .ready].contains(await engine.engineState), "a stop ends everything", &collector)
        let states = watch()
        try await start(contract.short)
        await expect(
            await states.until { $0 == .finished } != nil, "an engine plays after calls of many tasks", &collector)
        try await replaceBesideStarts(&collector)
    }

    /// Loads content while a start of the content before is under way, which may be refused or end as either of them.
    private func replaceBesideStarts(_ collector: inout FindingCollector) async throws {
        let short = await engine.duration
        try await engine.loadContent(contract.content)
        let long = await engine.duration
        for round in 0..<6 {
            try await engine.loadContent(contract.content)
            // Either call may come first, and the start may have begun.
            if round.isMultiple(of: 2) {
                async let starting: Void? = try? engine.play()
                if round.isMultiple(of: 4) { _ = await Self.poll(1) { await engine.engineState != .ready } }
                try await engine.loadContent(contract.short)
                _ = await starting
            } else {
                async let loading: Void = engine.loadContent(contract.short)
                try? await engine.play()
                try await loading
            }
            try await engine.play()
            // A busy machine may look when it was heard already.
            let isPlaying = await Self.poll(contract.limit) {
                [.playing, .finished].contains(await engine.engineState)
            }
            await expect(isPlaying, "content that was loaded beside a start can be played", &collector)
            guard let short, let long else { continue }
            // A remote player may tell its content a while later.
            let isLoaded = await Self.poll(contract.limit) {
                await engine.duration.map { abs($0 - short) < abs($0 - long) } ?? true
            }
            await expect(isLoaded, "content that was loaded beside a start is what plays", &collector)
        }
    }

    /// Calls of one task in an order that depends on a seed. Refusals are allowed, as the state is not known.
    private func storm(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: try? await engine.loadContent(contract.content)
            case 1, 2, 3: try? await engine.play()
            case 4: await engine.pause()
            case 5: await engine.stop()
            case 6: try? await engine.seek(to: .time(1))
            default: try? await engine.setRate(1)
            }
        }
    }

    // MARK: Waiting

    /// The states of an engine from now on.
    private struct Watch: Sendable {
        let states: AsyncStream<Numbered<EngineState>>
        let limit: Double

        /// Waits for a state.
        ///
        /// - Returns: The states up to it; `nil` when it did not come in time.
        func until(_ isIt: @escaping @Sendable (EngineState) -> Bool) async -> [EngineState]? {
            try? await withTimeout(limit) {
                var seen: [EngineState] = []
                for await state in states {
                    if state.isSnapshot { continue }
                    seen.append(state.event)
                    if isIt(state.event) { return seen }
                }
                throw CancellationError()
            }
        }
    }

    /// Watches the states; a state that was reported before does not count.
    private func watch() -> Watch {
        Watch(states: engine.stateUpdates.buffered(.bounded(256)).numbered, limit: contract.limit)
    }

    /// Waits until the position is beyond a number of seconds.
    private func isBeyond(_ seconds: Double) async -> Bool {
        await Self.poll(contract.limit) { await engine.currentTime > seconds }
    }

    /// Asks again and again, because an engine does not report its position.
    static func poll(_ limit: Double, until isTrue: () async -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(limit)
        while ContinuousClock.now < deadline {
            if await isTrue() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return await isTrue()
    }

    // MARK: Judging

    /// Records a finding with the engine's state and position unless a condition holds.
    private func expect(_ isTrue: Bool, _ rule: String, _ collector: inout FindingCollector) async {
        guard !isTrue else { return }
        let (state, position) = (await engine.engineState, await engine.currentTime)
        collector.expect(false, rule, seen: "\(state) at \(position) s")
    }

    private func expectState(_ state: EngineState, _ rule: String, _ collector: inout FindingCollector) async {
        collector.expectEqual(await engine.engineState, state, rule)
    }

    /// Waits until the position is where a command puts it, which may be a while behind the command.
    private func expectArrival(_ expected: Double, _ rule: String, _ collector: inout FindingCollector) async {
        let hasArrived = await Self.poll(10) { abs(await engine.currentTime - expected) <= Self.tolerance }
        await expect(hasArrived, rule, &collector)
    }

    /// As ``expectArrival(_:_:_:)``, at a share of the content's duration, which may be an estimate that a seek changes.
    private func expectArrival(atShare share: Double, _ rule: String, _ collector: inout FindingCollector) async {
        let hasArrived = await Self.poll(10) {
            guard let duration = await engine.duration else { return false }
            return abs(await engine.currentTime - share * duration) <= Self.tolerance
        }
        await expect(hasArrived, rule, &collector)
    }

    private func expectPosition(
        _ position: Double, _ expected: Double, within tolerance: Double, _ rule: String,
        _ collector: inout FindingCollector
    ) {
        collector.expect(
            abs(position - expected) <= tolerance, rule, seen: "\(position) s instead of \(expected) s")
    }
}
