package import DescantCore
package import Foundation
internal import Synchronization

/// The mixer as a `MediaEngine`: one content at a time, on the main layer.
///
/// A load that another load or a stop overtakes closes what it has opened and throws a `CancellationError`. So does a
/// start that opens its content again, also when a pause overtakes it.
extension Mixer: EngineTrackReporting, SelfLimitingEngine {
    package func loadContent(_ content: MediaContent) async throws {
        guard case .url(let url) = content else {
            throw CoreError.unsupported("\(identifier) plays URLs; text needs a speech engine")
        }
        let source = AudioSource.url(url)
        var begun: (number: UInt64, unplayed: DeckID?)?
        repeat {
            let stop = await halt()
            begun = try state.withLock { state throws -> (number: UInt64, unplayed: DeckID?)? in
                guard state.mediaLoads == stop else { throw CancellationError() }
                // A start that came during the stop plays the content that is replaced here.
                guard state.mediaState == .ready || state.mediaState == .idle else { return nil }
                // Content that was never played is on no layer, so no layer closes it.
                let unplayed = state.mediaState == .ready ? state.mediaDeck?.id : nil
                state.setMedia(.loading, deck: nil)
                state.mediaSource = source
                // A start that is still under way is overtaken, too.
                state.overtakeStarts()
                return (state.mediaLoads, unplayed)
            }
        } while begun == nil
        guard let (number, unplayed) = begun else { throw CancellationError() }
        postMediaState()
        if let unplayed { await closeDeck(unplayed) }
        let info: DeckInfo
        do { info = try await openDeck(source, gain: 1, isClip: false) } catch {
            let failure = EngineState.failed(error as? CoreError ?? .ioError(underlying: error))
            setMediaState(failure, deck: nil, ifLoadsAre: number)
            throw error
        }
        try await noteReady(info, loads: number, pauses: nil)
    }

    /// Takes over content that was opened, unless it is not wanted any more.
    ///
    /// - Parameters:
    ///   - loads: The number of loads and stops of the command that has opened it.
    ///   - pauses: The number of pauses of that command; `nil` when a pause does not matter.
    /// - Throws: `CancellationError`; the deck is closed then.
    private func noteReady(_ deck: DeckInfo, loads: UInt64, pauses: UInt64?) async throws {
        let isWanted = state.withLock { state in
            guard state.mediaLoads == loads, pauses == nil || pauses == state.mediaPauses else { return false }
            state.setMedia(.ready, deck: deck)
            return true
        }
        guard isWanted else {
            await closeDeck(deck.id)
            throw CancellationError()
        }
        postMediaState()
    }

    package func play() async throws {
        let (starts, loads, pauses) = state.withLock { ($0.mediaStarts, $0.mediaLoads, $0.mediaPauses) }
        try await starts.run { try await begin(loads: loads, pauses: pauses) }
    }

    /// Begins the content or continues it. Another start must not be under way.
    ///
    /// - Parameters:
    ///   - loads: The number of loads and stops at the time of the call.
    ///   - pauses: The number of pauses at the time of the call.
    private func begin(loads: UInt64, pauses: UInt64) async throws {
        await noteEnd()
        let (present, deck, source, closed, isPausedSince) = try state.withLock { state in
            // The call may have waited for an earlier start, and a load or a stop may have come meanwhile.
            guard state.mediaLoads == loads else { throw CancellationError() }
            return (
                state.mediaState, state.mediaDeck, state.mediaSource, state.mediaClosedDeck, state.mediaPauses != pauses
            )
        }
        switch present {
        case .playing, .buffering: return
        case .paused where isPausedSince: return
        case .paused:
            try await resume(mainLayer, ramp: 0.01)
            // A pause that came while the device was opened stays in effect.
            if let deck, noteSound(of: deck, loads: loads) { await noteEnd() }
        default:
            guard var deck, let source else {
                throw CoreError.invalidState("nothing is loaded; call loadContent first")
            }
            if present != .ready || deck.id == closed {
                deck = try await openDeck(source, gain: 1, isClip: false)
                // If the start fails, the content is ready for the next attempt, which opens it again.
                try await noteReady(deck, loads: loads, pauses: pauses)
            }
            try await start(deck, loads: loads)
            try await noteStart(of: deck, loads: loads)
        }
    }

    /// Notes that content plays, unless it was stopped or replaced while it was started.
    ///
    /// - Parameter loads: The number of loads and stops of the start.
    /// - Throws: `CancellationError`; the content does not sound then.
    private func noteStart(of deck: DeckInfo, loads: UInt64) async throws {
        if noteSound(of: deck, loads: loads) { return await noteEnd() }
        // The stop has found content that had not begun, and has left it ready.
        let isPresent = state.withLock { state in
            guard state.mediaDeck?.id == deck.id else { return false }
            state.setMedia(.idle, deck: deck)
            return true
        }
        if isPresent { postMediaState() }
        // The stop may have come before the deck was on the layer.
        let isOnLayer = layer(mainLayer)?({ $0.current?.id == deck.id }) == true
        if isOnLayer { await stop(mainLayer, fade: 0, curve: .linear) }
        throw CancellationError()
    }

    /// Notes that content has begun, paused when a pause came while the device was opened.
    ///
    /// - Returns: Whether it is wanted.
    private func noteSound(of deck: DeckInfo, loads: UInt64) -> Bool {
        while true {
            let pauses = state.withLock { $0.mediaPauses }
            let isPaused = layer(mainLayer)?({ $0.gate.isClosing }) == true
            let isWanted = state.withLock { state -> Bool? in
                guard state.mediaLoads == loads else { return false }
                guard state.mediaPauses == pauses else { return nil }
                // It may have been heard to its end, or broken off, before this is noted.
                if state.mediaState != .finished, !state.mediaState.isFailed {
                    state.setMedia(isPaused ? .paused : .playing, deck: deck)
                }
                return true
            }
            guard let isWanted else { continue }
            if isWanted { postMediaState() }
            return isWanted
        }
    }

    private func start(_ deck: DeckInfo, loads: UInt64) async throws {
        let position = state.withLock { state in
            defer { state.mediaStart = 0 }
            state.mediaFloor = state.mediaStart
            return state.mediaStart
        }
        // A layer that was stopped while it paused is paused until its ramp is over.
        let before = layer(mainLayer)?({ (isPaused: $0.gate.isClosing, pauses: $0.pauses) })
        do {
            try await play(deck.id, on: mainLayer, entry: .cut, loop: nil, at: position)
            try await setFollowUp(.nothing, on: mainLayer)
            if let before, before.isPaused, layer(mainLayer)?({ $0.pauses == before.pauses }) == true {
                try await resume(mainLayer, ramp: 0.01)
            }
        } catch {
            let isOnLayer = layer(mainLayer)?({ $0.current?.id == deck.id }) == true
            state.withLock { state in
                // A load or a stop has put the place at the beginning.
                if state.mediaLoads == loads { state.mediaStart = position }
                // A deck that is on the layer belongs to another start, and one that is free was not taken.
                guard !isOnLayer, !state.decks.isFree(deck.id) else { return }
                state.mediaClosedDeck = deck.id
                // Content that was stopped or replaced meanwhile keeps its state. The events of the start may have reported sound and
                // its end already.
                if state.mediaDeck?.id == deck.id, state.mediaState != .idle { state.setMedia(.ready, deck: deck) }
            }
            postMediaState()
            throw error
        }
    }

    package func pause() async {
        state.withLock { $0.mediaPauses &+= 1 }
        await pause(mainLayer, ramp: 0.01)
        // Content that is rendered to its end, and not heard to it yet, cannot be paused any more.
        guard layer(mainLayer)?({ $0.gate.isClosing }) == true else { return }
        state.withLock { state in
            if state.mediaState.isUnderWay { state.setMedia(.paused, deck: state.mediaDeck) }
        }
        postMediaState()
    }

    package func stop() async { _ = await halt() }

    /// Stops at once and returns to the beginning.
    ///
    /// - Returns: The number of this stop among the loads and stops.
    private func halt() async -> UInt64 {
        let (number, isChange) = state.withLock { state -> (UInt64, Bool) in
            state.overtakeStarts()
            state.mediaStart = 0
            state.mediaFloor = 0
            state.mediaTarget = nil
            guard state.mediaState != .ready, state.mediaState != .idle else { return (state.mediaLoads, false) }
            // Set before the stop, so that the idle layer does not count as the end of the content.
            state.setMedia(.idle, deck: state.mediaDeck)
            return (state.mediaLoads, true)
        }
        if isChange { postMediaState() }
        await stop(mainLayer, fade: 0, curve: .linear)
        return number
    }

    /// Moves content that plays; content that does not play begins there, and content that has failed goes on there.
    package func seek(to position: MediaPosition) async throws {
        let length = await duration
        let seconds = try position.seconds(duration: length, engine: identifier)
        await noteEnd()
        let isWaiting = state.withLock { state in
            guard state.mediaState.awaitsStart, state.mediaDeck != nil else { return false }
            state.mediaStart = min(max(0, seconds), length ?? Voice.latestPosition)
            return true
        }
        guard !isWaiting else { return }
        let target = min(max(0, seconds), length ?? Voice.latestPosition)
        // Before the seek, whose event may arrive at once.
        state.withLock { $0.mediaTarget = target }
        do {
            try await seek(mainLayer, to: seconds, fade: 0)
        } catch {
            state.withLock { $0.mediaTarget = nil }
            throw error
        }
        state.withLock { $0.mediaFloor = target }
    }

    /// Notes the end of the content, whose event may still be pending.
    private func noteEnd() async {
        let (deck, commands) = state.withLock { ($0.mediaState.isUnderWay ? $0.mediaDeck : nil, $0.mediaCommands) }
        guard let deck, await status(of: mainLayer).activity == .idle else { return }
        state.withLock { state in
            guard state.mediaCommands == commands, state.mediaState.isUnderWay else { return }
            state.setMedia(.finished, deck: deck)
        }
        postMediaState()
    }

    package var currentTrack: NowPlayingTrack? {
        get async {
            let (deck, source) = state.withLock { ($0.mediaDeck, $0.mediaSource) }
            guard let deck, case .url(let url) = source else { return nil }
            return NowPlayingTrack(id: .init(rawValue: "deck\(deck.id)"), url: url, info: deck.track)
        }
    }

    package func setRate(_ rate: Double) async throws { try await setRate(rate, of: mainLayer) }

    package var engineState: EngineState { get async { state.withLock { $0.mediaState } } }

    package var currentTime: TimeInterval {
        get async {
            let (start, floor, target) = state.withLock { state in
                let start = state.mediaState == .ready || state.mediaStart > 0 ? state.mediaStart : nil
                return (start, state.mediaFloor, state.mediaTarget)
            }
            if let start { return start }
            if await engineState == .finished, let length = await duration { return length }
            if let target { return target }
            return max(floor, await status(of: mainLayer).position)
        }
    }

    package var duration: TimeInterval? {
        get async {
            if let duration = await status(of: mainLayer).duration { return duration }
            return state.withLock { $0.mediaDeck.map(\.track.duration).flatMap { $0 > 0 ? $0 : nil } }
        }
    }

    /// Posts the state as it is now: of several threads that have changed it, the last to post must not report what was before.
    private func postMediaState() {
        mediaPosts.withLock { _ in
            let present = state.withLock { $0.mediaState }
            if mediaHub.snapshot != present { mediaHub.post(present) }
        }
    }

    /// Sets a state, unless there has been a load or a stop since a number of them.
    private func setMediaState(_ new: EngineState, deck: DeckInfo?, ifLoadsAre number: UInt64) {
        state.withLock { state in
            if state.mediaLoads == number { state.setMedia(new, deck: deck) }
        }
        postMediaState()
    }

    /// Follows the main layer's events, and those of decks that fill their buffer. Events of the layer arrive when their frame is heard, and a
    /// command may have changed the state since: the layer's present state decides, and the end of another deck counts for nothing.
    func updateMediaState(_ event: MixEvent) {
        switch event.kind {
        case .didSeek, .deckStarted, .deckEnded, .idle: state.withLock { $0.mediaTarget = nil }
        default: break
        }
        while true {
            let (present, deck, commands) = state.withLock { ($0.mediaState, $0.mediaDeck?.id, $0.mediaCommands) }
            guard let new = mediaState(after: event.kind, present: present, deck: deck) else { return }
            let isSet = state.withLock { state in
                // A command has come meanwhile, and may have changed the layer after it was asked.
                guard state.mediaCommands == commands, state.mediaState == present else { return false }
                state.mediaState = new
                // A connection that broke can be there again: the next play goes on where the sound broke off.
                if case .deckEnded(_, .failed(let place, .ioError)) = event.kind, case .failed = new,
                    let length = state.mediaDeck?.track.duration, length > 0
                {
                    state.mediaStart = place
                }
                return true
            }
            if isSet { return postMediaState() }
        }
    }

    private func mediaState(after event: MixEvent.Kind, present: EngineState, deck: DeckID?) -> EngineState? {
        // The sound of a stop may be heard out, and tell of itself.
        guard present != .idle else { return nil }
        // A network source fills its buffer; what follows 100 is heard. Its threads do not wait for the layer.
        if case .buffering(deck, let percent) = event {
            let new: EngineState = percent < 100 ? .buffering : .playing
            return present.isUnderWay && present != new ? new : nil
        }
        let layer: (isIdle: Bool, isPaused: Bool) =
            layer(mainLayer)?({ ($0.isIdle, $0.gate.isClosing) }) ?? (true, false)
        return switch event {
        case .deckStarted(deck): layer.isIdle || layer.isPaused ? nil : .playing
        // Either may be of content that was replaced.
        case .resumed where present.isUnderWay || present == .paused: layer.isIdle || layer.isPaused ? nil : .playing
        case .paused where present.isUnderWay || present == .paused: layer.isPaused ? .paused : nil
        case .deckEnded(deck, .failed(_, let error)), .deckEnded(deck, .truncated(_, let error)): .failed(error)
        case .idle: layer.isIdle && present.isUnderWay ? .finished : nil
        default: nil
        }
    }
}

extension Mixer.State {
    /// Counts a load or a stop. No later start waits for those that are under way.
    fileprivate mutating func overtakeStarts() {
        mediaLoads &+= 1
        mediaStarts = AsyncSerialQueue()
    }

    /// Sets the state of the content by a command.
    fileprivate mutating func setMedia(_ new: EngineState, deck: DeckInfo?) {
        mediaState = new
        mediaDeck = deck
        mediaCommands &+= 1
    }
}

extension EngineState {
    /// Whether content plays, or will when its data are there.
    fileprivate var isUnderWay: Bool { self == .playing || self == .buffering }

    fileprivate var isFailed: Bool { if case .failed = self { true } else { false } }

    /// Whether the next play begins the content, at the beginning or at a position that was chosen before.
    fileprivate var awaitsStart: Bool {
        switch self {
        case .ready, .idle, .finished, .failed: true
        case .loading, .playing, .paused, .buffering: false
        }
    }
}
