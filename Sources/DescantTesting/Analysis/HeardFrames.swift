/// Which frames of a ramp were heard on any of several devices, see ``RampAnalysis``.
public struct HeardFrames: Sendable, CustomStringConvertible {
    /// The first frame that was heard; 0 when nothing was.
    public private(set) var first: Int64 = 0
    /// The frame after the last one that was heard.
    public private(set) var last: Int64 = 0
    /// The number of frames between the first and the last that no device played.
    public private(set) var missing: Int64 = 0
    /// The number of frames that were played twice.
    public private(set) var doubled: Int64 = 0
    private var breaks: [String] = []

    /// The minimum number of consecutive frames that counts as heard.
    private static let shortestStretch = 16

    /// Combines the recordings of several devices.
    ///
    /// - Parameter recordings: What each device played.
    public init(_ recordings: [SampleBuffer]) {
        let stretches = recordings.flatMap { RampAnalysis.runs(in: $0) }.compactMap { run -> Range<Int64>? in
            // While the volume changes, single samples can look like those of other frames.
            guard case .source(let start) = run.kind, run.length >= Self.shortestStretch else { return nil }
            return start..<start + Int64(run.length)
        }.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        first = stretches.first?.lowerBound ?? 0
        last = first
        for stretch in stretches {
            missing += max(0, stretch.lowerBound - last)
            doubled += max(0, min(last, stretch.upperBound) - stretch.lowerBound)
            if stretch.lowerBound != last { breaks.append("\(last) → \(stretch.lowerBound)") }
            last = max(last, stretch.upperBound)
        }
    }

    /// "96 missing, 0 doubled: 4800 → 4896".
    public var description: String {
        "\(missing) missing, \(doubled) doubled: \(breaks.joined(separator: ", "))"
    }
}
