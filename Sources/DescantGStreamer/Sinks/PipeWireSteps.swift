/// When the device of a PipeWire server takes its blocks, learnt from the server's answers about a stream.
///
/// Each answer has the state of the device's last step and the time of the answer. Its phase, the time minus the seconds that were taken, therefore
/// rises until the next step and falls back by the length of a step then. The latest phase is that of the end of a step, when exactly what the
/// device held is heard.
struct PipeWireSteps {
    /// The number of answers that are compared. They should be 5 ms apart: then at most 3 ms of a step of 10.7, 21.3 or 43 ms lie between two.
    private static let answers = 16
    /// How far a phase may lie outside a step on a busy machine, in seconds. What lies further has another cause.
    private static let tolerance = 0.003

    private let sampleRate: Double
    /// The phases of the latest answers in seconds, at most ``answers``.
    private var phases: [Double] = []
    /// The frames taken by the last answer.
    private var taken: Int64 = 0
    /// The frames taken when the first step was seen; what was answered before may be of a device that did not run.
    private var origin: Int64?
    /// The smallest number of frames between two answers.
    private var shortest: Int64 = 0
    /// Frames of a step, or of several; `nil` while it is unknown. With another sample rate than the device's it is a mean.
    private(set) var length: Double?

    init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

    /// Whether more answers are to be asked for soon.
    var isLearning: Bool { phases.count < Self.answers }

    /// Adds an answer.
    ///
    /// - Parameters:
    ///   - taken: The frames that the server had taken.
    ///   - time: When it answered, in seconds of the monotonic clock.
    mutating func add(taken: Int64, at time: Double) {
        let (phase, advance) = (time - Double(taken) / sampleRate, taken - self.taken)
        self.taken = taken
        // The device has other steps now, or was interrupted.
        if let last = phases.last, let length, !isLearning {
            let end = end(after: last, jump: 0)
            let begin = end - length / sampleRate
            if phase > end + Self.tolerance || phase < begin - Self.tolerance { phases = [] }
        }
        if phases.isEmpty {
            (origin, shortest, length) = (nil, 0, nil)
        } else if let origin {
            if isLearning, advance > 0, advance < Int64(sampleRate) { learn(advance, since: origin) }
        } else if advance > 0 {
            origin = taken
            phases = []
        }
        phases = phases.suffix(Self.answers - 1) + [phase]
    }

    private mutating func learn(_ advance: Int64, since origin: Int64) {
        shortest = shortest == 0 ? advance : min(shortest, advance)
        let total = Double(taken - origin)
        length = total / max(1, (total / Double(shortest)).rounded())
    }

    /// The phase at the end of a step. A server that answers late makes phases later, and never earlier, so the earliest is trusted, too.
    private func end(after last: Double, jump: Double) -> Double {
        let latest = phases.filter { $0 - last < max(0.045, jump) }.max() ?? last
        guard let length, let earliest = phases.min() else { return latest }
        return min(latest, earliest + length / sampleRate)
    }

    /// How far the state of the last answer is ahead of what is heard, in seconds.
    ///
    /// - Parameter held: What the device holds, in seconds. An earlier phase that differs by more than that and a usual step was before a jump.
    func lead(held: Double) -> Double {
        guard let last = phases.last else { return 0 }
        return max(0, end(after: last, jump: held) - last)
    }

    /// The frames that the device will have taken; `nil` while its steps are unknown.
    ///
    /// - Parameters:
    ///   - seconds: The time since the last answer.
    ///   - held: As for ``lead(held:)``.
    func taken(after seconds: Double, held: Double) -> Double? {
        guard let length else { return nil }
        let begun = ((seconds - lead(held: held)) * sampleRate / length).rounded(.down) + 1
        return Double(taken) + max(0, begun) * length
    }
}
