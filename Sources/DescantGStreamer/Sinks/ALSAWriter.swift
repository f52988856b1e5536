internal import CGStreamer
internal import DescantCore
internal import Synchronization

/// Plays the blocks of a pipeline on a device of ALSA.
///
/// A card gives back what it has not played. The plugins of ALSA do not, so their buffer is short, and blocks for which there is no room
/// wait in the pipeline.
final class ALSAWriter: QueueWriter {
    private struct State {
        var device: ALSADevice?
        var cursor: BlockCursor
        /// The output frame that the device takes next. It lies behind the cursor's after a change that came too late for the device.
        var deviceFrame: Int64
        var hasStarted = false
    }

    private let plan: SessionPlan
    private let report: @Sendable (QueueEvent) -> Void
    // Its device is used with the lock held.
    private let state: Mutex<State>
    /// Raised when the device is open, when frames are replaced, and at the end.
    private let readiness = EventCount()
    private let isClosed = Atomic(false)

    /// - Parameters:
    ///   - plan: Its format is that of the blocks.
    ///   - report: Receives events, on any thread; must not wait.
    init(plan: SessionPlan, report: @escaping @Sendable (QueueEvent) -> Void) {
        self.plan = plan
        self.report = report
        state = Mutex(State(cursor: BlockCursor(nextFrame: plan.epochFrame), deviceFrame: plan.epochFrame))
    }

    func start() {
        guard case .alsa(let name, _, let rewinds) = plan.destination else { return }
        do throws(CoreError) {
            let device = try ALSADevice(name ?? "default", format: plan.format, queue: plan.queue, rewinds: rewinds)
            state.withLock { $0.device = device }
            readiness.raise()
            report(.opened)
        } catch {
            report(.failed(error.message))
        }
    }

    func stop() {
        isClosed.store(true, ordering: .releasing)
        readiness.raise()
    }

    func close() {
        stop()
        state.withLock { state in
            state.device?.close()
            state.device = nil
        }
    }

    // MARK: Position

    var heardFrame: Int64? {
        state.withLock { state in
            guard let heard = heard(state) else { return nil }
            return min(state.cursor.end, max(plan.epochFrame, heard))
        }
    }

    var firstChangeableFrame: Int64? {
        state.withLock { state in
            guard let device = state.device, let heard = heard(state) else { return nil }
            let margin = plan.format.frames(in: Self.margin)
            // A plugin may tell the delay of what lies behind its buffer, too.
            guard device.rewinds else { return max(state.deviceFrame, heard + device.bufferFrames) + margin }
            return state.deviceFrame - device.rewindable + margin
        }
    }

    var heldFrames: Int64 {
        state.withLock { state in
            guard let device = state.device, !device.rewinds else { return 0 }
            return device.bufferFrames
        }
    }

    /// The time in which a change reaches the device, in seconds.
    private static let margin = 0.015
    /// What is left to a card that gives sound back, in seconds: it may be fetching that already.
    private static let leftToCard = 0.005

    private func heard(_ state: State) -> Int64? {
        // A device that is gone is reported by the next write.
        guard state.hasStarted, let delay = try? state.device?.delay else { return nil }
        return state.deviceFrame - delay
    }

    func rewind(to frame: Int64, graphFrame: Int64) {
        state.withLock { $0.cursor.add(changeTo: frame, graphFrame: graphFrame) }
        readiness.raise()
    }

    // MARK: Blocks

    func write(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
        defer { gst_buffer_unmap(buffer, &map) }
        let samples = UnsafeRawPointer(map.data).assumingMemoryBound(to: Float.self)
        let frames = Int64(Int(map.size) / plan.format.frameBytes)
        var done: Int64 = 0
        while done < frames {
            // Read before the state, so that the wait does not miss a close in between.
            let seen = readiness.raises
            if isClosed.load(ordering: .acquiring) { return }
            let outcome = state.withLock { write(samples, frames: frames, from: &done, &$0) }
            if outcome.hasStarted { report(.started) }
            switch outcome.next {
            case .done: return
            case .ready: readiness.wait(after: seen)
            case .room(let seconds): _ = readiness.wait(after: seen, limit: seconds)
            case .failed(let reason): return report(.failed(reason))
            }
        }
    }

    private struct Outcome {
        enum Next {
            case done
            /// Wait until the device is open.
            case ready
            /// Wait until the device has room.
            case room(Double)
            case failed(String)
        }

        var next = Next.done
        /// Whether the device has begun to play.
        var hasStarted = false
    }

    /// Writes a block in parts, since a change may begin inside it.
    ///
    /// - Parameter done: The frames of the block that are written or left out.
    private func write(
        _ samples: UnsafePointer<Float>, frames: Int64, from done: inout Int64, _ state: inout State
    ) -> Outcome {
        guard state.device != nil else { return Outcome(next: .ready) }
        var outcome = Outcome()
        while done < frames {
            if state.cursor.applyChange() { goBack(&state) }
            let part = state.cursor.part(of: frames - done)
            // What comes too late for the device is left out, so that the rest keeps its place.
            let late = min(part.written, max(0, state.deviceFrame - state.cursor.nextFrame))
            var written = late
            if late < part.written {
                do throws(CoreError) {
                    let first = samples + Int(done + late) * plan.format.channels
                    let taken = try state.device?.write(first, frames: part.written - late) ?? 0
                    outcome.hasStarted = outcome.hasStarted || !state.hasStarted && taken > 0
                    state.hasStarted = state.hasStarted || taken > 0
                    state.deviceFrame = state.cursor.nextFrame + late + taken
                    written += taken
                } catch {
                    outcome.next = .failed(error.message)
                    return outcome
                }
            }
            let isFull = written < part.written
            state.cursor.pass(isFull ? written : part.length, written: written)
            done += isFull ? written : part.length
            if isFull {
                // Half of the buffer is heard meanwhile.
                outcome.next = .room(max(0.002, plan.format.seconds(of: (state.device?.bufferFrames ?? 0) / 2)))
                return outcome
            }
        }
        return outcome
    }

    /// Takes back what was written behind the cursor, as far as the device still has it.
    private func goBack(_ state: inout State) {
        guard let device = state.device else { return }
        let available = device.rewindable - plan.format.frames(in: Self.leftToCard)
        state.deviceFrame -= device.rewind(min(state.deviceFrame - state.cursor.nextFrame, available))
    }

    func drain() {
        DedicatedQueue.run("descant.alsa.drain") { [self] in
            while true {
                let seen = readiness.raises
                if isClosed.load(ordering: .acquiring) { break }
                let left = state.withLock { state in
                    state.hasStarted ? (try? state.device?.delay) ?? 0 : 0
                }
                guard left > 0 else { break }
                _ = readiness.wait(after: seen, limit: plan.format.seconds(of: left) + 0.001)
            }
            report(.drained)
        }
    }
}
