import Descant

// snippet
/// Remote control of any player: here one that only pauses and resumes a text.
actor Storyteller: RemoteControllable {
    private let changes = EventHub<RemoteChange>()
    private var isReading = false
    private let story = NowPlayingTrack(id: .init(rawValue: "story"), title: "The Nightingale", duration: 600)

    nonisolated var remoteChanges: EventStream<RemoteChange> { changes.stream() }
    var remotePosition: Double { 0 }

    func nowPlaying() -> NowPlaying {
        NowPlaying(status: isReading ? .playing : .paused, track: story, tracks: [story], abilities: [.play, .pause])
    }

    func perform(_ command: RemoteCommand) throws {
        switch command {
        case .play: isReading = true
        case .pause, .stop: isReading = false
        case .togglePlayPause: isReading.toggle()
        default: throw CoreError.unsupported("a story is read as it is")
        }
        changes.post(.updated)
    }
}

/// Keep the bridge as long as the player is visible.
func showOnTheDesktop(_ storyteller: Storyteller, on remote: any RemoteControlPort) async -> RemoteControlBridge {
    let bridge = RemoteControlBridge(player: storyteller, remote: remote)
    await bridge.start()
    return bridge
}
