internal import DescantCore
internal import Foundation

extension AudioPlayerService {
    /// Lets URLs stand for sound that is made rather than read, such as text that is to be spoken: such a track follows, fades
    /// and repeats as any other, and can be an overlay or an effect.
    ///
    /// - Parameter provider: Is asked for every URL that is opened from now on; `nil` for none.
    public func setTrackSources(_ provider: (any TrackSourceProvider)?) async {
        await serially { queue.trackSources = provider }
    }

    /// Opens a deck for a call that waits for it.
    ///
    /// - Parameters:
    ///   - url: What to open.
    ///   - purpose: What it is for.
    /// - Throws: ``AudioPlayerError``, or `CancellationError` when the caller was cancelled or the player was stopped.
    func openDeck(_ url: URL, for purpose: DeckOpening.Purpose) async throws -> DeckInfo {
        if purpose == .main, commands.isStopWaiting { throw CancellationError() }
        let opening = DeckOpening(url, from: queue.trackSources, in: engine, isClip: purpose != .main)
        commands.began(opening, for: purpose)
        defer { commands.endedOpening(for: purpose) }
        do {
            let info = try await opening.wait()
            if purpose == .main { await applyReplayGain(to: info.id, info.track) }
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
    /// - Throws: The last track's ``AudioPlayerError`` when none can be opened, `CancellationError`.
    func openFirst(on route: PlaylistRoute, of playlist: Playlist) async throws -> OpenTrack {
        var failure = AudioPlayerError.emptyPlaylist
        for stop in route {
            let item = playlist[stop.index]
            do {
                let info = try await openDeck(item.url, for: .main)
                return OpenTrack(item: item, stop: stop, deck: info.id, info: info.track)
            } catch let error as AudioPlayerError {
                report(error, of: item.url)
                failure = error
            }
        }
        throw failure
    }

    /// The first playable track on a route through the present playlist: the one that is open already, or a new deck.
    ///
    /// - Parameter route: The indices to try.
    /// - Throws: As ``openFirst(on:of:)``.
    func obtain(_ route: PlaylistRoute) async throws -> OpenTrack {
        guard let first = route.first, var track = main.prepared, track.item.id == queue.playlist[first.index].id else {
            return try await openFirst(on: route, of: queue.playlist)
        }
        await decide(.undecided)
        main.prepared = nil
        track.stop = first
        return track
    }
}
