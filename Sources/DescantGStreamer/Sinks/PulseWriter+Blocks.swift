internal import CGStreamer
internal import CPulse
internal import DescantCore
internal import Foundation
internal import Synchronization

/// The blocks, on the pipeline's streaming thread, and those that replace others.
extension PulseWriter {
    func rewind(to frame: Int64, graphFrame: Int64) {
        state.withLock { $0.cursor.add(changeTo: frame, graphFrame: graphFrame) }
        readiness.raise()
    }

    /// Writes the next block of the pipeline, unless it was replaced. Waits until the stream is ready, and not until the server asks:
    /// ``RenderDriver`` knows how much is queued, and each question of the server would cost a wake-up.
    func write(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
        defer { gst_buffer_unmap(buffer, &map) }
        var done: Int64 = 0
        while true {
            // Read before the state, so that the wait does not miss a close in between.
            let seen = readiness.raises
            if isClosed.load(ordering: .acquiring) { return }
            switch state.withLock({ write(map, from: &done, &$0) }) {
            case .done: return
            case .started: return report(.started)
            case .notReady: readiness.wait(after: seen)
            }
        }
    }

    private enum Outcome { case done, started, notReady }

    /// Writes a block in parts, since a change may begin inside it.
    ///
    /// - Parameter done: The frames of the block that are written or left out.
    private func write(_ map: GstMapInfo, from done: inout Int64, _ state: inout State) -> Outcome {
        let frames = Int64(Int(map.size) / plan.format.frameBytes)
        var outcome = Outcome.done
        while done < frames {
            if state.cursor.applyChange() { state.overwrites = true }
            let part = state.cursor.part(of: frames - done)
            if part.written > 0 {
                guard let isStarted = write(map, from: done, frames: part.written, &state) else { return .notReady }
                if isStarted { outcome = .started }
            }
            state.cursor.pass(part.length, written: part.written)
            done += part.length
        }
        return outcome
    }

    /// Writes frames of a block at the next frame.
    ///
    /// - Returns: Whether the stream has begun with them; `nil` when it is not ready.
    private func write(_ map: GstMapInfo, from first: Int64, frames: Int64, _ state: inout State) -> Bool? {
        let (stream, isReady) = link.withLock { ($0.stream, $0.isReady) }
        guard isReady, let stream, let handles = state.handles else { return nil }
        skipGap(&state)
        let frameBytes = Int64(plan.format.frameBytes)
        let offset = (state.cursor.nextFrame - state.base) * frameBytes
        pa_threaded_mainloop_lock(handles.loop)
        defer { pa_threaded_mainloop_unlock(handles.loop) }
        // Without a free callback: with one, libpulse repeats the offset for each part of a long block. A write fails only on
        // a stream that has ended, which its state callback reports.
        let data = map.data.map { $0 + Int(first * frameBytes) }
        pa_stream_write(stream, data, Int(frames * frameBytes), nil, offset, PA_SEEK_ABSOLUTE)
        if state.overwrites { silenceRest(behind: state.cursor.nextFrame - state.base + frames, of: stream, state) }
        state.writtenEnd = max(state.writtenEnd, state.cursor.nextFrame - state.base + frames)
        state.overwrites = false
        guard state.isCorked else { return false }
        Self.start(pa_stream_cork(stream, 0, nil, nil))
        state.isCorked = false
        return true
    }

    /// Overwrites what is left of a queue that is replaced: it would be heard again when the next block comes late, or never.
    private func silenceRest(behind frame: Int64, of stream: OpaquePointer, _ state: State) {
        guard frame < state.writtenEnd else { return }
        let frameBytes = plan.format.frameBytes
        let silence = [UInt8](repeating: 0, count: Int(state.writtenEnd - frame) * frameBytes)
        pa_stream_write(stream, silence, silence.count, nil, frame * Int64(frameBytes), PA_SEEK_ABSOLUTE)
    }

    /// Moves the rest of the sound behind a gap: what comes behind the frames that the server has played would be dropped.
    private func skipGap(_ state: inout State) {
        guard !state.isCorked, let position = streamPosition(state) else { return }
        let next = state.cursor.nextFrame - state.base
        let gone = link.withLock { $0.rewinds } ? position.heard + plan.format.frames(in: 0.005) : position.taken
        // A change comes late now and then; its sound keeps its place.
        guard !state.overwrites, next < gone else { return }
        state.base -= gone + plan.format.frames(in: 0.02) - next
    }

    func drain() {
        let isPlaying = state.withLock { state in
            guard !state.isCorked, let handles = state.handles, let stream = link.withLock({ $0.stream }) else {
                return false
            }
            pa_threaded_mainloop_lock(handles.loop)
            let reference = Unmanaged.passUnretained(self).toOpaque()
            Self.start(pa_stream_drain(stream, writerIsDrained, reference))
            pa_threaded_mainloop_unlock(handles.loop)
            return true
        }
        if !isPlaying { report(.drained) }
    }
}
