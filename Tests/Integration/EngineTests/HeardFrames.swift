import DescantTesting

/// Which frames of a ramp were heard on any of several devices.
struct HeardFrames: CustomStringConvertible {
    /// The first frame and the one after the last.
    private(set) var first: Int64 = 0
    private(set) var last: Int64 = 0
    /// How many frames between were heard nowhere, and how many once too often.
    private(set) var missing: Int64 = 0
    private(set) var doubled: Int64 = 0
    private var breaks: [String] = []

    init(_ recordings: [SampleBuffer]) {
        let stretches = recordings.flatMap { RampAnalysis.runs(in: $0) }.compactMap { run -> Range<Int64>? in
            guard case .source(let start) = run.kind else { return nil }
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

    var description: String {
        "\(missing) missing, \(doubled) doubled: \(breaks.joined(separator: ", "))"
    }
}
