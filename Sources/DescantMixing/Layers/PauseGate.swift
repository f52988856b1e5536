internal import DescantCore

/// Freezes and releases a layer's sound between two frames.
///
/// A pause fades the next few frames out and keeps them; the release plays those frames again, fading in, so that
/// the listener goes on at the very frame where the ramp began.
package struct PauseGate {
    package enum Phase: Sendable, Equatable { case open, closing, closed, opening }

    package private(set) var phase: Phase = .open
    private var kept: FrameQueue
    private var keeps = true
    private var ramp = Fade(.falling, curve: .linear, frames: 0)
    /// A command that came in the middle of a ramp waits for the ramp's end: turning a ramp round would repeat sound.
    private var queued: (opens: Bool, frames: Int64)?
    private let channels: Int

    package init(channels: Int) {
        self.channels = channels
        kept = FrameQueue(channels: channels)
    }

    package var isClosed: Bool { phase == .closed }

    /// Whether the gate is closed or on its way there.
    package var isClosing: Bool {
        if let queued { return !queued.opens }
        return phase == .closing || phase == .closed
    }

    /// How many frames may pass until the gate changes its behaviour.
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

    /// Whether the next frames are kept ones rather than new ones.
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
        // What was kept under the ramp is played again, and needs one too.
        case .closing: queued = (true, max(rampFrames, ramp.length))
        case .open, .opening: queued = nil
        }
    }

    /// Forgets the kept frames: what follows is another place or another deck.
    package mutating func discardKept() {
        kept.removeAll()
        keeps = false
    }

    /// Gives away the kept frames that were not played again yet.
    package mutating func takeKept() -> [Float] {
        var samples: [Float] = []
        kept.consume(frames: kept.frames) { source, frames in
            samples.append(contentsOf: UnsafeBufferPointer(start: source, count: frames * channels))
        }
        // A ramp that was over already, or had no length, had only waited for them.
        settle()
        return samples
    }

    /// Opens at once, for a layer that has nothing to go on with.
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

    /// Applies the ramp to frames in place and moves on.
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
        // In the silence the owner first does what had to wait for it.
        if !hasClosed { goOn() }
    }

    /// Follows the command that came within a ramp, now that the ramp has ended.
    package mutating func goOn() {
        guard let next = queued else { return }
        queued = nil
        if next.opens { open(rampFrames: next.frames) } else { close(rampFrames: next.frames) }
    }
}
