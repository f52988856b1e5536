import DescantCore
import DescantPlayback
import DescantTesting
import Foundation

/// Runs a sequence of random commands on a player with a manual clock, and checks every sample of the result.
final class Storm {
    /// A failure, with the data to reproduce it.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private static let tracks = Dictionary(uniqueKeysWithValues: StormTrack.all.map { ($0.url, $0) })

    private let seed: UInt64
    private var random: SeededGenerator
    private let manual = ManualMixingEngine.offline(format: PCMFormat(sampleRate: StormTrack.rate, channels: 1))
    private let player: AudioPlayerService
    private var model = StormModel()
    private var events: EventStream<PlayerEvent>.Iterator
    private var states: AsyncStream<Numbered<PlayerState>>
    private var log: [String] = []
    private var sleepFade = 0.0

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        player = AudioPlayerService(engine: manual.engine, clock: ManualClock())
        events = player.events.buffered(.bounded(10_000)).makeAsyncIterator()
        states = player.stateUpdates.buffered(.bounded(10_000)).numbered
        for track in StormTrack.all { track.register(in: manual.decks) }
    }

    /// Runs the commands.
    ///
    /// - Throws: ``Failure`` for the first deviation.
    func run(commands: Int) async throws {
        do {
            await player.setup()
            for _ in 0..<commands {
                try await step(StormCommand.random(using: &random))
                let frames = Int64.random(in: 0...Int64.random(in: 1...6_000, using: &random), using: &random)
                log.append("render \(frames)")
                _ = try await manual.engine.advance(frames: frames, untilIdle: nil)
                try await catchUp()
            }
            model.close(at: manual.output.renderedFrames)
            if let fault = model.fault(in: manual.output.rendered(of: manual.engine.mainLayer).samples) {
                throw Failure(description: fault)
            }
            try await checkStates()
            await player.reset()
            await manual.engine.shutdown()
            await manual.decks.waitUntilAllAreClosed()
        } catch {
            throw Failure(description: "seed \(seed): \(error)\n  \(log.joined(separator: "\n  "))")
        }
    }

    private var frame: Int64 { manual.output.renderedFrames }

    // MARK: Commands

    private func step(_ command: StormCommand) async throws {
        let before = await player.state
        let playlist = await player.getCurrentPlaylist()
        let index = await player.getCurrentTrackIndex()
        log.append("\(frame) \(before): \(command)")
        do {
            try await command.run(on: player)
        } catch {
            guard error is AudioPlayerError || error is ConfigurationError else { throw error }
            log.append("  refused: \(error)")
            let now = (await player.state, await player.getCurrentTrackIndex(), await player.getCurrentPlaylist())
            guard now == (before, index, playlist) else {
                throw Failure(description: "a refused call changed something")
            }
            return try await catchUp()
        }
        await note(command, before: before)
        try await catchUp()
    }

    /// Updates the model for effects of a command that have no event.
    private func note(_ command: StormCommand, before: PlayerState) async {
        let after = await player.state
        let configuration = await player.configuration
        if case .sleep(_, let fade) = command { sleepFade = fade }
        switch command {
        case .seek(_, let fade): if before == .playing { fadeTwice(max(0.01, fade)) }
        case .skip: if before == .playing { fadeTwice(0.3) }
        case .load, .startPlaying:
            if before == .paused { model.resume(at: frame, hasRamp: false) }
            if configuration.fadeInAtStart { model.fade(at: frame, length: length(configuration.fadeInDuration)) }
            return
        case .next, .previous, .jump:
            if before.isQuiet, configuration.fadeInAtStart {
                model.fade(at: frame, length: length(configuration.fadeInDuration))
            }
        default: break
        }
        if after == .paused, before != .paused { model.pause(at: frame) }
        if before == .paused, after == .playing { model.resume(at: frame) }
        if after == .fadingOut, before != .fadingOut { model.silence(at: frame, after: fade(command, configuration)) }
        if after.isQuiet, !before.isQuiet {
            model.silence(at: frame, after: StormGate.ramp)
            model.release(at: frame)
        }
    }

    private func fadeTwice(_ seconds: Double) { model.fade(at: frame, length: 2 * length(seconds) + 2) }

    private func fade(_ command: StormCommand, _ configuration: PlayerConfiguration) -> Int64 {
        switch command {
        case .stop(let fade?), .finish(let fade?): length(fade)
        default: length(configuration.stopFadeDuration)
        }
    }

    private func length(_ seconds: Double) -> Int64 { Int64((seconds * Double(StormTrack.rate)).rounded()) }

    // MARK: Events

    /// Waits until the player has handled all events of the engine.
    private func catchUp() async throws {
        // Handling an event may cause further ones.
        for _ in 0..<2 {
            try await manual.engine.selectOutput(nil)
            while let event = await events.next() {
                if case .mix(.outputChanged) = event.kind { break }
                log.append("  \(event.frame.map(String.init) ?? "-") \(event.kind)")
                if event.kind == .sleepTimerEnded, let frame = event.frame {
                    model.silence(at: frame, after: max(StormGate.ramp, length(sleepFade)))
                }
                model.note(event, tracks: Self.tracks)
            }
        }
        try await checkState()
    }

    /// Whether the state matches the sound.
    private func checkState() async throws {
        let state = await player.state
        if state.isQuiet, !model.gate.isOpen {
            // The last track ended within the ramp of a pause.
            model.silence(at: frame, after: 0)
            model.release(at: frame, waits: false)
        }
        let isOpen = model.gate.isOpen
        guard let sounds = model.sounds(at: frame) else { return }
        let isRight =
            switch state {
            case .playing: sounds && isOpen
            case .paused: !isOpen
            case .fadingOut: isOpen
            case .preparing: false
            case .idle, .finished, .failed: model.fallsSilent
            }
        guard isRight else {
            throw Failure(
                description: "\(state) at frame \(frame), where \(sounds ? "a track" : "nothing") sounds"
                    + (isOpen ? "" : " and the line is frozen"))
        }
    }

    // MARK: States

    private func checkStates() async throws {
        await player.reset()
        var last: PlayerState?
        // The last state is that of the reset; all earlier ones are in the buffer.
        for await update in states {
            if let last, !last.mayBecome(update.event) {
                throw Failure(description: "from \(last) to \(update.event)")
            }
            last = update.event
            if last == .idle, await player.state == .idle, update.number >= (await newestState()) { break }
        }
    }

    private func newestState() async -> UInt64 {
        var iterator = player.stateUpdates.numbered.makeAsyncIterator()
        return await iterator.next()?.number ?? 0
    }
}

extension PlayerState {
    /// Whether nothing sounds or could resume.
    var isQuiet: Bool {
        switch self {
        case .idle, .finished, .failed: true
        default: false
        }
    }
}
