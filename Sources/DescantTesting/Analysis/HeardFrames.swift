/// Which frames of a ramp were heard on any of several devices, see ``RampAnalysis``.
public struct HeardFrames: Sendable, CustomStringConvertible {
    /// The first frame that was heard; 0 when nothing was.
    public private(set) var first: Int64 = 0
    /// The frame after the last one that was heard.
    public private(set) var last: Int64 = 0
    /// How many frames between the first and the last were heard nowhere.
    public private(set) var missing: Int64 = 0
    /// How many frames were heard once too often.
    public private(set) var doubled: Int64 = 0
    private var breaks: [String] = []

    /// How many frames have to follow each other to count as heard.
    private static let shortestStretch = 16

    /// Looks at recordings together.
    ///
    /// - Parameter recordings: What each device played.
    public init(_ recordings: [SampleBuffer]) {
        let stretches = recordings.flatMap { RampAnalysis.runs(in: $0) }.compactMap { run -> Range<Int64>? in
            // Within a ramp of the volume single samples look like those of other frames.
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
