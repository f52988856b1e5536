internal import DescantCore

/// Pauses and resumes a layer with a ramp.
///
/// A pause fades the next few frames out and keeps them. The resumption plays those frames again with a fade-in, so
/// that the listener continues at the frame where the ramp began.
package struct PauseGate {
    package enum Phase: Sendable, Equatable { case open, closing, closed, opening }

    package private(set) var phase: Phase = .open
    private var kept: FrameQueue
    private var keeps = true
    private var ramp = Fade(.falling, curve: .linear, frames: 0)
    /// A command that came during a ramp. It waits for the ramp's end, because reversing a ramp would repeat sound.
    private var queued: (opens: Bool, frames: Int64)?
    private let channels: Int

    package init(channels: Int) {
        self.channels = channels
        kept = FrameQueue(channels: channels)
    }

    package var isClosed: Bool { phase == .closed }

    /// Whether the gate is closed or closing.
    package var isClosing: Bool {
        if let queued { return !queued.opens }
        return phase == .closing || phase == .closed
    }

    /// Whether the ramp of a pause sounds or is over. A command that waits for the end of a ramp has no effect yet.
    package var isFrozen: Bool { phase == .closing || phase == .closed }

    /// The frames until the ramp of a resumption has ended; 0 without such a ramp.
    package var framesToOpen: Int64 { phase == .opening ? max(ramp.remaining, Int64(kept.frames)) : 0 }

    /// The frames until the gate's next change.
    package var boundary: Int {
        switch phase {
        case .open, .closed: Int.max
        case .closing: Int(ramp.remaining)
        case .opening:
            switch (kept.frames, Int(ramp.remaining)) {
            case (0, let left): left
            case (let frames, 0): frames
            case (let frames, let left): min(frames, left)
            }
        }
    }

    /// Whether the next frames are kept frames.
    package var replays: Bool { phase == .opening && kept.frames > 0 }

    package mutating func close(rampFrames: Int64) {
        switch phase {
        case .open:
            ramp = Fade(.falling, curve: .linear, frames: rampFrames)
            phase = rampFrames > 0 ? .closing : .closed
            keeps = true
        case .opening: queued = (false, rampFrames)
        case .closing, .closed: queued = nil
        }
    }

    package mutating func open(rampFrames: Int64) {
        switch phase {
        case .closed:
            ramp = Fade(.rising, curve: .linear, frames: rampFrames)
            phase = .opening
            settle()
        // The frames kept during the ramp are played again and need a ramp as well.
        case .closing: queued = (true, max(rampFrames, ramp.length))
        case .open, .opening: queued = nil
        }
    }

    /// Drops the kept frames: playback continues at another position or with another deck.
    package mutating func discardKept() {
        kept.removeAll()
        keeps = false
    }

    /// The frames that were kept for the resumption and not played again yet.
    package var keptFrames: Int { kept.frames }

    /// Multiplies the kept frames by a linear gain.
    package mutating func scaleKept(by gain: Double) { kept.scale(by: Float(gain)) }

    /// Takes the kept frames that were not played again yet.
    package mutating func takeKept() -> [Float] {
        var samples: [Float] = []
        kept.consume(frames: kept.frames) { source, frames in
            samples.append(contentsOf: UnsafeBufferPointer(start: source, count: frames * channels))
        }
        // A ramp that is complete, or has no length, was waiting for them only.
        settle()
        return samples
    }

    /// Opens at once, for a layer without voices.
    package mutating func reset() {
        phase = .open
        queued = nil
        kept.removeAll()
    }

    /// Copies kept frames out.
    package mutating func replay(into buffer: UnsafeMutablePointer<Float>, frames: Int) {
        kept.consume(frames: frames) { source, count in
            buffer.update(from: source, count: count * channels)
        }
    }

    /// Applies the ramp to frames in place and advances.
    package mutating func process(_ buffer: UnsafeMutablePointer<Float>, frames: Int) {
        guard phase == .closing || phase == .opening else { return }
        if phase == .closing, keeps {
            kept.append(frames: frames) { target in
                target.update(from: buffer, count: frames * channels)
                return frames
            }
        }
        for frame in 0..<frames {
            let gain = Float(ramp.gain(at: frame))
            for channel in 0..<channels { buffer[frame * channels + channel] *= gain }
        }
        ramp.advance(frames)
        settle()
    }

    /// Enters the next phase when a ramp has ended.
    private mutating func settle() {
        guard ramp.isComplete, phase == .closing || (phase == .opening && kept.frames == 0) else { return }
        let hasClosed = phase == .closing
        phase = hasClosed ? .closed : .open
        // The owner first carries out the commands that waited for the silence.
        if !hasClosed { carryOutQueued() }
    }

    /// Carries out the command that came during the ramp.
    package mutating func carryOutQueued() {
        guard let next = queued else { return }
        queued = nil
        if next.opens { open(rampFrames: next.frames) } else { close(rampFrames: next.frames) }
    }
}
