public import Foundation

/// What the controls of playback show: the track, the time and the buttons. It is computed from the state and observed through it.
@MainActor
public struct PlaybackViewModel {
    private let state: AppState

    /// Creates a model.
    ///
    /// - Parameter state: The state that is shown.
    public init(_ state: AppState) { self.state = state }

    /// The title of the present track; `nil` before one was played.
    public var title: String? { state.current?.title }

    /// Artist and album, as far as they are known: "Artist – Album".
    public var subtitle: String {
        [state.current?.artist, state.current?.album].compactMap { $0 }.filter { !$0.isEmpty }
            .joined(separator: " – ")
    }

    /// Whether the button pauses rather than plays.
    public var showsPause: Bool { state.activity == .playing || state.activity == .preparing }

    /// Whether there is something to play.
    public var canPlay: Bool { !state.entries.isEmpty }

    /// Whether the position can be chosen.
    public var canSeek: Bool {
        switch state.activity {
        case .playing, .paused: (state.duration ?? 0) > 0
        default: false
        }
    }

    /// The share of the track that was heard, 0…1; `nil` while its length is unknown.
    public var progress: Double? {
        guard let duration = state.duration, duration > 0 else { return nil }
        return min(1, max(0, state.position / duration))
    }

    /// The time to show, in seconds: what was heard, or as a negative number what is left, as the person prefers.
    public var shownTime: TimeInterval {
        guard state.viewPreferences.showsRemainingTime, let duration = state.duration else { return state.position }
        return min(0, state.position - duration)
    }

    /// The error to show above everything; `nil` for none.
    public var banner: String? { state.lastError?.description }

    /// The person's product: "Pro", "Free", or why a licence is not accepted.
    public var product: String {
        if state.isProUser { return "Pro" }
        return state.files?.product.refusal.map { "Free: \($0)" } ?? "Free"
    }
}
