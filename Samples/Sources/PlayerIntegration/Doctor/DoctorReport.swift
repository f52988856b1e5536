/// Everything that the doctor found.
public struct DoctorReport: Sendable, Codable {
    /// The findings, by area.
    public var findings: [DoctorFinding]

    /// Whether nothing is missing that the player needs.
    public var isHealthy: Bool { !findings.contains { $0.status == .missing } }

    /// The commands that make it good, each once, those that are needed first.
    public var remedies: [String] {
        var remedies: [String] = []
        for status in [DoctorFinding.Status.missing, .optional] {
            for finding in findings where finding.status == status {
                if let remedy = finding.remedy, !remedies.contains(remedy) { remedies.append(remedy) }
            }
        }
        return remedies
    }

    /// Creates a report.
    ///
    /// - Parameter findings: The findings, by area.
    public init(findings: [DoctorFinding]) { self.findings = findings }

    private enum CodingKeys: String, CodingKey { case findings, isHealthy, remedies }

    /// Reads a report; what follows from the findings is computed anew.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        findings = try decoder.container(keyedBy: CodingKeys.self).decode([DoctorFinding].self, forKey: .findings)
    }

    /// Writes the findings and what follows from them.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isHealthy, forKey: .isHealthy)
        try container.encode(findings, forKey: .findings)
        try container.encode(remedies, forKey: .remedies)
    }
}
