internal import CGStreamer
internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Synchronization

/// A source decoded by a playbin.
///
/// `read` holds a lock while it copies. Seeks run on the pipeline's queue; of several pending seeks, only the last is
/// carried out.
final class PlaybinDeck: Deck {
    let sampleRate: Int
    let rewindsInstantly = false

    let name: String
    let pipeline: PlaybinPipeline
    let reading: Mutex<Reading>
    /// Whether a decoder may deliver more than the exact length: the padding of its last block.
    private let isPadded: Bool

    /// The destination of a seek.
    struct SeekTarget {
        var frame: Int64
        var rate: Double
    }

    struct Reading: ~Copyable {
        var cursor = SampleCursor()
        var clock: SourceClock
        var length: DeckLength
        /// The newest seek that was not started yet.
        var requestedSeek: SeekTarget?
        /// Whether a seek runs on the queue, or is about to.
        var isSeeking = false
        /// Counts seeks, so that the result of an outdated seek is dropped.
        var generation: UInt64 = 0
        /// Whether a seek without samples may be replaced by decoding from the start up to its target.
        var mayPlayUp = false
        /// Whether a network buffer ran empty and is filled before reading continues.
        var isRefilling = false
        /// When a lost connection is made again.
        var reconnection: Reconnection
        /// Whether the connection was lost and no sample has arrived since.
        var isReconnecting = false
        /// The time at which a loss was noticed; samples from before it may still arrive.
        var lossNoticed: UInt64?
        var starvation: StarvationWatch
        /// The final condition.
        var end: DeckRead.Condition?
        var isClosed = false
        /// The requested speed.
        var requestedRate = 1.0
        /// Whether the first sample is followed by a seek that sets ``requestedRate``: there was nothing to move when it was asked for.
        var isAwaitingRate = false
    }

    init(
        name: String, pipeline: PlaybinPipeline, sampleRate: Int, length: DeckLength, extent: ExactLength?,
        isPadded: Bool, reconnectLimit: Double
    ) {
        self.name = name
        self.pipeline = pipeline
        self.sampleRate = sampleRate
        self.isPadded = isPadded
        var clock = SourceClock(sampleRate: sampleRate)
        clock.lead = extent?.lead ?? 0
        clock.preroll = extent?.preroll ?? 0
        reading = Mutex(
            Reading(
                clock: clock, length: length, reconnection: Reconnection(limit: reconnectLimit),
                starvation: StarvationWatch(limit: GStreamerDecks.localTimeLimit)))
    }

    deinit { close() }

    var frameCount: Int64? { reading.withLock { $0.length.frames } }

    var isFrameCountExact: Bool { reading.withLock { $0.length.isExact } }

    var isFrameCountEstimated: Bool { reading.withLock { $0.length.isEstimated } }

    var rate: Double { reading.withLock { $0.clock.rate } }

    /// Whether reading waits for a network buffer or for a reconnection.
    var isRefilling: Bool { reading.withLock { $0.isRefilling || $0.isReconnecting } }

    var isReconnecting: Bool { reading.withLock { $0.isReconnecting } }

    /// Sets a length that became known later, unless the present one is exact.
    func updateLength(frames: Int64) {
        reading.withLock { if !$0.length.isExact { $0.length.frames = frames } }
    }

    /// Closes the deck; the pipeline is torn down on its queue.
    func close() {
        let wasOpen = reading.withLock { reading in
            defer { reading.isClosed = true }
            reading.cursor.drop()
            return !reading.isClosed
        }
        guard wasOpen else { return }
        pipeline.monitor.readiness.raise()
        pipeline.interrupt()
        pipeline.queue.async { [pipeline] in pipeline.tearDown() }
    }
}

// MARK: Reading

extension PlaybinDeck {
    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        let target = ReadTarget(start: buffer)
        return reading.withLock { reading in
            var written = 0
            var start: Int64?
            while written < frames {
                if let condition = prepare(&reading) {
                    return DeckRead(frames: written, position: start ?? reading.clock.position, condition: condition)
                }
                start = start ?? reading.clock.position
                let count = min(reading.cursor.framesLeft, frames - written)
                reading.cursor.copy(to: target, frameOffset: written, frames: count)
                reading.clock.advance(count)
                written += count
            }
            return DeckRead(frames: written, position: start ?? reading.clock.position, condition: .complete)
        }
    }

    func waitUntilReadable(deadline: UInt64) -> Bool {
        let readiness = pipeline.monitor.readiness
        while true {
            let seen = readiness.raises
            let isReadable = reading.withLock { reading in
                guard let condition = prepare(&reading) else { return true }
                if case .starved = condition { return false }
                return true
            }
            if isReadable { return true }
            let limit = reading.withLock { $0.starvation.deadline } ?? .max
            let isRaised = readiness.wait(after: seen, deadline: min(deadline, limit))
            let now = MonotonicClock().now()
            reading.withLock {
                $0.reconnection.noteWait(now: now)
                $0.starvation.noteWait(now: now)
            }
            if !isRaised, now >= deadline { return false }
        }
    }

    /// The condition of the first frame; `nil` when it is there.
    func conditionOfFirstFrame() -> DeckRead.Condition? { reading.withLock { prepare(&$0) } }

    /// Fills the cursor and watches for starvation.
    ///
    /// - Returns: The condition when the cursor has no frames; `nil` when it has.
    private func prepare(_ reading: inout Reading) -> DeckRead.Condition? {
        let condition = takeFrames(&reading)
        guard case .starved = condition, pipeline.isLocal, !pipeline.isAwaitingHost, !reading.isReconnecting else {
            reading.starvation.reset()
            return condition
        }
        guard reading.starvation.noteStarvedRead(now: MonotonicClock().now()) else { return condition }
        let place = ErrorMapping.seconds(Double(reading.clock.position) / Double(sampleRate))
        let limit = ErrorMapping.seconds(reading.starvation.limit)
        // Whether the disk or the decoder hangs is not known. Behind an I/O error the next play goes on at this place.
        let end = DeckRead.Condition.failed(
            .ioError("\(name) at \(place) s: reading gave nothing for \(limit) s; the disk or the decoder hangs"))
        reading.end = end
        return end
    }

    /// Fills the cursor.
    private func takeFrames(_ reading: inout Reading) -> DeckRead.Condition? {
        if let end = reading.end { return end }
        if reading.isClosed { return .ended }
        if reading.isReconnecting { reading.reconnection.noteRead(now: MonotonicClock().now()) }
        if reading.isSeeking { return .starved }
        if reading.isRefilling {
            guard pipeline.monitor.bufferPercent >= 100 || pipeline.monitor.failure != nil else { return .starved }
            reading.isRefilling = false
        }
        while reading.cursor.framesLeft == 0 {
            reading.cursor.drop()
            guard let sample = pipeline.pullSample() else { return conditionWithoutSample(&reading) }
            reading.starvation.reset()
            if !reading.clock.hasArrived, pipeline.isMisplaced(sample) {
                gst_sample_unref(sample)
                seekAgain(&reading)
                return .starved
            }
            let stamp = reading.cursor.take(sample, channelMap: pipeline.channelMap)
            reading.clock.begin(stamp, length: reading.length.isExact ? reading.length.frames : nil)
            let surplus = min(reading.clock.surplus, reading.cursor.framesLeft)
            reading.cursor.skip(surplus)
            reading.clock.advance(surplus)
            if reading.length.isExact, let length = reading.length.frames { limit(&reading, to: length) }
            if let end = reading.end { return end }
            if reading.isAwaitingRate {
                moveToRequestedRate(&reading)
                return .starved
            }
        }
        reading.lossNoticed = nil
        if reading.isReconnecting { connectionIsBack(&reading) }
        return nil
    }

    /// Cuts the decoder's padding off at the exact length.
    ///
    /// Without padding, or after a gap, the length is only the headers' claim: all decoded frames are played.
    private func limit(_ reading: inout Reading, to length: Int64) {
        let left = length - reading.clock.position
        // At another speed the frames of a seek before its target are not skipped.
        let slack = reading.clock.rate == 1 ? 1 : 0.25 * Double(sampleRate) * max(1, reading.clock.rate)
        let isOver = !isPadded && Double(reading.cursor.framesLeft) * reading.clock.rate > Double(max(0, left)) + slack
        if reading.clock.hasGap || isOver {
            reading.length.isExact = false
            reading.length.isAnnounced = true
            return
        }
        guard left > 0 else {
            reading.cursor.drop()
            reading.end = naturalEnd(reading.length, position: reading.clock.position)
            return
        }
        let outputFrames = (Double(left) / reading.clock.rate).rounded(.up)
        if outputFrames < Double(reading.cursor.framesLeft) { reading.cursor.limit(to: Int(outputFrames)) }
    }

    private func conditionWithoutSample(_ reading: inout Reading) -> DeckRead.Condition {
        let isDrained = pipeline.isDrained
        let position = reading.clock.position
        if reading.mayPlayUp, seekBroughtNothing(reading, isDrained: isDrained) {
            playUp(&reading, to: position)
            return .starved
        }
        if isConnectionLost(reading, isDrained: isDrained) {
            if !isDrained, mayStillCome(&reading) { return .starved }
            if connectAgain(&reading, at: position) { return .starved }
            let end = endOfConnection(reading, at: position)
            reading.end = end
            return end
        }
        if let failure = pipeline.monitor.failure, !(isDrained && isWhole(reading)) {
            let seconds = Double(position) / Double(sampleRate)
            reading.end = .failed(ErrorMapping.coreError(failure, name: name, position: seconds))
        } else if isDrained {
            reading.end = naturalEnd(reading.length, position: position)
        }
        // One pause sounds better than a stutter every few frames.
        if reading.end == nil, reading.clock.hasArrived, pipeline.monitor.bufferPercent < 100 {
            reading.isRefilling = true
            pipeline.queue.async { [pipeline] in
                pipeline.monitor.report(.buffering(percent: pipeline.monitor.bufferPercent))
            }
        }
        return reading.end ?? .starved
    }

    /// The maximum shortfall from the announced length of a stream that does not count as truncated, in seconds.
    static let toleratedShortfall = 0.5

    func naturalEnd(_ length: DeckLength, position: Int64) -> DeckRead.Condition {
        let reached = ErrorMapping.seconds(Double(position) / Double(sampleRate))
        if length.isCutOff { return .truncated(.decodeError("\(name) is truncated at \(reached) s")) }
        guard length.isExact || length.isAnnounced, let announced = length.frames else { return .ended }
        let missing = Double(announced - position) / Double(sampleRate)
        guard missing > Self.toleratedShortfall else { return .ended }
        let whole = ErrorMapping.seconds(Double(announced) / Double(sampleRate))
        return .truncated(.decodeError("\(name) is truncated at \(reached) s of \(whole) s"))
    }
}

/// Detects a source that delivers nothing although it is read.
///
/// Times are nanoseconds of one monotonic clock.
struct StarvationWatch: Sendable {
    /// The seconds without a frame after which the source counts as stuck.
    let limit: Double

    private var since: UInt64?
    private var lastAsked: UInt64 = 0

    /// Seconds without a read after which playback counts as paused. While playing, a deck is read many times a second.
    private static let absence = 1.0

    init(limit: Double) { self.limit = limit }

    /// The time at which the limit is reached; `nil` while frames arrive.
    var deadline: UInt64? { since.map { $0 + UInt64(limit * 1_000_000_000) } }

    /// Notes a read without frames.
    ///
    /// - Returns: Whether the limit is exceeded.
    mutating func noteStarvedRead(now: UInt64) -> Bool {
        if since == nil || now - min(now, lastAsked) > UInt64(Self.absence * 1_000_000_000) { since = now }
        lastAsked = now
        return deadline.map { now >= $0 } ?? false
    }

    /// Notes a blocking wait up to now.
    mutating func noteWait(now: UInt64) { lastAsked = now }

    /// Notes that frames arrived, or that none are expected now.
    mutating func reset() { since = nil }
}
