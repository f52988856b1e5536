/// The queue of a simulated player.
struct SimulatedQueue: Sendable, Hashable {
    enum State: String, Sendable {
        case idle, playing, paused
    }

    let id: String
    var entries: [QueueEntry] = []
    var index: Int?
    var state = State.idle
    /// The last stored position, in seconds.
    var elapsed = 0.0
    /// When the position was stored, in seconds since 1970.
    var elapsedNoted = 0.0
    var isShuffled = false
    var repeatMode = "off"
    var keepsPlaying = false
    var speed = 1.0
    var sleepsAt: Double?

    init(id: String) { self.id = id }

    var current: QueueEntry? { index.flatMap { entries.indices.contains($0) ? entries[$0] : nil } }

    var next: QueueEntry? { index.flatMap { entries.indices.contains($0 + 1) ? entries[$0 + 1] : nil } }

    /// The state, item and position that its players report.
    var playerView: [String] { [state.rawValue, current?.id ?? "", "\(elapsed)", "\(elapsedNoted)"] }

    /// The position at a time.
    func position(at now: Double) -> Double {
        guard state == .playing else { return elapsed }
        return elapsed + max(0, now - elapsedNoted) * speed
    }

    /// When the current item ends, in seconds since 1970; `nil` when no item with an end plays.
    var end: Double? {
        guard state == .playing, let current, current.item.duration > 0 else { return nil }
        return elapsedNoted + (Double(current.item.duration) - elapsed) / speed
    }

    /// Stores a position.
    mutating func note(_ position: Double, at now: Double) {
        elapsed = position
        elapsedNoted = now
    }
}
