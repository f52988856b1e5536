import DescantCore
import DescantTesting
import Foundation
import Testing

/// An engine whose output replaces the queued frames after a command sounds as one without a queue does.
@Suite(.timeLimit(.minutes(5))) struct RewindTests {
    private static let latency: Int64 = 6_000
    private static let sounds: [(url: URL, frames: Int, rate: Int)] = [
        (URL(fileURLWithPath: "/sounds/long"), 60_000, 48_000), (URL(fileURLWithPath: "/sounds/short"), 4_000, 48_000),
        (URL(fileURLWithPath: "/sounds/other"), 20_000, 48_000), (URL(fileURLWithPath: "/sounds/clip"), 3_000, 44_500),
    ]

    /// Two engines that receive the same commands at the same heard frame.
    private struct Pair {
        /// Renders half a second ahead of the loudspeaker.
        let queued = ManualMixingEngine.rewinding()
        /// Renders what is heard at once.
        let direct = ManualMixingEngine.realTime()
        var decks: [(DeckID, DeckID)] = []
        /// The effects of the main layer and of the overlay: a long echo and a short one.
        private let echoes = (0..<2).map { _ in
            (EffectInsert("long", EchoEffect(delay: 2_801)), EffectInsert("short", EchoEffect(delay: 97)))
        }

        /// None, one or two echoes. Those of a layer keep their identity.
        func effects(_ amount: Double, isOverlay: Bool) -> [EffectInsert] {
            var (long, short) = echoes[isOverlay ? 1 : 0]
            long.values["feedback"] = amount * 0.6
            short.isBypassed = amount > 0.9
            return amount < 0.2 ? [] : amount < 0.6 ? [long] : [short, long]
        }

        init() {
            for engine in [queued, direct] {
                // This output's limiter goes on in the state behind the frames that are replaced.
                engine.output.setLimiter(enabled: false)
                for sound in RewindTests.sounds {
                    let format = PCMFormat(sampleRate: sound.rate, channels: 2)
                    let samples = (0..<sound.frames).flatMap { frame -> [Float] in
                        let edge = Float(min(1, Double(min(frame, sound.frames - frame)) / 200))
                        return [
                            0.3 * edge * Float(sin(Double(frame) / 17)), 0.2 * edge * Float(cos(Double(frame) / 23)),
                        ]
                    }
                    engine.decks.register(SampleBuffer(format: format, samples: samples), for: sound.url)
                }
            }
            queued.output.setLatency(frames: RewindTests.latency)
        }

        /// Lets both loudspeakers play. A command then acts on the same frame in both: the first that `direct` has not rendered and
        /// that `queued` can replace, which lies behind the heard frame.
        func play(_ frames: Int) async {
            await direct.output.step(frames: frames)
            let ahead = direct.output.renderedFrames - 1 + RewindTests.latency - queued.output.renderedFrames
            await queued.output.step(frames: Int(max(0, ahead)))
        }

        mutating func open(_ index: Int, isClip: Bool) async throws -> (DeckID, DeckID) {
            let source = AudioSource.url(RewindTests.sounds[index].url)
            return (
                try await queued.engine.openDeck(source, gain: 0.8, isClip: isClip).id,
                try await direct.engine.openDeck(source, gain: 0.8, isClip: isClip).id
            )
        }

        func both(_ command: (any MixingEngine, Bool) async throws -> Void) async throws {
            try await command(direct.engine, false)
            try await command(queued.engine, true)
        }
    }

    private enum Command: CaseIterable {
        case cut, crossfade, fadeIn, loop, next, crossfadeNext, nothing, pause, resume, stop, seek, gain, shorten, duck
        case deckGain, plannedStop, afterCrossfade, effects, deckEffects
    }

    /// The variable DESCANT_REWIND_SEEDS says how many sequences are compared.
    private static let seeds = Array(
        0..<(ProcessInfo.processInfo.environment["DESCANT_REWIND_SEEDS"].flatMap { UInt64($0) } ?? 30))

    /// Seed 223 seeks to the end of a deck whose converter the next one had taken over in the frames that are replaced.
    @Test(arguments: seeds + [223]) func commandsSoundAsWithoutAQueue(seed: UInt64) async throws {
        try await compare(Command.allCases.filter { $0 != .effects && $0 != .deckEffects }, seed: seed)
    }

    /// A second of echoes is in the layers when the queue is replaced. Effects have no events, and those of the other commands are
    /// compared above.
    @Test(arguments: seeds.prefix(max(20, seeds.count / 2))) func effectsSoundAsWithoutAQueue(seed: UInt64) async throws
    {
        try await compare(
            [.cut, .crossfade, .loop, .next, .crossfadeNext, .pause, .resume, .stop, .seek, .gain, .effects, .effects],
            seed: seed, withEvents: false)
    }

    /// The same with echoes on single decks, those that sound and those that follow.
    @Test(arguments: seeds.prefix(max(20, seeds.count / 2)))
    func effectsOfDecksSoundAsWithoutAQueue(seed: UInt64) async throws {
        try await compare(
            [
                .cut, .crossfade, .fadeIn, .loop, .next, .crossfadeNext, .afterCrossfade, .nothing, .pause, .resume,
                .stop, .seek, .effects, .deckEffects, .deckEffects, .deckGain, .plannedStop,
            ], seed: seed, withEvents: false)
    }

    private func compare(_ commands: [Command], seed: UInt64, withEvents: Bool = true) async throws {
        var generator = SeededGenerator(seed: seed)
        var pair = Pair()
        let overlays = (await pair.queued.engine.addLayer(.overlay), await pair.direct.engine.addLayer(.overlay))
        let recordings = (
            pair.queued.engine.mixEvents.buffered(.bounded(4_096)).numbered,
            pair.direct.engine.mixEvents.buffered(.bounded(4_096)).numbered
        )
        let first = try await pair.open(0, isClip: false)
        try await pair.both { engine, isQueued in
            try await engine.play(isQueued ? first.0 : first.1, on: engine.mainLayer, entry: .cut, loop: nil)
        }
        var log: [String] = []
        for _ in 0..<50 {
            await pair.play(Int.random(in: 1...2_500, using: &generator))
            let command = commands.randomElement(using: &generator) ?? .pause
            let isOverlay = Bool.random(using: &generator)
            log.append("\(pair.direct.output.renderedFrames) \(command)\(isOverlay ? " on the overlay" : "")")
            try await apply(command, of: commands, isOverlay ? overlays : nil, to: &pair, using: &generator)
        }
        await pair.play(6_000)
        let heard = await finish(pair, log)
        let events = (await Self.events(recordings.0, before: heard), await Self.events(recordings.1, before: heard))
        if withEvents { #expect(events.0 == events.1, "\(log.suffix(5))") }
    }

    /// Compares what was heard of both and shuts them down; returns the number of heard frames.
    @discardableResult
    private func finish(_ pair: Pair, _ log: [String] = []) async -> Int {
        let heard = Int(pair.direct.output.renderedFrames)
        #expect(pair.queued.output.renderedFrames >= Int64(heard))
        let (queued, direct) = (pair.queued.rendered.samples, pair.direct.rendered.samples)
        // Where a join moves, the sums of the converter may have other parts, which changes their last bit.
        if let difference = (0..<heard * 2).first(where: { abs(queued[$0] - direct[$0]) > 1e-7 }) {
            let before = log.filter { (Int($0.prefix { $0 != " " }) ?? 0) <= difference / 2 }
            Issue.record(
                "frame \(difference / 2): \(queued[difference]) instead of \(direct[difference]) after \(before.suffix(5))"
            )
        }
        await pair.queued.engine.shutdown()
        await pair.direct.engine.shutdown()
        return heard
    }

    // MARK: What was rendered ahead is taken back

    /// Plays a sound with another one behind it up to a frame.
    private func pair(
        playing first: Int, then next: Int, _ join: DeckJoin, upTo frame: Int
    ) async throws -> (Pair, next: DeckID) {
        var pair = Pair()
        let decks = (try await pair.open(first, isClip: false), try await pair.open(next, isClip: false))
        try await pair.both { engine, isQueued in
            let (deck, following) = isQueued ? (decks.0.0, decks.1.0) : (decks.0.1, decks.1.1)
            try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
            try await engine.setFollowUp(.deck(following, join), on: engine.mainLayer)
        }
        await pair.play(frame)
        return (pair, decks.1.0)
    }

    /// The ramp of the pause ends in frames that are rendered ahead, and once more when the next command replaces them.
    @Test func positionAfterAResumptionWithinARampIsThatWithoutAQueue() async throws {
        var pair = Pair()
        let deck = try await pair.open(0, isClip: false)
        try await pair.both { engine, isQueued in
            try await engine.play(isQueued ? deck.0 : deck.1, on: engine.mainLayer, entry: .cut, loop: nil)
        }
        await pair.play(4_000)
        try await pair.both { engine, _ in await engine.pause(engine.mainLayer, ramp: 0.1) }
        await pair.play(1_000)
        try await pair.both { engine, _ in try await engine.resume(engine.mainLayer, ramp: 0.01) }
        await pair.play(1_000)
        try await pair.both { engine, _ in await engine.setGain(1, of: engine.mainLayer, ramp: 0) }
        await pair.play(8_000)
        // The sound goes on at frame 4,000 when the ramp of 4,800 frames is over.
        for engine in [pair.direct.engine, pair.queued.engine] {
            let position = await engine.status(of: engine.mainLayer).position * 48_000
            #expect(abs(position - 9_200) < 2)
        }
        await finish(pair)
    }

    /// The next track has been read at the old speed.
    @Test(arguments: [DeckJoin.gapless, .crossfade(0.05, curve: .linear)])
    func anotherSpeedBeginsTheNextTrackAnew(join: DeckJoin) async throws {
        let (pair, _) = try await pair(playing: 2, then: 0, join, upTo: 18_000)
        try await pair.both { engine, _ in try await engine.setRate(2, of: engine.mainLayer) }
        await pair.play(9_000)
        await finish(pair)
    }

    /// The stop had taken the next track back.
    @Test func cancelledStopGoesOnToTheNextTrack() async throws {
        let (pair, _) = try await pair(playing: 2, then: 0, .gapless, upTo: 17_000)
        try await pair.both { engine, _ in
            await engine.planStop(PlannedStop(after: 0.05, fade: 0, curve: .linear), of: engine.mainLayer)
        }
        await pair.play(500)
        try await pair.both { engine, _ in await engine.planStop(nil, of: engine.mainLayer) }
        await pair.play(8_000)
        await finish(pair)
    }

    /// The converter holds the end of a pass where the next one begins, and nothing where a pause or the end follows.
    @Test(arguments: [
        (LoopPlan(passes: nil), LoopPlan(passes: 1)), (LoopPlan(passes: nil), LoopPlan(passes: nil, delay: 0.02)),
        (LoopPlan(passes: nil, delay: 0.02), LoopPlan(passes: nil)), (LoopPlan(passes: 1), LoopPlan(passes: 3)),
    ])
    func seamOfALoopFollowsItsPlan(before: LoopPlan, after: LoopPlan) async throws {
        var pair = Pair()
        let deck = try await pair.open(3, isClip: true)
        try await pair.both { engine, isQueued in
            try await engine.play(isQueued ? deck.0 : deck.1, on: engine.mainLayer, entry: .cut, loop: before)
        }
        await pair.play(1_000)
        try await pair.both { engine, _ in await engine.setLoop(after, on: engine.mainLayer) }
        await pair.play(6_000)
        await finish(pair)
    }

    /// The end of a track lies in the converter of the next one when a command comes, and another command acts on the same frame.
    @Test func eventsOfACommandStayWhenTheNextOneActsOnItsFrame() async throws {
        let (pair, next) = try await pair(playing: 3, then: 3, .gapless, upTo: 3_219)
        let recording = pair.queued.engine.mixEvents.buffered(.bounded(4_096)).numbered
        let engine = pair.queued.engine
        await engine.setTrackGain(0.5, of: next, ramp: 0.01)
        await pair.queued.output.step(frames: 1)
        await engine.setGain(1, of: engine.mainLayer, ramp: 0)
        await pair.queued.output.step(frames: 30_000)
        await pair.queued.engine.shutdown()
        await pair.direct.engine.shutdown()
        var (starts, ends) = (0, 0)
        for await numbered in recording {
            if case .deckStarted = numbered.event.kind { starts += 1 }
            if case .deckEnded = numbered.event.kind { ends += 1 }
        }
        #expect(starts == 1 && ends == 2)
    }

    /// What ends a deck that had no data for a while.
    enum End: CaseIterable, Sendable { case failure, end, sound }

    /// The end lies within the frames between a snapshot and the change, which are rendered once more for the state alone.
    @Test(arguments: End.allCases) func endAfterStarvationIsReported(end: End) async throws {
        let manual = ManualMixingEngine.rewinding()
        let url = URL(fileURLWithPath: "/sounds/slow")
        var fault = DeckFault()
        fault.starvesAtFrame = 3_000
        fault.announcesLength = false
        if end == .failure { fault.failure = (3_000, .decodeError("broken")) }
        let format = PCMFormat(sampleRate: 48_000, channels: 2)
        let length = end == .sound ? 4_000 : 3_000
        manual.decks.register(
            SampleBuffer(format: format, samples: [Float](repeating: 0.25, count: length * 2)), for: url, fault: fault)
        manual.output.setLatency(frames: Self.latency)
        let recording = manual.engine.mixEvents.buffered(.bounded(4_096)).numbered
        let deck = try await manual.engine.openDeck(.url(url), gain: 1, isClip: false).id
        try await manual.engine.play(deck, on: manual.engine.mainLayer, entry: .cut, loop: nil)
        try await manual.engine.setFollowUp(.nothing, on: manual.engine.mainLayer)
        // 3,499 frames are heard, the last of them from a block that began at 3,360, without data.
        await manual.output.step(frames: Int(Self.latency) + 3_499)
        manual.decks.release(AudioSource.url(url).name)
        await manual.engine.setGain(1, of: manual.engine.mainLayer, ramp: 0)
        await manual.output.step(frames: 12_000)
        await manual.engine.shutdown()
        var (ends, idles): ([MixEvent], Int) = ([], 0)
        for await numbered in recording {
            if case .deckEnded = numbered.event.kind { ends.append(numbered.event) }
            if case .idle = numbered.event.kind { idles += 1 }
        }
        #expect(ends.count == 1 && idles == 1, "\(ends)")
        // The earliest frame that can be replaced.
        #expect(ends.first?.frame == (end == .sound ? 4_500 : 3_500))
        if case .deckEnded(deck, .failed(_, let error))? = ends.first?.kind {
            #expect(end == .failure && error == .decodeError("broken"))
        } else {
            #expect(end != .failure)
        }
        let heard = manual.rendered.samples
        let sounds: [Int] = (0..<heard.count / 2).filter { heard[$0 * 2] != 0 }
        let isComplete = sounds == Array(0..<3_000) + (end == .sound ? Array(3_500..<4_500) : [])
        #expect(isComplete, "\(sounds.count) frames, the last is \(sounds.last ?? -1)")
    }

    private static func events(_ recording: AsyncStream<Numbered<MixEvent>>, before frame: Int) async -> [String] {
        var events: [String] = []
        for await numbered in recording where numbered.event.frame < frame {
            events.append(
                "\(numbered.event.frame) \(numbered.event.layer.map { "\($0)" } ?? "") \(numbered.event.kind)")
        }
        // Positions are sums of other parts in the two engines: they agree to a nanosecond.
        return events.map { event in
            event.replacing(/[0-9]+\.[0-9]+(e-[0-9]+)?/) { String(format: "%.9f", Double($0.output.0) ?? .nan) }
        }.sorted()
    }

    private func apply(
        _ command: Command, of allCommands: [Command], _ overlays: (LayerID, LayerID)?, to pair: inout Pair,
        using generator: inout SeededGenerator
    ) async throws {
        let seconds = Double.random(in: 0...0.15, using: &generator)
        let gain = Double.random(in: 0...1, using: &generator)
        let index = Int.random(in: 0..<4, using: &generator)
        let isClip = Bool.random(using: &generator)
        let curve = FadeCurve.allCases.randomElement(using: &generator) ?? .linear
        let opens: Bool =
            switch command {
            case .cut, .crossfade, .fadeIn, .loop, .next, .crossfadeNext, .afterCrossfade: true
            default: false
            }
        let inserts = pair.effects(gain, isOverlay: overlays != nil)
        let decks = opens ? try await pair.open(index, isClip: isClip) : nil
        let directEngine = pair.direct.engine
        if let decks, allCommands.contains(.deckEffects), Bool.random(using: &generator) {
            let inserts = pair.effects(seconds * 6, isOverlay: overlays != nil)
            try await pair.both { engine, isQueued in
                guard let engine = engine as? any DeckEffectEngine else { return }
                try await engine.setEffects(inserts, of: isQueued ? decks.0 : decks.1)
            }
        }
        try await pair.both { engine, isQueued in
            let layer = overlays.map { isQueued ? $0.0 : $0.1 } ?? engine.mainLayer
            let deck = decks.map { isQueued ? $0.0 : $0.1 } ?? DeckID(rawValue: 0)
            switch command {
            case .cut: try await engine.play(deck, on: layer, entry: .cut, loop: nil)
            case .crossfade: try await engine.play(deck, on: layer, entry: .crossfade(seconds, curve: curve), loop: nil)
            case .fadeIn: try await engine.play(deck, on: layer, entry: .fadeIn(seconds, curve: .linear), loop: nil)
            case .loop:
                let plan = LoopPlan(passes: 3, delay: gain < 0.5 ? 0 : seconds / 4, fadeOut: seconds / 4)
                try await engine.play(deck, on: layer, entry: .cut, loop: plan)
            case .next: try await engine.setFollowUp(.deck(deck, .gapless), on: layer)
            case .crossfadeNext:
                try await engine.setFollowUp(.deck(deck, .crossfade(seconds, curve: curve)), on: layer)
            case .afterCrossfade:
                try await engine.setFollowUp(.deck(deck, .afterCrossfade(seconds, curve: curve)), on: layer)
            case .nothing: try await engine.setFollowUp(.nothing, on: layer)
            case .pause: await engine.pause(layer, ramp: 0.01)
            case .resume: try await engine.resume(layer, ramp: 0.01)
            case .stop: await engine.stop(layer, fade: seconds / 2, curve: .linear)
            // Nothing to move is a documented refusal.
            case .seek: try? await engine.seek(layer, to: seconds * 6, fade: 0.01)
            case .gain: await engine.setGain(gain, of: layer, ramp: 0.01)
            case .shorten: await engine.shortenCrossfade(layer, within: 0.02)
            case .duck:
                guard let overlays, gain < 0.7 else { return try await engine.setDucking(nil, of: engine.mainLayer) }
                let ducking = Ducking(amount: 12, attack: 0.05, release: 0.1)
                let plan = DuckingPlan(keys: [isQueued ? overlays.0 : overlays.1], ducking: ducking)
                try await engine.setDucking(plan, of: engine.mainLayer)
            case .deckGain:
                // The same deck in both, which number their decks alike: a status of the one that rendered ahead may be a block later.
                let place = overlays?.1 ?? engine.mainLayer
                guard let present = await directEngine.status(of: place).deck else { return }
                await engine.setTrackGain(gain, of: present, ramp: 0.01)
            case .effects:
                guard let engine = engine as? any EffectEngine else { return }
                try await engine.setEffects(inserts, at: .layer(layer))
            case .deckEffects:
                let place = overlays?.1 ?? engine.mainLayer
                guard let engine = engine as? any DeckEffectEngine,
                    let present = await directEngine.status(of: place).deck
                else { return }
                try await engine.setEffects(inserts, of: present)
            case .plannedStop:
                await engine.planStop(PlannedStop(after: seconds, fade: 0.05, curve: .linear), of: layer)
            }
        }
    }
}
