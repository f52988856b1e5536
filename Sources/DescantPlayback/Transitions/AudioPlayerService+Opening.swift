internal import DescantCore
internal import Foundation

extension AudioPlayerService {
    /// Lets URLs stand for sound that is made rather than read, such as text that is to be spoken: such a track follows, fades
    /// and repeats as any other, and can be an overlay or an effect.
    ///
    /// - Parameter provider: Is asked for every URL that is opened from now on; `nil` for none.
    public func setTrackSources(_ provider: (any TrackSourceProvider)?) async {
        queue.trackSources = provider
    }

    /// Opens a deck for a call that waits for it. A main track takes its ReplayGain when it starts: the settings may change until then.
    ///
    /// - Parameters:
    ///   - url: What to open.
    ///   - call: The call.
    /// - Throws: ``AudioPlayerError``, or `CancellationError` when the caller was cancelled or the layer was stopped.
    func openDeck(_ url: URL, for call: OpeningCall) async throws -> DeckInfo {
        try commands.check(call)
        let purpose = call.purpose
        let opening = DeckOpening(url, from: queue.trackSources, in: engine, isClip: purpose != .main)
        commands.began(opening, for: call)
        defer { commands.endedOpening(for: purpose) }
        do {
            let info = try await opening.wait()
            if purpose == .main { await applyEffects(to: info.id, of: url) }
            return info
        } catch let error as CancellationError {
            throw error
        } catch {
            throw AudioPlayerError(error, playing: url)
        }
    }

    /// Opens the first track on a route that can be opened; the others are reported. After
    /// ``PlaylistRoute/longestSearch`` tracks the search is given up.
    ///
    /// - Parameters:
    ///   - route: The indices to try.
    ///   - playlist: The playlist they belong to.
    ///   - call: The call that waits.
    /// - Throws: The last track's ``AudioPlayerError`` when none can be opened, `CancellationError`.
    func openFirst(on route: PlaylistRoute, of playlist: Playlist, for call: OpeningCall) async throws -> OpenTrack {
        var failure = AudioPlayerError.emptyPlaylist
        for stop in route {
            let item = playlist[stop.index]
            do {
                let info = try await openDeck(item.url, for: call)
                return OpenTrack(item: item, stop: stop, deck: info.id, info: info.track)
            } catch let error as AudioPlayerError {
                report(error, of: item.url)
                failure = error
            }
        }
        throw failure
    }

    /// The first track on a route, if it is open already because it was to follow. It does not follow any more then.
    func takePrepared(_ route: PlaylistRoute) async -> OpenTrack? {
        guard let first = route.first, var track = main.prepared, track.item.id == queue.playlist[first.index].id else {
            return nil
        }
        await decide(.undecided)
        main.prepared = nil
        track.stop = first
        return track
    }

    /// Lets an opened deck take effect as one command on its layer, or closes it.
    ///
    /// - Parameters:
    ///   - deck: The deck; no layer plays it.
    ///   - call: The call that has opened it.
    ///   - operation: Uses the deck, or closes it when it throws after it has been used.
    /// - Throws: `CancellationError` when the call is not wanted any more, or what the operation throws.
    func commit(_ deck: DeckID, of call: OpeningCall, _ operation: () async throws -> Void) async throws {
        do {
            switch call.purpose {
            case .main:
                try await serially {
                    try commands.check(call)
                    // A pause that came after the call is newer: the end of an interruption resumes what it has paused.
                    if commands.pauses == call.pauses { commands.countUserCommand() }
                    try await operation()
                    await applyEarlyInfo(of: deck)
                }
            case .overlay(let id):
                try await overlaySerially(id) {
                    try commands.check(call)
                    try await operation()
                }
            }
        } catch {
            // Harmless for a deck that was closed or has begun.
            await engine.closeDeck(deck)
            throw error
        }
    }
}
