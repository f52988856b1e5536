internal import DescantCore

/// Tells whether the server has silenced our streams for a conversation of another program.
///
/// A server with role-cork mutes streams that say they play music while one plays that says it is a phone. Nothing else
/// tells other connections of it: whether a stream is paused by its own program is no sign, as moving streams seem to
/// pause for a moment. A stream that begins in the middle of a call is born muted, and nobody is told.
struct MuteDetector: Sendable {
    /// How long before a call is heard of its silence may begin, in nanoseconds.
    static let callDelay: UInt64 = 500_000_000

    /// Whether our streams are silenced. Stays so when they end, up to the end of the call.
    private(set) var isSilenced: Bool
    private var callBegan: UInt64?
    /// The muted ones of our streams, and since when.
    private var muted: [UInt32: UInt64] = [:]

    /// Begins with what was known of an earlier connection, if there was one.
    init(isSilenced: Bool = false) { self.isSilenced = isSilenced }

    /// Looks at a new picture.
    ///
    /// - Parameter now: The time, in nanoseconds.
    /// - Returns: The event, when there is something to report.
    mutating func judge(_ picture: ServerSnapshot, now: UInt64) -> AudioSessionEvent? {
        let wasMuted = Set(muted.keys)
        let own = picture.ownStreams
        muted = own.filter(\.isMuted).reduce(into: [:]) { $0[$1.index] = muted[$1.index] ?? now }
        callBegan = picture.isCallRunning ? callBegan ?? now : nil
        let isFreed = own.contains { !$0.isMuted && wasMuted.contains($0.index) }
        if isSilenced, callBegan == nil || isFreed {
            isSilenced = false
            return .interruptionEnded(shouldResume: true)
        }
        // While the call goes on, another stream of ours may be born muted.
        let fresh = isSilenced ? muted.filter { !wasMuted.contains($0.key) } : muted
        guard let callBegan, fresh.values.contains(where: { $0 + Self.callDelay >= callBegan }) else { return nil }
        isSilenced = true
        return .interruptionBegan(reason: reason(picture))
    }

    private func reason(_ picture: ServerSnapshot) -> String {
        let caller = picture.foreignStreams.first { $0.role == .phone }?.application ?? ""
        return "the sound server has muted our streams for a call" + (caller.isEmpty ? "" : " of \(caller)")
    }
}
