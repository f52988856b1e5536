public import DescantCore
internal import Foundation

/// The controller as remote controls see it.
extension MediaPlaybackController: RemoteControllable {
    /// What happens from now on.
    public nonisolated var remoteChanges: EventStream<RemoteChange> { hubs.remote.stream(buffer: .bounded(64)) }

    /// Where the content is, in seconds from its beginning; 0 while it is stopped, also when it will continue from a later position.
    public var remotePosition: Double { get async { activity.isShown ? await progress.position : 0 } }

    /// What is playing at this moment.
    public func nowPlaying() async -> NowPlaying {
        let state = await state
        guard let content = state.nowPlaying else {
            // What a toggle starts can be paused: the key that plays and pauses asks for that ability.
            return NowPlaying(abilities: state.content == nil ? [.open] : [.play, .pause, .open])
        }
        var track = await presentTrack(of: content, duration: state.progress.duration)
        // Content without a known length, such as a radio station, cannot be repositioned.
        let canSeek = state.capabilities.contains(.seeks) && (track.duration ?? 0) > 0
        let changesRate = state.capabilities.contains(.changesRate)
        var abilities: RemoteAbilities = [.play, .pause, .open]
        if canSeek { abilities.insert(.seek) }
        let player = selectedEngine as? any RemotePlayerEngine
        var volume: Double?
        if let player { volume = try? await ask(player, "volume", .read) { await player.volume } }
        if changesRate || volume != nil { abilities.insert(.adjust) }
        let reading = selectedEngine as? any ReadingEngine
        if case .text = content, let reading {
            if media.description?.title == nil,
                let sentence = try? await ask(reading, "currentSentence", .read, { await reading.currentSentence })
            {
                track.title = Self.line(sentence)
            }
            if media.description?.album == nil { track.album = media.section(at: state.progress)?.title }
        }
        // What follows is known to the player elsewhere, or in a text the next sentence.
        if player != nil || reading != nil { abilities.formUnion([.next, .previous]) }
        return NowPlaying(
            status: state.activity == .paused ? .paused : .playing, track: track, tracks: [track], rate: state.rate,
            rateRange: changesRate ? min(0.5, state.rate)...max(3, state.rate) : 1...1, volume: volume ?? 1,
            abilities: abilities)
    }

    /// What plays: the host's word first, then the engine's, then what the content's address says.
    private func presentTrack(of content: MediaContent, duration: TimeInterval?) async -> NowPlayingTrack {
        var track = Self.track(of: content, number: media.number, duration: duration)
        let reporting = selectedEngine as? any EngineTrackReporting
        if let reporting, engines.hasLoaded(media.number, reporting.identifier),
            let told = try? await ask(reporting, "currentTrack", .read, { await reporting.currentTrack })
        {
            let own = track
            track = told
            // An engine that plays here has one content, which keeps its identity when it is opened again.
            if !(reporting is any RemotePlayerEngine) {
                (track.id, track.url) = (own.id, own.url)
                track.duration = told.duration ?? own.duration
            }
        }
        return media.description.map(track.completing) ?? track
    }

    /// Goes one on or back: by sentences in a text, and as the player likes elsewhere.
    private func stepOn(forward: Bool) async throws {
        if selectedEngine is any ReadingEngine {
            return try await forward ? nextSentence() : previousSentence()
        }
        try await onPlayerElsewhere(forward ? "next" : "previous") { try await forward ? $0.next() : $0.previous() }
    }

    private func onPlayerElsewhere(
        _ action: String,
        _ body: nonisolated(nonsending) @escaping @Sendable (any RemotePlayerEngine) async throws -> Void
    ) async throws {
        try await serially {
            guard let player = selectedEngine as? any RemotePlayerEngine else {
                throw CoreError.unsupported(
                    "\(engines.selected ?? "no engine") plays one content at a time, at the desktop's volume")
            }
            try await call(player, action) { try await body(player) }
            await publish()
        }
    }

    private static func track(of content: MediaContent, number: UInt64, duration: TimeInterval?) -> NowPlayingTrack {
        let id = NowPlayingTrack.ID(rawValue: "content\(number)")
        switch content {
        case .url(let url):
            let name = url.deletingPathExtension().lastPathComponent
            let shown = url.withoutPassword
            return NowPlayingTrack(
                id: id, url: URL(string: shown), title: name.isEmpty ? shown : name, duration: duration)
        case .text(let text, _):
            let first = text.split(maxSplits: 1, whereSeparator: \.isNewline).first.map(String.init) ?? text
            return NowPlayingTrack(id: id, title: line(first), duration: duration)
        }
    }

    /// What of a text fits a player panel.
    private static func line(_ text: String) -> String {
        String(text.prefix(160)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Carries out what a remote control asks for.
    ///
    /// - Parameter command: What is wanted.
    /// - Throws: Why it was not done; `CoreError.unsupported` for what needs a playlist or a window.
    public func perform(_ command: RemoteCommand) async throws {
        switch command {
        case .play: try await play()
        case .pause: await pause()
        case .togglePlayPause: try await togglePlayPause()
        case .stop: await stop()
        case .seek(let seconds): try await seek(to: .time(max(0, await progress.position + seconds)))
        case .seekTo(let seconds, let track):
            guard seconds >= 0 else { return }
            if let track {
                guard let content, await presentTrack(of: content, duration: nil).id == track else { return }
            }
            if let duration = await progress.duration, seconds > duration { return }
            try await seek(to: .time(seconds))
        case .setRate(let rate): try await setRate(min(3, max(0.5, rate)))
        case .open(let url):
            try await loadContent(.url(url))
            try await play()
        case .next: try await stepOn(forward: true)
        case .previous: try await stepOn(forward: false)
        case .setVolume(let volume):
            try await onPlayerElsewhere("setVolume") { try await $0.setVolume(min(1, max(0, volume))) }
        case .setRepeat, .setShuffle, .addTrack, .removeTrack, .goTo, .activatePlaylist,
            .raise, .quit:
            throw CoreError.unsupported("one content is played at a time here; there is no \(command)")
        }
    }
}
