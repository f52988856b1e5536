internal import DescantCore

/// The output frame that a layer renders. The voices' logs note it, so that frames that are rendered once more have the
/// data they had the first time, although the deck may have more by now.
///
/// Not thread-safe; the layer's lock guards it.
final class RenderClock {
    var frame: Int64 = 0
    /// Whether frames are rendered that are in the output already.
    var isRepeating = false
}

/// What a voice has read from its deck since the oldest snapshot of its layer.
///
/// A rewound voice is an older copy that reads the same frames again. The copies share the log, and each has a position
/// in it. Only a copy at the end of the log uses the deck and the converter; the others repeat the logged steps.
///
/// Not thread-safe; the layer's lock guards it.
final class ReadLog {
    /// The result of one read, converted to the sample rate of the mix.
    struct Read {
        var samples: [Float]
        var cues: [PCMCue]
        var condition: DeckRead.Condition
        /// The source frame after the last one that was read.
        var inputPosition: Int64
        /// The converter's counts after the read.
        var framesIn: Int64
        var framesOut: Int64
        /// The speed of the frames.
        var rate: Double
        /// Whether the deck has delivered frames; the converter may have kept them.
        var hasInput: Bool
    }

    /// A step. `before` is a copy of the converter before the step; `nil` when it cannot be copied.
    enum Step {
        case read(Read)
        /// The converter's last frames.
        case flush([Float], before: (any SampleConverter)?)
        /// A seek, with the new speed.
        case seek(frame: Int64, rate: Double?)
        /// The beginning of a loop's next pass.
        case nextPass(before: (any SampleConverter)?)
        /// The converter went to the voice of the next deck, with this voice's last frames inside.
        case handOver(frames: Int, next: ReadLog, before: (any SampleConverter)?)
    }

    /// The steps, each with the first output frame at which it was there.
    private var steps: [(step: Step, frame: Int64)] = []
    private var first = 0
    private let clock: RenderClock
    /// Whether the samples begin with the end of another deck, whose converter the voice had taken over in frames that are rendered
    /// in another way now. The next voice reads the deck anew.
    var isStale = false

    init(clock: RenderClock) { self.clock = clock }

    /// The position behind the last step.
    var end: Int { first + steps.count }

    /// The step at a position; `nil` at the end.
    func step(at position: Int) -> Step? {
        let index = position - first
        return steps.indices.contains(index) ? steps[index].step : nil
    }

    /// Whether a frame that is rendered once more had no data here the first time.
    func withholds(_ position: Int) -> Bool {
        guard clock.isRepeating else { return false }
        let index = position - first
        return !steps.indices.contains(index) || steps[index].frame > clock.frame
    }

    /// Notes that a copy has taken the step at a position. What was read ahead may now be there earlier than before.
    func pass(_ position: Int) {
        let index = position - first
        if steps.indices.contains(index) { steps[index].frame = min(steps[index].frame, clock.frame) }
    }

    func append(_ step: Step) { steps.append((step, clock.frame)) }

    /// Removes the steps from a position on.
    ///
    /// - Returns: The removed steps.
    func truncate(at position: Int) -> [Step] {
        let index = max(0, min(steps.count, position - first))
        let removed = steps[index...].map(\.step)
        steps.removeLast(steps.count - index)
        return removed
    }

    /// Removes the steps before a position, which no copy reads again.
    func trim(before position: Int) {
        let count = min(steps.count, max(0, position - first))
        steps.removeFirst(count)
        first += count
    }

    /// The first converted frames from the beginning of the log.
    func samples(count: Int) -> [Float] {
        var samples: [Float] = []
        for case (.read(let read), _) in steps where samples.count < count { samples += read.samples }
        return Array(samples.prefix(count))
    }
}
