/// Knows which source frame comes next, from time stamps and from counting.
///
/// Counting is exact while samples follow one another; time stamps tell where a stream was entered and what is missing
/// in a damaged one.
struct SourceClock: Sendable {
    let sampleRate: Int
    /// Frames of the decoded stream before the source's first.
    var lead: Int64 = 0
    /// Frames before a target that are decoded and passed over, so that the decoder has found its feet.
    var preroll: Int64 = 0

    /// The speed of what is read, relative to the source.
    private(set) var rate = 1.0
    /// Where the stream was entered; earlier frames that arrive are surplus.
    private(set) var target: Int64 = 0

    private var anchor: Double = 0
    private var framesSinceAnchor: Int64 = 0
    private var isAnchored = false
    private var playsUpToTarget = false
    private var takesAnyTime = false
    /// Added to time stamps: a chained stream begins its time again with every link.
    private var base: Double = 0
    /// Whether a second link of a chained stream was met, ever.
    private(set) var isChained = false

    /// A time stamp that differs by more than this from the count, in seconds, tells of a gap.
    ///
    /// Less is rounding: some containers count in milliseconds.
    private static let tolerance = 0.005

    /// At another speed the stretcher puts out strides whose time stamps are those of its input.
    private static let toleranceWhileStretched = 0.5

    /// A landing further from the target than this, in seconds, is not a time on the source's own line.
    private static let greatestLandingError = 1.0

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// The source frame that comes next.
    var position: Int64 { max(target, arrival) }

    /// Frames of the present sample that lie before the target.
    ///
    /// Only at normal speed, where frames can be told apart.
    var surplus: Int { rate == 1 ? Int(max(0, min(target - arrival, Int64(Int32.max)))) : 0 }

    /// Whether a sample has arrived since the stream was entered.
    var hasArrived: Bool { isAnchored }

    /// The source frame that the next sample begins with.
    private var arrival: Int64 {
        isAnchored ? Int64((anchor + Double(framesSinceAnchor) * rate).rounded(.down)) : target
    }

    /// The stream is entered anew.
    ///
    /// - Parameters:
    ///   - target: The frame that is wanted first.
    ///   - rate: The speed from now on.
    ///   - fromStart: Whether the stream plays from its beginning up to the target, instead of having been moved there.
    mutating func restart(at target: Int64, rate: Double, fromStart: Bool = false) {
        self.target = target
        self.rate = rate
        isAnchored = false
        framesSinceAnchor = 0
        playsUpToTarget = fromStart
        takesAnyTime = false
        base = 0
    }

    /// A stream that is only heard as it comes, such as a radio station's, goes on at a position, whatever its time stamps say.
    mutating func goOn(at position: Int64) {
        restart(at: position, rate: 1)
        takesAnyTime = true
    }

    /// Time to ask GStreamer for so that decoding begins one frame before a target.
    ///
    /// Decoders clip to a time by rounding it to a frame, some down and some to the nearest. A time a quarter of a frame
    /// before the target is clipped one frame early by all of them, and says so in the time stamp.
    /// At another speed frames cannot be passed over, so nothing is decoded before the target.
    func seekTime(for target: Int64, rate: Double) -> Int64 {
        let entry = target + lead - (rate == 1 ? preroll : 0)
        guard entry > 0 else { return 0 }
        return Int64(((Double(entry) - 0.25) * 1_000_000_000 / Double(sampleRate)).rounded())
    }

    /// A sample begins.
    ///
    /// - Parameter streamTime: Its time stamp in nanoseconds; `nil` when it has none.
    mutating func begin(streamTime: Double?) {
        // The tempo changer stamps its blocks with what it has taken in, up to a third of a second ahead of what it gives.
        guard let streamTime, rate == 1 else { return anchorIfNeeded() }
        let stamped = streamTime * Double(sampleRate) / 1_000_000_000 - Double(lead) + base
        guard isAnchored else { return enter(at: stamped) }
        let counted = anchor + Double(framesSinceAnchor) * rate
        let tolerance = rate == 1 ? Self.tolerance : Self.toleranceWhileStretched
        if abs(stamped - counted) <= tolerance * Double(sampleRate) { return }
        if stamped < counted {
            // Time went back without a seek: the next link of a chain.
            base += counted - stamped
            isChained = true
            return
        }
        anchor = (stamped + Self.rounding).rounded(.down)
        framesSinceAnchor = 0
    }

    /// Frames were read or passed over.
    mutating func advance(_ frames: Int) { framesSinceAnchor += Int64(frames) }

    // Time stamps are whole nanoseconds, so a frame's own may lie a little before it.
    private static let rounding = 0.1

    private mutating func enter(at stamped: Double) {
        isAnchored = true
        framesSinceAnchor = 0
        anchor = (stamped + Self.rounding).rounded(.down)
        if takesAnyTime
            || !playsUpToTarget && abs(anchor - Double(target)) > Self.greatestLandingError * Double(sampleRate)
        {
            base += Double(target) - anchor
            anchor = Double(target)
        }
    }

    private mutating func anchorIfNeeded() {
        guard !isAnchored else { return }
        isAnchored = true
        anchor = Double(target)
    }
}
