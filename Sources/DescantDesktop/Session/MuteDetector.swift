internal import DescantCore

/// Detects that the server mutes our streams during a call of another program.
///
/// A server with module-role-cork mutes streams of the role `music` while a stream of the role `phone` plays. The mute flag
/// is the only sign of it: the pause flag of a stream is also set for a moment when the stream moves. A stream that begins
/// during a call is muted from the beginning.
struct MuteDetector: Sendable {
    /// The maximum time from the mute to the report of the call, in nanoseconds.
    static let callDelay: UInt64 = 500_000_000

    /// Whether our streams are muted for a call. Remains set when they end, up to the end of the call.
    private(set) var isSilenced: Bool
    private var callBegan: UInt64?
    /// Our muted streams, with the time at which each was muted.
    private var muted: [UInt32: UInt64] = [:]

    /// - Parameter isSilenced: The state at the end of the previous connection.
    init(isSilenced: Bool = false) { self.isSilenced = isSilenced }

    /// Takes in a new snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: The state of the server.
    ///   - now: The time, in nanoseconds.
    /// - Returns: The event, when there is something to report.
    mutating func update(with snapshot: ServerSnapshot, now: UInt64) -> AudioSessionEvent? {
        let wasMuted = Set(muted.keys)
        let own = snapshot.ownStreams
        muted = own.filter(\.isMuted).reduce(into: [:]) { $0[$1.index] = muted[$1.index] ?? now }
        callBegan = snapshot.isCallRunning ? callBegan ?? now : nil
        let isFreed = own.contains { !$0.isMuted && wasMuted.contains($0.index) }
        if isSilenced, callBegan == nil || isFreed {
            isSilenced = false
            return .interruptionEnded(shouldResume: true)
        }
        // During the call, another stream of ours may begin muted.
        let fresh = isSilenced ? muted.filter { !wasMuted.contains($0.key) } : muted
        guard let callBegan, fresh.values.contains(where: { $0 + Self.callDelay >= callBegan }) else { return nil }
        isSilenced = true
        return .interruptionBegan(reason: reason(snapshot))
    }

    private func reason(_ snapshot: ServerSnapshot) -> String {
        let caller = snapshot.foreignStreams.first { $0.role == .phone }?.application ?? ""
        return "the sound server has muted our streams for a call" + (caller.isEmpty ? "" : " of \(caller)")
    }
}
