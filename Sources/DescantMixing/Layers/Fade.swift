package import DescantCore

extension PCMFormat {
    /// The maximum length of a fade whose sound is kept in memory, in seconds.
    private static let longestKept = 60.0

    /// The frames of a fade, a ramp or a delay; 0 for a negative length and for NaN.
    func length(of seconds: Double) -> Int64 { max(0, frames(in: seconds)) }

    /// The frames of a fade or a ramp whose sound is kept in memory; those of a minute at most.
    func keptLength(of seconds: Double) -> Int64 { length(of: min(seconds, Self.longestKept)) }
}

/// A gain that moves along a curve, one step per frame.
///
/// Frame i of a fade of n frames has the progress i / n: a fade-in begins with exactly 0, a fade-out with exactly 1,
/// and both reach their target with the frame after the last.
package struct Fade: Sendable {
    package enum Direction: Sendable { case rising, falling }

    package let direction: Direction
    package let curve: FadeCurve
    package private(set) var length: Int64
    package private(set) var position: Int64 = 0
    private var startProgress = 0.0

    package init(_ direction: Direction, curve: FadeCurve, frames: Int64) {
        self.direction = direction
        self.curve = curve
        length = max(0, frames)
    }

    package var remaining: Int64 { max(0, length - position) }
    package var isComplete: Bool { position >= length }

    /// The gain of the frame `offset` frames from now.
    package func gain(at offset: Int = 0) -> Double {
        let progress = self.progress(at: offset)
        return direction == .rising ? curve.gain(at: progress) : curve.inverseGain(at: progress)
    }

    private func progress(at offset: Int) -> Double {
        let frame = position + Int64(offset)
        guard frame < length else { return 1 }
        return startProgress + (1 - startProgress) * Double(frame) / Double(length)
    }

    package mutating func advance(_ frames: Int) { position += Int64(frames) }

    /// Compresses the remaining curve into at most this many frames.
    package mutating func shorten(toFrames frames: Int64) {
        guard remaining > frames else { return }
        startProgress = progress(at: 0)
        position = 0
        length = max(1, frames)
    }
}

/// A gain that moves linearly from its present value to a target. The gain of a frame is the same in blocks of any size.
package struct GainRamp: Sendable {
    private var start: Double
    private var target: Double
    private var length: Int64 = 0
    private var position: Int64 = 0

    package init(_ value: Double) {
        start = value
        target = value
    }

    /// The present gain.
    package var value: Double { gain(at: position) }

    package var isUnity: Bool { !isMoving && target == 1 }

    package var isMoving: Bool { position < length }

    /// The gain of the frame `offset` frames from now.
    package func value(at offset: Int) -> Double { gain(at: position + Int64(offset) + 1) }

    private func gain(at position: Int64) -> Double {
        position < length ? start + (target - start) * (Double(position) / Double(length)) : target
    }

    /// Advances without processing samples.
    package mutating func advance(_ frames: Int) { position = min(length, position + Int64(frames)) }

    /// Starts a ramp to a new value; with 0 frames the gain changes at once.
    package mutating func move(to target: Double, frames: Int64) {
        start = value
        self.target = target
        length = target == start ? 0 : max(0, frames)
        position = 0
    }

    /// Applies the gain to interleaved frames in place and advances.
    package mutating func apply(to buffer: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        guard !isUnity else { return }
        var frame = 0
        while frame < frames, isMoving {
            position += 1
            let gain = Float(value)
            for sample in frame * channels..<(frame + 1) * channels { buffer[sample] *= gain }
            frame += 1
        }
        guard frame < frames, target != 1 else { return }
        let gain = Float(target)
        for sample in frame * channels..<frames * channels { buffer[sample] *= gain }
    }

    /// Completes the ramp at once, as while a layer is silent.
    package mutating func finish() { position = length }
}
