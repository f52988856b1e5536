/// A stretch of a rendering of which all frames are of one kind.
public struct RampRun: Sendable, Hashable {
    /// What the frames are.
    public enum Kind: Sendable, Hashable {
        /// Consecutive frames of a ramp; the index of the first one.
        case source(Int64)
        /// All samples are zero.
        case silence
        /// Anything else: a ramp under a fade, two sounds at once, a lossy codec.
        case other
    }

    /// What the frames are.
    public var kind: Kind
    /// The first frame.
    public var at: Int
    /// How many frames.
    public var length: Int

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - kind: What the frames are.
    ///   - at: The first frame.
    ///   - length: How many frames.
    public init(_ kind: Kind, at: Int, length: Int) {
        self.kind = kind
        self.at = at
        self.length = length
    }

    /// The frame after the last one.
    public var end: Int { at + length }

    /// The source index of the frame after the last one, for a run of a ramp.
    public var sourceEnd: Int64? {
        if case .source(let first) = kind { first + Int64(length) } else { nil }
    }
}

extension RampRun: CustomStringConvertible {
    /// "12 + 480: source 96,000".
    public var description: String {
        switch kind {
        case .source(let index): "\(at) + \(length): source \(index)"
        case .silence: "\(at) + \(length): silence"
        case .other: "\(at) + \(length): other"
        }
    }
}
