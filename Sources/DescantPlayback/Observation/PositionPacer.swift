internal import Foundation

/// Decides when a position is to be reported: once for every interval of a track that was heard.
struct PositionPacer: Sendable {
    /// The shortest interval, in seconds: 60 reports a second.
    static let shortestInterval: TimeInterval = 1 / 60

    /// Seconds of a track between two reports.
    let interval: TimeInterval

    private var reported: Int64?

    /// Creates a pacer.
    ///
    /// - Parameter interval: Seconds of a track between two reports; 1/60 s at least.
    init(interval: TimeInterval) {
        self.interval = interval.clamped(to: Self.shortestInterval...3600)
    }

    /// Whether a position is to be reported now.
    ///
    /// - Parameters:
    ///   - position: Seconds from the beginning of the track.
    ///   - jumped: Whether it was reached otherwise than by playing; then it is always reported.
    mutating func isDue(at position: TimeInterval, jumped: Bool) -> Bool {
        let number = step(position)
        guard jumped || reported == nil || number > reported ?? 0 else { return false }
        reported = number
        return true
    }

    /// Seconds of a track until the next report.
    ///
    /// - Parameter position: Seconds from the beginning of the track.
    func distance(from position: TimeInterval) -> TimeInterval {
        max(0, Double(step(position) + 1) * interval - position)
    }

    /// The number of the interval that a position lies in; one that is rounded to just below a boundary counts as beyond.
    private func step(_ position: TimeInterval) -> Int64 { Int64((max(0, position) / interval + 1e-6).rounded(.down)) }
}
