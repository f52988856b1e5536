/// Knows which source frame comes next: by counting, and by time stamps where only they can know.
///
/// What a decoder delivers is counted. A time stamp decides where a seek has led, and that frames are missing in a
/// damaged stream, which its decoder has to say as well. Everything else that time stamps claim is passed over: wrong byte rates,
/// block numbers of another file and shifted sample tables are no sound.
struct SourceClock: Sendable {
    /// What is told of a sample before it is read.
    struct Stamp: Sendable {
        /// Nanoseconds of stream time; `nil` when there is no time stamp.
        var time: Double?
        /// Whether the decoder says that something is missing before it.
        var isDiscontinuous = false
        /// Nanoseconds of running time at which the sample's segment begins: another one begins with every link of a chained stream.
        var segment: UInt64 = 0
    }

    /// How a stream was entered.
    private enum Entry {
        /// It plays from its beginning.
        case start
        /// It was moved to the target.
        case moved
        /// It is heard as it comes, such as a radio station's.
        case live
    }

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
    private var entry = Entry.start
    /// Added to time stamps, in frames, so that they agree with the count.
    private var correction: Double = 0
    private var segment: UInt64 = 0
    /// Whether a second link of a chained stream was met, ever.
    private(set) var isChained = false
    /// Whether frames were found to be missing, ever.
    private(set) var hasGap = false

    /// A time stamp that differs by more than this from the count, in seconds, claims a gap.
    ///
    /// Less is rounding: some containers count in milliseconds.
    private static let tolerance = 0.005

    /// A landing further from the target than this, in seconds, is not a time on the source's own line.
    private static let maximumLandingError = 1.0

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
        entry = fromStart ? .start : .moved
        correction = 0
    }

    /// A stream that is only heard as it comes goes on at a position, whatever its time stamps say.
    mutating func goOn(at position: Int64) {
        restart(at: position, rate: 1)
        entry = .live
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
    /// - Parameters:
    ///   - stamp: What is told of it.
    ///   - length: Frames of the whole source; `nil` when they are not known exactly.
    mutating func begin(_ stamp: Stamp, length: Int64?) {
        // The tempo changer stamps its blocks with what it has taken in, up to a third of a second ahead of what it gives.
        guard let time = stamp.time, rate == 1 else { return anchorIfNeeded() }
        let stamped = time * Double(sampleRate) / 1_000_000_000 - Double(lead) + correction
        let isNewLink = stamp.segment != segment
        segment = stamp.segment
        guard isAnchored else { return enter(at: stamped) }
        let counted = anchor + Double(framesSinceAnchor)
        if abs(stamped - counted) <= Self.tolerance * Double(sampleRate) { return }
        // A gap in a source lies within it.
        let isGap =
            stamp.isDiscontinuous && !isNewLink && stamped > counted && length.map { stamped < Double($0) } ?? true
        guard isGap else {
            // Time goes back where the next link of a chain begins.
            if isNewLink, stamped < counted { isChained = true }
            correction += counted - stamped
            return
        }
        hasGap = true
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
        let landing = (stamped + Self.rounding).rounded(.down)
        switch entry {
        // Some AAC decoders keep the first packet to themselves, which belongs to the delay.
        case .start: anchor = landing > 0 ? Double(-lead) : max(landing, Double(-lead))
        case .live: anchor = Double(target)
        case .moved:
            anchor = landing
            guard abs(anchor - Double(target)) > Self.maximumLandingError * Double(sampleRate) else { return }
            anchor = Double(target)
        }
        correction += anchor - stamped
    }

    private mutating func anchorIfNeeded() {
        guard !isAnchored else { return }
        isAnchored = true
        anchor = entry == .start ? Double(-lead) : Double(target)
    }
}
