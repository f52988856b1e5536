internal import Descant
internal import Foundation

/// Something that happened in a render: an element of the report's `events`.
public struct RenderEvent: Sendable, Codable, Equatable {
    /// The frame of the output.
    public var frame: Int64
    /// What: `stateChanged`, `trackStarted`, `trackEnded`, `transitionStarted`, `transitionEnded`, `trackFailed`, `repeated`,
    /// `positionChanged`, `playlistEnded`, `overlayChanged`, `underrun`, `error`, …
    public var event: String
    /// The file concerned.
    public var url: String?
    /// The track's place in the playlist, counted from 0.
    public var index: Int?
    /// The track before, of a transition.
    public var from: String?
    /// The track after, of a transition.
    public var to: String?
    /// `crossfade` or `gapless`, of a transition.
    public var kind: String?
    /// Length in frames: of a transition, or of missing data.
    public var frames: Int64?
    /// The position moved to, in seconds.
    public var position: Double?
    /// Repeats so far, tracks of the playlist, or per cent of a buffer.
    public var count: Int?
    /// The name of the overlay.
    public var overlay: String?
    /// The state of the player or of the overlay.
    public var state: String?
    /// The problem, or the device.
    public var message: String?

    /// A player's event as the report shows it.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - frame: The frame when the event does not say one.
    init(_ event: PlayerEvent, at frame: Int64) {
        self.frame = event.frame ?? frame
        self.event = Self.name(of: event.kind)
        fill(from: event.kind)
    }

    private mutating func fill(from kind: PlayerEvent.Kind) {
        switch kind {
        case .stateChanged(let state): self.state = state.name
        case .trackStarted(let url, let index, _): (self.url, self.index) = (url.shownAddress, index)
        case .trackEnded(let url): self.url = url.shownAddress
        case .transitionStarted(let from, let to, let transition, let frames):
            (self.from, self.to) = (from.shownAddress, to.shownAddress)
            (self.kind, self.frames) = (transition.rawValue, frames)
        case .transitionEnded(let to): self.to = to.shownAddress
        case .trackFailed(let url, let error): (self.url, message) = (url.shownAddress, error.description)
        case .repeated(let count): self.count = count
        case .positionChanged(let position): self.position = position
        case .overlayChanged(let overlay, let state): (self.overlay, self.state) = (overlay.name, "\(state)")
        case .effectStarted(let url), .effectEnded(let url): self.url = url.shownAddress
        case .playlistChanged(let count): self.count = count
        case .buffering(let percent): count = percent
        case .mix(.underrun(let frames)): self.frames = frames
        case .mix(.outputLost(let reason)): message = reason
        case .mix(.outputChanged(let device)): message = device
        case .mix(.pluginOverdue(let plugin, let operation, let seconds)):
            message = "\(plugin): \(operation) for \(seconds) s"
        case .error(let error): message = error.description
        case .playlistEnded, .sleepTimerEnded, .mix: break
        }
    }

    private static func name(of kind: PlayerEvent.Kind) -> String {
        if case .mix(let event) = kind { caseName(of: event) } else { caseName(of: kind) }
    }

    /// The name of an enumeration's case, without its values.
    private static func caseName(of value: some Any) -> String {
        Mirror(reflecting: value).children.first?.label ?? "\(value)"
    }
}
