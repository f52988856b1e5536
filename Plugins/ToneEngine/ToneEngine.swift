internal import Descant
internal import Foundation
internal import Synchronization

/// The smallest engine that makes sound: a sine on a separate layer of the host's mixer.
actor ToneEngine: MediaEngine {
    nonisolated let identifier = "tone"
    nonisolated let capabilities: EngineCapabilities = [.playsURLs, .seeks, .changesRate]
    nonisolated var stateUpdates: EventStream<EngineState> { states.stream(buffer: .newest) }

    private let mixer: any MixingEngine
    private let states = EventHub<EngineState>(initial: .idle)
    private var layer: LayerID?
    private var url: URL?
    private var deck: DeckInfo?
    private var watcher: Task<Void, Never>?
    /// Counts loads and stops. An actor lets other calls in while one waits for the mixer: what an earlier one waited for is void then.
    private var turn = 0

    init(mixer: any MixingEngine) { self.mixer = mixer }

    deinit { watcher?.cancel() }

    var engineState: EngineState { states.snapshot ?? .idle }
    var currentTime: TimeInterval {
        get async {
            if engineState == .finished { return duration ?? 0 }
            guard let layer else { return 0 }
            return await mixer.status(of: layer).position
        }
    }
    var duration: TimeInterval? { deck?.track.duration }

    func loadContent(_ content: MediaContent) async throws {
        turn += 1
        let turn = turn
        states.post(.loading)
        await silence()
        do {
            guard case .url(let url) = content else { throw CoreError.unsupported("tone: it speaks no text") }
            let source = try SineSource(url, sampleRate: mixer.mixFormat.sampleRate)
            let opened = try await mixer.openDeck(.pcm(source), gain: 1, isClip: false)
            guard turn == self.turn else {
                await mixer.closeDeck(opened.id)
                throw CancellationError()
            }
            (deck, self.url) = (opened, url)
            states.post(.ready)
        } catch {
            guard turn == self.turn else { throw error }
            url = nil
            states.post(.failed(error as? CoreError ?? .ioError(underlying: error)))
            throw error
        }
    }

    func play() async throws {
        let turn = turn
        switch engineState {
        case .playing: return
        case .loading: throw CoreError.invalidState("tone: it is still being loaded")
        case .paused: if let layer { try await mixer.resume(layer, ramp: 0.01) }
        case .ready: try await begin()
        default:
            guard let url else { throw CoreError.invalidState("tone: nothing is loaded") }
            try await loadContent(.url(url))
            return try await play()
        }
        guard turn == self.turn else { throw CancellationError() }
        states.post(.playing)
    }

    private func begin() async throws {
        guard let deck else { return }
        let turn = turn
        let layer = await ownLayer()
        guard turn == self.turn else { throw CancellationError() }
        try await mixer.play(deck.id, on: layer, entry: .cut, loop: nil)
        // A load or stop may have come before the deck began.
        if turn != self.turn, await mixer.status(of: layer).deck == deck.id {
            return await mixer.stop(layer, fade: 0, curve: .linear)
        }
        try await mixer.setFollowUp(.nothing, on: layer)
    }

    func pause() async {
        guard engineState == .playing, let layer else { return }
        let turn = turn
        await mixer.pause(layer, ramp: 0.01)
        if turn == self.turn { states.post(.paused) }
    }

    func stop() async {
        turn += 1
        states.post(.idle)
        await silence()
    }

    /// Ends the sound, and closes a deck that has not begun.
    private func silence() async {
        let (layer, deck) = (layer, deck)
        self.deck = nil
        if let layer { await mixer.stop(layer, fade: 0, curve: .linear) }
        if let deck { await mixer.closeDeck(deck.id) }
    }

    func seek(to position: MediaPosition) async throws {
        guard let layer, let deck else { throw CoreError.invalidState("tone: nothing is playing") }
        switch position {
        case .time(let time): try await mixer.seek(layer, to: time, fade: 0)
        case .fraction(let share): try await mixer.seek(layer, to: share * deck.track.duration, fade: 0)
        case .characterOffset: throw CoreError.unsupported("tone: a tone has no character offsets")
        }
    }

    func setRate(_ rate: Double) async throws { try await mixer.setRate(rate, of: await ownLayer()) }

    private func ownLayer() async -> LayerID {
        if let layer { return layer }
        let layer = await mixer.addLayer(.effects)
        self.layer = layer
        // Subscribed here and not in the task, so that no event is missed.
        let events = mixer.mixEvents.numbered
        watcher = Task { [weak self] in
            for await event in events where event.event.layer == layer { await self?.heard(event.event.kind) }
        }
        return layer
    }

    private func heard(_ event: MixEvent.Kind) {
        guard case .deckEnded(let ended, .finished) = event, ended == deck?.id else { return }
        states.post(.finished)
    }
}

/// A sine at half of full scale.
final class SineSource: PCMSource {
    let name: String
    let format: PCMFormat
    let frameCount: Int64?

    private let frequency: Double
    private let position = Mutex<Int64>(0)

    /// Reads `tone:440?seconds=2`; one second when no length is given.
    ///
    /// - Throws: `CoreError.invalidArgument` for anything else.
    init(_ url: URL, sampleRate: Int) throws {
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        let length = parts?.queryItems?.first { $0.name == "seconds" }?.value ?? "1"
        guard url.scheme == "tone", let frequency = Double(parts?.path ?? ""), let seconds = Double(length),
            frequency > 0, frequency < Double(sampleRate) / 2, seconds > 0, seconds < 86_400
        else {
            throw CoreError.invalidArgument("\(url.absoluteString): a tone looks like tone:440?seconds=2")
        }
        name = url.absoluteString
        format = PCMFormat(sampleRate: sampleRate, channels: 1)
        frameCount = format.frames(in: seconds)
        self.frequency = frequency
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        position.withLock { position in
            let first = position
            let frames = Int(min(Int64(maxFrames), (frameCount ?? 0) - first))
            let step = 2 * Double.pi * frequency / Double(format.sampleRate)
            for frame in 0..<frames { buffer[frame] = Float(0.5 * sin(step * Double(first + Int64(frame)))) }
            position += Int64(frames)
            return frames
        }
    }

    func seek(toFrame frame: Int64) throws { position.withLock { $0 = min(max(frame, 0), frameCount ?? 0) } }
}
