public import DescantCore

/// Checks the rules that every mixing engine must keep; see `MixingEngine` for the rules in full.
///
/// The checks control an offline engine and compare the samples that it rendered:
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#mixing-engine -->
/// ```swift
/// @Test(arguments: MixingEngineContract.Rule.allCases)
/// func keeps(rule: MixingEngineContract.Rule) async {
///     let contract = MixingEngineContract { samples, name in
///         .pcm(SampleSource(samples, name: name))
///     } makeSubject: {
///         let manual = ManualMixingEngine.offline()
///         return .init(engine: manual.engine) { manual.rendered }
///     }
///     #expect(await contract.check(rule) == [])
/// }
/// ```
public struct MixingEngineContract: Sendable {
    /// One engine to be tested, offline and new.
    public struct Subject: Sendable {
        /// The engine.
        public var engine: any MixingEngine
        /// Completes the output and returns everything that was rendered since the engine was created.
        public var readBack: @Sendable () async throws -> SampleBuffer

        /// Describes an engine.
        ///
        /// - Parameters:
        ///   - engine: The engine.
        ///   - readBack: Completes the output and returns everything that was rendered.
        public init(engine: any MixingEngine, readBack: @escaping @Sendable () async throws -> SampleBuffer) {
            self.engine = engine
            self.readBack = readBack
        }
    }

    /// A part of the contract.
    public enum Rule: Sendable, Hashable, CaseIterable {
        /// Every sample of a deck at unity gain is rendered, from the frame of the command until the layer is idle.
        case everySample
        /// Commands take effect at the frame where the last `advance` ended.
        case commandFrames
        /// A deck's own gain applies to it alone.
        case deckGain
        /// A deck's own gain can be changed while it sounds.
        case trackGain
        /// A clip can be duplicated and sounds several times at once.
        case duplicates
        /// Layers are summed.
        case sum
        /// One channel sounds in all channels of the mix.
        case mono
        /// A gapless join neither adds nor loses a frame.
        case gaplessJoin
        /// The same for sources of a sample rate other than the mix's.
        case convertedJoin
        /// A crossfade at the end of a deck follows its curve.
        case crossfade(FadeCurve)
        /// A deck that enters with a crossfade.
        case crossfadeEntry
        /// A crossfade is shortened to the rest of the outgoing deck.
        case shortCrossfade
        /// A crossfade below 0.1 s is a cut.
        case crossfadeAsCut
        /// A running crossfade can be shortened.
        case shortenedCrossfade
        /// A cut begins with the new deck's first frame at full gain and ends the old one within 10 ms.
        case cut
        /// A deck that enters with a fade.
        case fadeIn(FadeCurve)
        /// A pause without a ramp stops between two frames and loses none.
        case exactPause
        /// After a pause with a ramp, the layer continues at the frame where the ramp began.
        case rampedPause
        /// A pause also pauses a running crossfade.
        case pausedCrossfade
        /// A deck started on a paused layer waits for the resume.
        case startWhilePaused
        /// A seek fades out, then in from the exact frame.
        case seek
        /// A seek on a paused layer makes no sound.
        case seekWhilePaused
        /// A seek to the end ends the deck naturally.
        case seekToEnd
        /// A loop's seam has no wrong sample.
        case loopSeam
        /// A loop's delay is silence of its exact length.
        case loopDelay
        /// A loop's fades lie inside its passes.
        case loopFades
        /// The number of passes of a running loop can be changed.
        case changedLoop
        /// A layer's samples do not depend on what other layers do.
        case independence
        /// A layer's gain moves in a ramp.
        case gainRamp
        /// The gain of a ducked layer follows the envelope of its settings.
        case ducking
        /// Breaks shorter than the hold do not restore the level; paused layers do not duck others.
        case duckingHold
        /// A change of the ducking makes no step.
        case changedDucking
        /// A layer stops with a fade.
        case stopFade(FadeCurve)
        /// A layer that is stopped without a fade ends in a ramp of 10 ms, a paused one at once.
        case stopWithoutClick
        /// A removed layer ends within 10 ms; the main layer stays.
        case removedLayer
        /// The master volume moves in a ramp.
        case masterVolume
        /// The equaliser does not change a sample while it is off or flat.
        case equalizerBypass
        /// The equaliser acts on the mix.
        case equalizer
        /// The limiter does not change a mix below -0.1 dBFS and limits a louder one to that level.
        case limiter
        /// Events come in order and carry the exact frames.
        case events
        /// A follow-up can be replaced and removed.
        case followUps
        /// Unknown decks and layers are refused.
        case unknownIdentifiers
        /// A source that does not exist is refused.
        case missingSource
        /// The status has the position, the duration and the crossfade.
        case status
        /// Speeds outside 0.5…3 are refused; others change how fast the position moves.
        case rate
        /// Decks are joined without a gap at other speeds.
        case rateGapless
        /// Crossfades have their length at other speeds.
        case rateCrossfade
        /// Seeks lead to their position at other speeds.
        case rateSeek
        /// The methods of a media engine act on the main layer.
        case mediaEngine
        /// The level readings match the mix.
        case levels
        /// The tap returns the samples of the mix.
        case tap
        /// Times, gains and speeds that are negative, very large or not finite are clamped or refused.
        case impossibleValues
        /// A shut-down engine refuses to open decks.
        case shutdown

        /// All rules, in the order of the engine's documentation.
        public static var allCases: [Rule] {
            [
                .everySample, .commandFrames, .deckGain, .trackGain, .duplicates, .sum, .mono, .gaplessJoin,
                .convertedJoin,
            ]
                + FadeCurve.allCases.map(Rule.crossfade)
                + [.crossfadeEntry, .shortCrossfade, .crossfadeAsCut, .shortenedCrossfade, .cut]
                + FadeCurve.allCases.map(Rule.fadeIn)
                + [
                    .exactPause, .rampedPause, .pausedCrossfade, .startWhilePaused, .seek, .seekWhilePaused,
                    .seekToEnd, .loopSeam, .loopDelay, .loopFades, .changedLoop, .independence, .gainRamp,
                    .ducking, .duckingHold, .changedDucking,
                ] + FadeCurve.allCases.map(Rule.stopFade)
                + [
                    .stopWithoutClick, .removedLayer, .masterVolume, .equalizerBypass, .equalizer, .limiter, .events,
                    .followUps,
                    .unknownIdentifiers, .missingSource, .status, .rate, .rateGapless, .rateCrossfade, .rateSeek,
                    .mediaEngine, .levels, .tap, .impossibleValues, .shutdown,
                ]
        }
    }

    let makeSource: @Sendable (SampleBuffer, String) async throws -> AudioSource
    let makeSubject: @Sendable () async throws -> Subject

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - makeSource: Makes a source of known samples, without loss; the name is a hint for files and messages. Sources
    ///     have the mix's sample rate and channels, other ones in a few checks.
    ///   - makeSubject: Makes an offline engine with two channels.
    public init(
        makeSource: @escaping @Sendable (SampleBuffer, String) async throws -> AudioSource,
        makeSubject: @escaping @Sendable () async throws -> Subject
    ) {
        self.makeSource = makeSource
        self.makeSubject = makeSubject
    }

    /// Checks one rule on a new engine.
    ///
    /// - Parameter rule: The rule.
    /// - Returns: The broken rules; empty when the engine keeps the rule.
    public func check(_ rule: Rule) async -> [ContractFinding] {
        var collector = FindingCollector()
        do {
            let session = try await EngineSession(self)
            do {
                try await run(rule, session, &collector)
            } catch {
                collector.expect(false, "\(rule)", seen: "\(error)")
            }
            await session.abandon()
        } catch {
            collector.expect(false, "\(rule): an engine can be made", seen: "\(error)")
        }
        return collector.findings
    }

    /// Checks every rule.
    ///
    /// - Returns: The broken rules; empty for an engine that keeps the contract.
    public func findings() async -> [ContractFinding] {
        var findings: [ContractFinding] = []
        for rule in Rule.allCases { findings += await check(rule) }
        return findings
    }

    private func run(_ rule: Rule, _ session: EngineSession, _ collector: inout FindingCollector) async throws {
        switch rule {
        case .everySample: try await PlayingChecks(session).everySample(&collector)
        case .commandFrames: try await PlayingChecks(session).commandFrames(&collector)
        case .deckGain: try await PlayingChecks(session).deckGain(&collector)
        case .trackGain: try await TrackGainChecks(session).ramp(&collector)
        case .duplicates: try await TrackGainChecks(session).duplicates(&collector)
        case .sum: try await PlayingChecks(session).sum(&collector)
        case .mono: try await PlayingChecks(session).mono(&collector)
        case .gaplessJoin: try await JoinChecks(session).gapless(&collector)
        case .convertedJoin: try await JoinChecks(session).converted(&collector)
        case .crossfade(let curve): try await CrossfadeChecks(session).atEnd(curve, &collector)
        case .crossfadeEntry: try await CrossfadeChecks(session).entry(&collector)
        case .shortCrossfade: try await CrossfadeChecks(session).shortened(&collector)
        case .crossfadeAsCut: try await CrossfadeChecks(session).asCut(&collector)
        case .shortenedCrossfade: try await CrossfadeChecks(session).shortenedLater(&collector)
        case .cut: try await EntryChecks(session).cut(&collector)
        case .fadeIn(let curve): try await EntryChecks(session).fadeIn(curve, &collector)
        case .exactPause: try await PauseChecks(session).exact(&collector)
        case .rampedPause: try await PauseChecks(session).ramped(&collector)
        case .pausedCrossfade: try await CrossfadeChecks(session).paused(&collector)
        case .startWhilePaused: try await PauseChecks(session).startWhilePaused(&collector)
        case .seek: try await SeekChecks(session).playing(&collector)
        case .seekWhilePaused: try await SeekChecks(session).paused(&collector)
        case .seekToEnd: try await SeekChecks(session).toEnd(&collector)
        case .loopSeam: try await LoopChecks(session).seam(&collector)
        case .loopDelay: try await LoopChecks(session).delay(&collector)
        case .loopFades: try await LoopChecks(session).fades(&collector)
        case .changedLoop: try await LoopChecks(session).changed(&collector)
        case .independence: try await LayerChecks(session).independence(&collector)
        case .gainRamp: try await LayerChecks(session).gainRamp(&collector)
        case .ducking: try await DuckingChecks(session).envelope(&collector)
        case .duckingHold: try await DuckingChecks(session).hold(&collector)
        case .changedDucking: try await DuckingChecks(session).changes(&collector)
        case .stopFade(let curve): try await LayerChecks(session).stopFade(curve, &collector)
        case .stopWithoutClick: try await LayerChecks(session).stopWithoutClick(&collector)
        case .removedLayer: try await LayerChecks(session).removed(&collector)
        case .masterVolume: try await OutputChecks(session).masterVolume(&collector)
        case .equalizerBypass: try await EqualizerChecks(session).bypass(&collector)
        case .equalizer: try await EqualizerChecks(session).response(&collector)
        case .limiter: try await OutputChecks(session).limiter(&collector)
        case .levels: try await OutputChecks(session).levels(&collector)
        case .tap: try await OutputChecks(session).tap(&collector)
        case .events: try await EventChecks(session).order(&collector)
        case .followUps: try await EventChecks(session).followUps(&collector)
        case .unknownIdentifiers: try await CommandChecks(session).unknownIdentifiers(&collector)
        case .missingSource: try await CommandChecks(session).missingSource(&collector)
        case .status: try await CommandChecks(session).status(&collector)
        case .rate: try await CommandChecks(session).rate(&collector)
        case .rateGapless: try await RateChecks(session).gapless(&collector)
        case .rateCrossfade: try await RateChecks(session).crossfade(&collector)
        case .rateSeek: try await RateChecks(session).seek(&collector)
        case .mediaEngine: try await CommandChecks(session).mediaEngine(&collector)
        case .impossibleValues: try await ValueChecks(session).everyMethod(&collector)
        case .shutdown: try await CommandChecks(session).shutdown(&collector)
        }
    }
}
