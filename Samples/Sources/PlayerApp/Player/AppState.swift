public import Foundation
public import Observation

/// The state of the player app, which views render.
@MainActor
@Observable
public final class AppState: InteractiveState {
    /// The playlist.
    public private(set) var entries: [PlaylistEntry]
    /// The present track's place in the playlist; `nil` before the first one sounds.
    public private(set) var currentIndex: Int?
    /// The selected line.
    public private(set) var selectedIndex = 0
    /// The player's activity.
    public private(set) var activity = PlayerActivity.idle
    /// Seconds heard of the present track.
    public private(set) var position: TimeInterval = 0
    /// Length of the present track in seconds; `nil` while unknown.
    public private(set) var duration: TimeInterval?
    /// The volume, 0…1.
    public private(set) var volume: Double
    /// The levels of the mix; `nil` before sound comes out.
    public private(set) var levels: ChannelLevels?
    /// The running crossfade.
    public private(set) var crossfade: CrossfadeProgress?
    /// The overlay; `nil` when there is none.
    public private(set) var overlay: OverlayStatus?
    /// The messages.
    public package(set) var notices = NoticeLog()
    /// Whether the keys are shown.
    public private(set) var showsHelp = false
    /// Whether the app should end.
    public package(set) var isDone = false
    /// The engine and the output, for the heading: "gstreamer · PulseAudio".
    public let heading: String

    private let player: any PlayerControlling

    /// Creates the state.
    ///
    /// - Parameters:
    ///   - player: The player.
    ///   - entries: The playlist.
    ///   - volume: The volume at the start, 0…1.
    ///   - heading: Where sound goes, for the heading.
    public init(player: any PlayerControlling, entries: [PlaylistEntry], volume: Double = 1, heading: String = "") {
        self.player = player
        self.entries = entries
        self.volume = volume
        self.heading = heading
    }

    /// The present track.
    public var current: PlaylistEntry? {
        guard let currentIndex, entries.indices.contains(currentIndex) else { return nil }
        return entries[currentIndex]
    }

    package var updates: AsyncStream<PlayerUpdate> { player.updates }

    package func perform(_ intent: PlayerIntent) async throws {
        switch intent {
        case .togglePause: try await player.togglePause()
        case .seek(let seconds): try await player.seek(by: seconds)
        case .next: try await player.next()
        case .previous: try await player.previous()
        case .changeVolume(let difference):
            volume = Self.step(volume, by: difference, within: 0...1)
            await player.setVolume(volume)
        case .toggleOverlay: try await player.toggleOverlay()
        case .moveSelection(let lines): selectedIndex = min(max(0, selectedIndex + lines), max(0, entries.count - 1))
        case .playSelection: try await player.jump(to: selectedIndex)
        case .toggleHelp: showsHelp.toggle()
        case .quit: isDone = true
        }
    }

    package func apply(_ update: PlayerUpdate) {
        switch update {
        case .activity(let activity): self.activity = activity
        case .track(let index):
            currentIndex = index
            selectedIndex = index
            position = 0
            duration = current?.duration
        case .playlist(let entries, let current):
            self.entries = entries
            currentIndex = current
            selectedIndex = min(selectedIndex, max(0, entries.count - 1))
        case .details(let index, let entry):
            guard entries.indices.contains(index) else { return }
            entries[index] = entry
            if index == currentIndex { duration = entry.duration ?? duration }
        case .position(let position, let duration):
            self.position = position
            self.duration = duration ?? self.duration
        case .levels(let levels): self.levels = levels
        case .crossfade(let progress): crossfade = progress
        case .crossfadeRemaining(let seconds): crossfade?.remaining = seconds
        case .overlay(let status): overlay = status
        case .volume(let volume): self.volume = volume
        case .notice(let notice): notices.add(notice)
        case .finished: isDone = true
        }
    }
}

/// A command of the user to the player.
public enum PlayerIntent: AppIntent {
    /// Pauses or resumes.
    case togglePause
    /// Move within the track by seconds.
    case seek(TimeInterval)
    /// The next track.
    case next
    /// The previous track.
    case previous
    /// Change the volume by a difference, in 0…1.
    case changeVolume(Double)
    /// Pause or resume the overlay.
    case toggleOverlay
    /// Move the selection in the playlist by lines.
    case moveSelection(Int)
    /// Play the selected track.
    case playSelection
    /// Show the keys or hide them.
    case toggleHelp
    /// End the app.
    case quit
}
