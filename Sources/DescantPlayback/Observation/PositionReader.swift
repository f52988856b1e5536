/// Somebody who follows the position.
struct PositionReader: Sendable {
    /// When to report.
    var pacer: PositionPacer
    /// How to report.
    let deliver: @Sendable (PlaybackPosition) -> Void
    /// Ends the reader's sequence.
    let finish: @Sendable () -> Void
}
