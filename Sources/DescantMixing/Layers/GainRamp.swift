/// A gain that moves in a straight line from where it is to where it was sent.
package struct GainRamp: Sendable {
    package private(set) var value: Double
    private var target: Double
    private var step = 0.0
    private var framesLeft: Int64 = 0

    package init(_ value: Double) {
        self.value = value
        target = value
    }

    package var isUnity: Bool { framesLeft == 0 && value == 1 }

    package var isMoving: Bool { framesLeft > 0 }

    /// The gain of the frame `offset` frames from now.
    package func value(at offset: Int) -> Double {
        let steps = Int64(offset) + 1
        return steps >= framesLeft ? target : value + step * Double(steps)
    }

    /// Moves on without multiplying anything.
    package mutating func advance(_ frames: Int) {
        guard framesLeft > 0, frames > 0 else { return }
        value = value(at: frames - 1)
        framesLeft = max(0, framesLeft - Int64(frames))
    }

    /// Sends the gain to a new value; 0 frames jumps.
    package mutating func move(to target: Double, frames: Int64) {
        self.target = target
        guard frames > 0, target != value else {
            value = target
            framesLeft = 0
            return
        }
        framesLeft = frames
        step = (target - value) / Double(frames)
    }

    /// Multiplies interleaved frames in place and moves on.
    package mutating func apply(to buffer: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        guard !isUnity else { return }
        var frame = 0
        while frame < frames, framesLeft > 0 {
            value += step
            framesLeft -= 1
            if framesLeft == 0 { value = target }
            let gain = Float(value)
            for sample in frame * channels..<(frame + 1) * channels { buffer[sample] *= gain }
            frame += 1
        }
        guard frame < frames, value != 1 else { return }
        let gain = Float(value)
        for sample in frame * channels..<frames * channels { buffer[sample] *= gain }
    }

    /// Moves on without sound, as while a layer is silent.
    package mutating func finish() {
        value = target
        framesLeft = 0
    }
}
