internal import Descant
internal import Foundation
internal import Synchronization

/// Follows a player and its engine through a render and keeps what the report needs.
///
/// The log compares the player with the engine: both count the started decks of the main layer.
final class RenderLog: Sendable {
    private struct State {
        var tracks: [RenderReport.Track] = []
        var transitions: [RenderReport.Transition] = []
        var failures: [RenderReport.Failure] = []
        var events: [RenderEvent] = []
        /// The frame of the render, from commands and events.
        var presentFrame: Int64 = 0
        /// Places in `tracks` of those that still sound.
        var open: [Int] = []
        var startedDecks = 0
        var newestDeck: DeckID?
        var startedTracks = 0
        var currentTrack: String?
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let tasks: Mutex<[Task<Void, Never>]>
    private let news = EventHub<Void>(initial: ())

    init(player: AudioPlayerService, engine: any MixingEngine) {
        tasks = Mutex([])
        // Subscriptions begin here, before anything is played, so that nothing is missed.
        let playerEvents = player.events.buffered(.bounded(1 << 16)).numbered
        let mixEvents = engine.mixEvents.buffered(.bounded(1 << 16)).numbered
        let main = engine.mainLayer
        tasks.withLock { tasks in
            tasks.append(Task { for await event in playerEvents { self.record(event.event) } })
            tasks.append(
                Task { for await event in mixEvents where event.event.layer == main { self.record(event.event) } })
        }
    }

    func stop() { for task in tasks.withLock({ $0 }) { task.cancel() } }

    var tracks: [RenderReport.Track] { state.withLock { $0.tracks } }
    var transitions: [RenderReport.Transition] { state.withLock { $0.transitions } }
    var failures: [RenderReport.Failure] { state.withLock { $0.failures } }
    /// The track that started last.
    var currentTrack: String? { state.withLock { $0.currentTrack } }
    /// The events in the order of frames.
    var events: [RenderEvent] {
        let events = state.withLock { $0.events }
        return events.enumerated().sorted { ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset) }
            .map(\.element)
    }

    /// Marks a command to the player; its immediate events get this frame.
    func commandIsGiven(at frame: Int64) { state.withLock { $0.presentFrame = max($0.presentFrame, frame) } }

    /// Signals that events were recorded; several may be combined into one element. The first element is immediate.
    var changes: EventStream<Void> { news.stream(buffer: .newest) }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Whether the player has handled all events up to a deck's start.
    func isCaughtUp(with deck: DeckID?) -> Bool {
        state.withLock { state in
            deck == nil || (state.newestDeck == deck && state.startedTracks == state.startedDecks)
        }
    }

    /// Closes the tracks that were sounding when the render ended.
    func close(at frame: Int64) {
        state.withLock { state in
            for index in state.open { state.tracks[index].endFrame = frame }
            state.open = []
        }
    }

    private func record(_ event: MixEvent) {
        guard case .deckStarted(let deck) = event.kind else { return }
        state.withLock { state in
            state.startedDecks += 1
            state.newestDeck = deck
        }
        news.post(())
    }

    private func record(_ event: PlayerEvent) {
        let frame = event.frame ?? 0
        state.withLock { state in
            state.presentFrame = max(state.presentFrame, frame)
            state.events.append(RenderEvent(event, at: state.presentFrame))
            switch event.kind {
            case .trackStarted(let url, _, _):
                state.startedTracks += 1
                state.currentTrack = url.shownAddress
                state.open.append(state.tracks.count)
                state.tracks.append(.init(url: url.shownAddress, startFrame: frame, endFrame: frame))
            case .trackEnded(let url):
                let name = url.shownAddress
                guard let place = state.open.firstIndex(where: { state.tracks[$0].url == name }) else { return }
                state.tracks[state.open.remove(at: place)].endFrame = frame
            case .transitionStarted(let from, let to, let transition, let frames):
                state.transitions.append(
                    .init(
                        from: from.shownAddress, to: to.shownAddress, kind: transition.rawValue, startFrame: frame,
                        frames: frames))
            case .trackFailed(let url, let error):
                state.failures.append(.init(url: url.shownAddress, code: error.code, message: error.description))
            case .stateChanged(.finished), .stateChanged(.failed): state.hasEnded = true
            default: break
            }
        }
        news.post(())
    }
}
