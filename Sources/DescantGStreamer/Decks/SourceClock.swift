/// Tracks the source frame that comes next, by counting; time stamps are used only where counting cannot know.
///
/// Decoded frames are counted. A time stamp determines the position after a seek, and a gap in a damaged stream, which
/// the decoder has to mark as well. All other time stamps are ignored: they may come from wrong byte rates, block
/// numbers of another file or shifted sample tables.
struct SourceClock: Sendable {
    /// The metadata of a sample.
    struct Stamp: Sendable {
        /// The stream time in nanoseconds; `nil` without a time stamp.
        var time: Double?
        /// Whether the decoder marks a gap before the sample.
        var isDiscontinuous = false
        /// The running time at which the sample's segment begins, in nanoseconds. Every link of a chained stream begins
        /// a segment.
        var segment: UInt64 = 0
    }

    /// The way in which the present position was reached.
    private enum Entry {
        /// The stream plays from its beginning.
        case start
        /// The stream was moved to the target by a seek.
        case moved
        /// A live stream, such as a radio station.
        case live
    }

    let sampleRate: Int
    /// Frames of the decoded stream before the source's first.
    var lead: Int64 = 0
    /// Frames before a target that are decoded and skipped, because the decoder needs them to settle.
    var preroll: Int64 = 0

    /// The speed of the frames read, relative to the source.
    private(set) var rate = 1.0
    /// The frame of the last seek; earlier frames that arrive are skipped.
    private(set) var target: Int64 = 0

    private var anchor: Double = 0
    private var framesSinceAnchor: Int64 = 0
    private var isAnchored = false
    private var entry = Entry.start
    /// An offset of time stamps, in frames, that makes them agree with the count.
    private var correction: Double = 0
    private var segment: UInt64 = 0
    /// Whether a gap has been seen.
    private(set) var hasGap = false

    /// The difference between time stamp and count that indicates a gap, in seconds.
    ///
    /// Smaller differences are rounding: some containers count in milliseconds.
    private static let tolerance = 0.005

    /// The maximum distance of a seek's first time stamp from the target, in seconds. A larger one is not a time of the
    /// source.
    private static let maximumLandingError = 1.0

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// The next source frame.
    var position: Int64 { max(target, arrival) }

    /// The frames of the present sample before the target.
    ///
    /// At normal speed only: otherwise output frames have no single source frame.
    var surplus: Int { rate == 1 ? Int(max(0, min(target - arrival, Int64(Int32.max)))) : 0 }

    /// Whether a sample has arrived since the last seek.
    var hasArrived: Bool { isAnchored }

    /// The first source frame of the next sample.
    private var arrival: Int64 {
        isAnchored ? Int64((anchor + Double(framesSinceAnchor) * rate).rounded(.down)) : target
    }

    /// Starts counting at another position.
    ///
    /// - Parameters:
    ///   - target: The first frame to be read.
    ///   - rate: The speed from now on.
    ///   - fromStart: Whether the stream plays from its beginning up to the target, instead of a seek.
    mutating func restart(at target: Int64, rate: Double, fromStart: Bool = false) {
        self.target = target
        self.rate = rate
        isAnchored = false
        framesSinceAnchor = 0
        entry = fromStart ? .start : .moved
        correction = 0
    }

    /// Continues a live stream at a position and ignores its time stamps.
    mutating func continueLive(at position: Int64) {
        restart(at: position, rate: 1)
        entry = .live
    }

    /// The seek time for which decoding begins one frame before a target, in nanoseconds.
    ///
    /// Decoders round a time to a frame, some down and some to the nearest. With a time a quarter of a frame before the
    /// target, all of them begin one frame early and say so in the time stamp. At another speed frames cannot be
    /// skipped, so nothing is decoded before the target.
    func seekTime(for target: Int64, rate: Double) -> Int64 {
        let entry = target + lead - (rate == 1 ? preroll : 0)
        guard entry > 0 else { return 0 }
        let time = ((Double(entry) - 0.25) * 1_000_000_000 / Double(sampleRate)).rounded()
        // GStreamer's times end after 292 years.
        return Int64(min(time, Double(Int64.max).nextDown))
    }

    /// Takes the metadata of the next sample.
    ///
    /// - Parameters:
    ///   - stamp: The sample's metadata.
    ///   - length: Frames of the whole source; `nil` when they are not known exactly.
    mutating func begin(_ stamp: Stamp, length: Int64?) {
        // The tempo changer's time stamps are those of its input, up to a third of a second ahead of its output.
        guard let time = stamp.time, rate == 1 else { return anchorIfNeeded() }
        let stamped = time * Double(sampleRate) / 1_000_000_000 - Double(lead) + correction
        let isNewLink = stamp.segment != segment
        segment = stamp.segment
        guard isAnchored else { return enter(at: stamped) }
        let counted = anchor + Double(framesSinceAnchor)
        if abs(stamped - counted) <= Self.tolerance * Double(sampleRate) { return }
        // A gap must lie within the source's length.
        let isGap =
            stamp.isDiscontinuous && !isNewLink && stamped > counted && length.map { stamped < Double($0) } ?? true
        guard isGap else {
            correction += counted - stamped
            return
        }
        hasGap = true
        anchor = (stamped + Self.rounding).rounded(.down)
        framesSinceAnchor = 0
    }

    /// Counts frames that were read or skipped.
    mutating func advance(_ frames: Int) { framesSinceAnchor += Int64(frames) }

    // In frames: a time stamp in whole nanoseconds may lie slightly before its frame.
    private static let rounding = 0.1

    private mutating func enter(at stamped: Double) {
        isAnchored = true
        framesSinceAnchor = 0
        let landing = (stamped + Self.rounding).rounded(.down)
        switch entry {
        // Some AAC decoders output nothing for the first packet, which belongs to the delay.
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
