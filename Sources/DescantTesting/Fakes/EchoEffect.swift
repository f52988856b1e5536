public import DescantCore

/// An echo: y[n] = x[n] + feedback · y[n - delay], with faults on request.
///
/// For tests of hosts and engines; ``process(_:format:)`` computes what a mix must sound like.
public struct EchoEffect: AudioEffect {
    /// What an effect can do wrong.
    public struct Fault: Sendable, Hashable {
        /// What ``EchoEffect/prepare(_:maximumFrames:)`` throws.
        public var preparation: CoreError?
        /// The frame from which on samples are not numbers.
        public var notFiniteFrom: Int?
        /// The latency that is reported. The sound is not delayed.
        public var latency = 0
        /// The tail that is reported; `nil` for the real one.
        public var tail: Int?

        /// No fault.
        public init() {}
    }

    /// `feedback`, linear.
    public let parameters = [
        EffectParameter("feedback", name: "Feedback", range: 0...0.9, defaultValue: 0.5)
    ]
    private let delay: Int
    private let fault: Fault
    private var feedback: Float = 0.5
    /// The last `delay` frames of every channel, one channel behind the other.
    private var line: [Float] = []
    private var index = 0
    private var frame = 0

    /// Makes an echo.
    ///
    /// - Parameters:
    ///   - delay: The time between two repetitions, in frames; 1 or more.
    ///   - fault: What goes wrong.
    public init(delay: Int = 700, fault: Fault = Fault()) {
        self.delay = max(1, delay)
        self.fault = fault
    }

    /// 0, or the latency of the fault.
    public var latency: Int { fault.latency }

    /// The repetitions down to -120 dB.
    public var tail: Int {
        if let tail = fault.tail { return tail }
        var (repetitions, level) = (1, feedback)
        while level > 1e-7 {
            level *= feedback
            repetitions += 1
        }
        return repetitions * delay
    }

    /// Allocates the delay line.
    ///
    /// - Parameters:
    ///   - format: The sound's format.
    ///   - maximumFrames: Any number of frames.
    /// - Throws: The error of the fault.
    public mutating func prepare(_ format: PCMFormat, maximumFrames: Int) throws {
        if let error = fault.preparation { throw error }
        line = [Float](repeating: 0, count: format.channels * delay)
    }

    /// Sets `feedback`.
    ///
    /// - Parameters:
    ///   - identifier: Others than `feedback` change nothing.
    ///   - value: Linear; clamped to the range.
    public mutating func setParameter(_ identifier: String, to value: Double) {
        guard identifier == "feedback" else { return }
        feedback = Float(parameters[0].clamp(value))
    }

    /// Adds the repetitions to a block.
    ///
    /// - Parameter block: The samples.
    public mutating func process(_ block: EffectBlock) {
        for channel in 0..<block.channels {
            let row = block[channel]
            var position = index
            for frame in row.indices {
                let sample = row[frame] + feedback * line[channel * delay + position]
                row[frame] = sample
                line[channel * delay + position] = abs(sample) < 1e-15 ? 0 : sample
                position = (position + 1) % delay
            }
        }
        index = (index + block.frames) % delay
        frame += block.frames
        if let first = fault.notFiniteFrom, frame > first { block[0][block.frames - 1] = .nan }
    }

    /// Empties the delay line.
    public mutating func reset() {
        for place in line.indices { line[place] = 0 }
        index = 0
    }

    /// Passes interleaved samples through a fresh echo.
    ///
    /// - Parameters:
    ///   - samples: The sound.
    ///   - format: Its shape.
    /// - Returns: As many samples.
    /// - Throws: What the preparation throws.
    public func process(_ samples: [Float], format: PCMFormat) throws -> [Float] {
        var effect = self
        let frames = samples.count / format.channels
        try effect.prepare(format, maximumFrames: frames)
        var rows = (0..<format.channels).flatMap { channel in
            (0..<frames).map { samples[$0 * format.channels + channel] }
        }
        rows.withUnsafeMutableBufferPointer { rows in
            guard let base = rows.baseAddress else { return }
            effect.process(EffectBlock(samples: base, channels: format.channels, frames: frames, stride: frames))
        }
        return (0..<frames * format.channels).map { rows[$0 % format.channels * frames + $0 / format.channels] }
    }
}
