public import DescantCore
public import Foundation
internal import Synchronization

/// A deck that is being opened for a call that may lose interest.
///
/// Opening a file on a slow server can take seconds and cannot always be interrupted. A waiting caller goes on at once when the
/// opening is abandoned; a deck that arrives afterwards is closed.
final class DeckOpening: Sendable {
    private struct State {
        var outcome: Result<DeckInfo, any Error>?
        var waiting: CheckedContinuation<DeckInfo, any Error>?
        var work: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Begins to open a source.
    ///
    /// - Parameters:
    ///   - url: What to open.
    ///   - sources: Makes the sound of URLs that only the host knows.
    ///   - engine: Where to open it.
    ///   - isClip: Whether it is short and will be repeated.
    init(_ url: URL, from sources: (any TrackSourceProvider)?, in engine: any MixingEngine, isClip: Bool) {
        let work = Task {
            do {
                let source = try await sources?.audioSource(for: url) ?? .url(url)
                let info = try await engine.openDeck(source, gain: 1, isClip: isClip)
                if !self.finish(.success(info)) { await engine.closeDeck(info.id) }
            } catch {
                _ = self.finish(.failure(error))
            }
        }
        state.withLock { $0.work = work }
    }

    /// Waits for the deck.
    ///
    /// - Throws: What the engine throws, or `CancellationError` once abandoned or when the waiting task is cancelled.
    func wait() async throws -> DeckInfo {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiting = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            abandon()
        }
    }

    /// Ends the waiting with a `CancellationError`.
    func abandon() {
        if finish(.failure(CancellationError())) { state.withLock { $0.work }?.cancel() }
    }

    /// - Returns: Whether this outcome is the one that counts.
    private func finish(_ outcome: Result<DeckInfo, any Error>) -> Bool {
        let (isFirst, waiting) = state.withLock { state in
            guard state.outcome == nil else { return (false, nil as CheckedContinuation<DeckInfo, any Error>?) }
            state.outcome = outcome
            defer { state.waiting = nil }
            return (true, state.waiting)
        }
        waiting?.resume(with: outcome)
        return isFirst
    }
}

extension DeckOpening {
    /// The layer that a deck is opened for.
    enum Purpose: Hashable, Sendable {
        case main
        case overlay(OverlayID)
    }
}

/// Makes the sound of tracks whose URLs only the host knows: text that is to be spoken, sound that is computed.
///
/// A player asks it before it opens a URL, from any task.
public protocol TrackSourceProvider: Sendable {
    /// The sound that a URL stands for; `nil` for a URL that the engine opens itself.
    ///
    /// - Parameter url: A track, overlay or effect that is about to be opened.
    /// - Throws: Any error; the track then counts as one that cannot be opened.
    func audioSource(for url: URL) async throws -> AudioSource?
}
