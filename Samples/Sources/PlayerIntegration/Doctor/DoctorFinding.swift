/// One thing that the doctor looked at.
public struct DoctorFinding: Sendable, Codable, Equatable {
    /// What the finding means for the player.
    public enum Status: String, Sendable, Codable {
        /// It is there.
        case ok
        /// It is not there, and the player works without it.
        case optional
        /// It is not there, and the player needs it.
        case missing
    }

    /// The part of the system: `GStreamer`, `codecs`, `sound server`, …
    public var area: String
    /// What was looked for.
    public var name: String
    /// What was found.
    public var status: Status
    /// Version, place or reason.
    public var detail: String
    /// The command that makes it good; absent when nothing is to be done.
    public var remedy: String?

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - area: The part of the system.
    ///   - name: What was looked for.
    ///   - status: What was found.
    ///   - detail: Version, place or reason.
    ///   - remedy: The command that makes it good.
    public init(area: String, name: String, status: Status, detail: String = "", remedy: String? = nil) {
        self.area = area
        self.name = name
        self.status = status
        self.detail = detail
        self.remedy = remedy
    }
}
