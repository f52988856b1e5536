internal import CGStreamer
internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Synchronization

/// A session on a sound device: a ring for rendered frames, and a thread that hands them to a ``QueueWriter``.
///
/// What the device has not played can be taken back and rendered again, so that commands do not wait for the queue.
final class DeviceSession: PortSession {
    /// Frames that were handed over and may not have been heard, as they were rendered.
    fileprivate struct Block {
        var frame: Int64
        var samples: [Float]
        /// The equaliser before the block.
        var equalizer: GraphicEqualizer?
    }

    fileprivate struct Feed {
        /// The output frame of the ring's next frame.
        var nextFrame: Int64 = 0
        /// The frames that the writer was given.
        var givenFrames: Int64 = 0
        /// The frame of the last change. Nothing before it is replaced.
        var lastChange: Int64 = 0
        /// The last known heard frame; never decreases, although a position may.
        var heard: Int64 = 0
        var blocks: [Block] = []
    }

    private let plan: SessionPlan
    private let ring: SampleRing
    private let equalizer: PortEqualizer
    /// Events of the writer, and everything for which the feeding thread interrupts its wait.
    private let events = EventCount()
    private let isOpen = Atomic(false)
    private let isClosed = Atomic(false)
    private let hasFailed = Atomic(false)
    private let failure = Mutex<CoreError?>(nil)
    private let feed = Mutex(Feed())
    /// The pending frames of a closed session.
    private let dropped = Mutex<Int?>(nil)
    private let writer = Mutex<(any QueueWriter)?>(nil)
    /// Opens and closes the device, which may take long: a server's address is looked up, or a server hangs.
    private let control = DispatchQueue(label: "descant.output.device")

    init(plan: SessionPlan, ring: SampleRing, equalizer: PortEqualizer) {
        self.plan = plan
        self.ring = ring
        self.equalizer = equalizer
        writer.withLock { writer in
            writer = plan.makeWriter { [weak self] event in self?.receive(event) }
        }
    }

    private func receive(_ event: QueueEvent) {
        switch event {
        case .opened: isOpen.store(true, ordering: .releasing)
        case .failed(let reason):
            return fail(SinkFailure.error(text: reason, debug: "", destination: plan.destination))
        case .started, .device, .leftChosenDevice, .drained: break
        }
        events.raise()
    }

    // MARK: Starting and stopping

    func start(limit seconds: Double) throws {
        guard let writer = writer.withLock({ $0 }) else { return }
        control.async { writer.start() }
        let deadline = MonotonicClock().now() + UInt64(seconds * 1e9)
        while true {
            let seen = events.raises
            if let error { throw error }
            if isOpen.load(ordering: .acquiring) { break }
            guard events.wait(after: seen, deadline: deadline) else {
                throw SinkFailure.timeout(seconds: seconds, destination: plan.destination)
            }
        }
        DedicatedQueue.run("descant.output.feeding", qos: .userInteractive) { [self] in handOver(to: writer) }
    }

    /// The longest wait for a server that hangs, in seconds.
    private static let closingLimit = 2.0

    func close() {
        dropped.withLock { $0 = $0 ?? framesPending }
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        ring.end()
        events.raise()
        let writer = writer.withLock { writer in
            defer { writer = nil }
            return writer
        }
        guard let writer else { return }
        writer.stop()
        let isDone = EventCount()
        control.async {
            writer.close()
            isDone.raise()
        }
        _ = isDone.wait(after: 0, limit: Self.closingLimit)
    }

    // MARK: Rendering

    func render(_ buffer: UnsafePointer<Float>, frames: Int) throws -> Int {
        if hasFailed.load(ordering: .acquiring), let error { throw error }
        return ring.write(buffer, frames: frames)
    }

    var pending: Int { dropped.withLock { $0 ?? framesPending } }

    private var framesPending: Int {
        let heard = writer.withLock { $0 }?.heardFrame
        return feed.withLock { feed in
            feed.heard = max(feed.heard, heard ?? 0)
            return max(0, Int(feed.nextFrame - feed.heard) + ring.available)
        }
    }

    func takeBack() -> Int? {
        guard let writer = writer.withLock({ $0 }) else { return nil }
        let earliest = writer.firstChangeableFrame
        defer { events.raise() }
        return feed.withLock { feed in
            let end = feed.nextFrame + Int64(ring.available)
            ring.discard()
            let frame = min(feed.nextFrame, max(earliest ?? .max, feed.lastChange, feed.heard))
            feed.lastChange = frame
            if frame < feed.nextFrame {
                equalizer.resume(feed.state(before: frame, channels: plan.format.channels))
                writer.rewind(to: frame, graphFrame: feed.givenFrames)
                feed.nextFrame = frame
            }
            return Int(end - frame)
        }
    }

    // MARK: Handing over, on a thread of its own

    private func handOver(to writer: any QueueWriter) {
        while !isClosed.load(ordering: .acquiring), !hasFailed.load(ordering: .acquiring) {
            guard waitForRoom(in: writer) else { continue }
            guard let available = ring.wait(limit: nil), available > 0 else { return }
            guard let buffer = takeBlock() else { continue }
            writer.write(buffer)
            gst_buffer_unref(buffer)
        }
    }

    /// Whether the queue takes a block; otherwise waits until half of it is heard, or for an interruption.
    private func waitForRoom(in writer: any QueueWriter) -> Bool {
        let seen = events.raises
        guard !isClosed.load(ordering: .acquiring) else { return false }
        let heard = writer.heardFrame
        let ahead = feed.withLock { feed in
            feed.heard = max(feed.heard, heard ?? 0)
            return feed.nextFrame - feed.heard
        }
        // A device that is gone has no position; the next write reports it.
        let queue = plan.format.frames(in: plan.queue) * (heard == nil ? 2 : 1)
        // Frames that the device does not give back do not count for the queue.
        let left = ahead - writer.heldFrames
        guard ahead > 0, left + Int64(plan.blockFrames) > queue else { return true }
        let wait = plan.format.seconds(of: left - queue / 2)
        _ = events.wait(after: seen, limit: min(plan.queue, max(0.005, wait)))
        return false
    }

    /// Takes a block from the ring.
    private func takeBlock() -> UnsafeMutablePointer<GstBuffer>? {
        feed.withLock { feed in
            let channels = plan.format.channels
            let frames = min(ring.available, plan.blockFrames)
            guard frames > 0,
                let buffer = gst_buffer_new_allocate(nil, gsize(frames * plan.format.frameBytes), nil)
            else { return nil }
            var map = GstMapInfo()
            guard gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0 else {
                gst_buffer_unref(buffer)
                return nil
            }
            map.data.withMemoryRebound(to: Float.self, capacity: frames * channels) { samples in
                ring.read(into: samples, frames: frames)
                feed.blocks.removeAll { $0.frame + Int64($0.samples.count / channels) <= feed.heard }
                let rendered = Array(UnsafeBufferPointer(start: samples, count: frames * channels))
                let before = equalizer.process(samples, frames: frames)
                feed.blocks.append(Block(frame: feed.nextFrame, samples: rendered, equalizer: before))
            }
            gst_buffer_unmap(buffer, &map)
            feed.nextFrame += Int64(frames)
            feed.givenFrames += Int64(frames)
            return buffer
        }
    }

    // MARK: Failures

    var error: CoreError? { failure.withLock { $0 } }

    func fail(_ error: CoreError) {
        failure.withLock { $0 = $0 ?? error }
        hasFailed.store(true, ordering: .releasing)
        events.raise()
    }
}

extension DeviceSession.Feed {
    /// The equaliser's state before a frame that was handed over; blocks from there on are forgotten.
    fileprivate mutating func state(before frame: Int64, channels: Int) -> GraphicEqualizer? {
        guard let index = blocks.lastIndex(where: { $0.frame <= frame }) else { return nil }
        let block = blocks[index]
        let frames = min(Int(frame - block.frame), block.samples.count / channels)
        blocks.removeSubrange(index...)
        var equalizer = block.equalizer?.snapshot
        guard frames > 0 else { return equalizer }
        let before = Array(block.samples.prefix(frames * channels))
        blocks.append(DeviceSession.Block(frame: block.frame, samples: before, equalizer: block.equalizer))
        var passed = before
        passed.withUnsafeMutableBufferPointer { memory in
            if let base = memory.baseAddress { equalizer?.process(base, frames: frames) }
        }
        return equalizer
    }
}
