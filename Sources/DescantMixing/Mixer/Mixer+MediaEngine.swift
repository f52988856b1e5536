package import DescantCore
package import Foundation
internal import Synchronization

/// The mixer as a plain engine: one content at a time on the main layer.
extension Mixer {
    package func loadContent(_ content: MediaContent) async throws {
        guard case .url(let url) = content else {
            throw CoreError.unsupported("\(identifier) plays URLs; text needs a speech engine")
        }
        await stop(mainLayer, fade: 0, curve: .linear)
        setMediaState(.loading, deck: nil)
        do {
            let info = try await openDeck(.url(url), gain: 1, isClip: false)
            setMediaState(.ready, deck: info)
        } catch {
            setMediaState(.failed(error as? CoreError ?? .ioError(underlying: error)), deck: nil)
            throw error
        }
    }

    package func play() async throws {
        let (present, deck) = state.withLock { ($0.mediaState, $0.mediaDeck) }
        switch present {
        case .playing, .buffering: return
        case .paused: try await resume(mainLayer, ramp: 0.01)
        default:
            guard var deck else { throw CoreError.invalidState("nothing is loaded; call loadContent first") }
            if present != .ready { deck = try await openDeck(.url(url(named: deck.name)), gain: 1, isClip: false) }
            try await play(deck.id, on: mainLayer, entry: .cut, loop: nil)
            try await setFollowUp(.nothing, on: mainLayer)
            setMediaState(.playing, deck: deck)
        }
    }

    private func url(named name: String) -> URL {
        URL(string: name).flatMap { $0.scheme == nil ? nil : $0 } ?? URL(fileURLWithPath: name)
    }

    package func pause() async { await pause(mainLayer, ramp: 0.01) }

    package func stop() async {
        await stop(mainLayer, fade: 0, curve: .linear)
        state.withLock { if $0.mediaState != .ready { $0.mediaState = .idle } }
    }

    package func seek(to position: MediaPosition) async throws {
        let length = await duration
        switch position {
        case .time(let seconds): try await seek(mainLayer, to: seconds, fade: 0.01)
        case .fraction(let share):
            guard let length else { throw CoreError.unsupported("the duration is unknown; seek by time instead") }
            try await seek(mainLayer, to: share * length, fade: 0.01)
        case .characterOffset:
            throw CoreError.unsupported("\(identifier) plays sound, which has no characters; seek by time")
        }
    }

    package func setRate(_ rate: Double) async throws { try await setRate(rate, of: mainLayer) }

    package var engineState: EngineState { get async { state.withLock { $0.mediaState } } }

    package var currentTime: TimeInterval { get async { await status(of: mainLayer).position } }

    package var duration: TimeInterval? {
        get async {
            if let duration = await status(of: mainLayer).duration { return duration }
            return state.withLock { $0.mediaDeck.map(\.track.duration).flatMap { $0 > 0 ? $0 : nil } }
        }
    }

    private func setMediaState(_ new: EngineState, deck: DeckInfo?) {
        state.withLock { state in
            state.mediaState = new
            state.mediaDeck = deck
        }
        mediaHub.post(new)
    }

    /// Follows the main layer's events.
    func updateMediaState(_ events: [MixEvent]) {
        for event in events {
            let new: EngineState? =
                switch event.kind {
                case .deckStarted, .resumed: .playing
                case .paused: .paused
                case .deckEnded(_, .failed(_, let error)), .deckEnded(_, .truncated(_, let error)): .failed(error)
                case .idle: state.withLock { $0.mediaState == .playing } ? .finished : nil
                default: nil
                }
            guard let new else { continue }
            state.withLock { $0.mediaState = new }
            mediaHub.post(new)
        }
    }
}
