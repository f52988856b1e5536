package import DescantCore

extension PCMFormat {
    /// Sound longer than this is not kept in memory while it fades, in seconds.
    private static let longestKept = 60.0

    /// The frames of a fade, a ramp or a delay; none for a negative length and for what is not a number.
    func length(of seconds: Double) -> Int64 { max(0, frames(in: seconds)) }

    /// The frames of a fade or a ramp whose sound is kept in memory meanwhile: those of a minute at most.
    func keptLength(of seconds: Double) -> Int64 { length(of: min(seconds, Self.longestKept)) }
}

/// A gain on its way along a curve, one step a frame.
///
/// Frame i of a fade of n frames has the progress i / n: a fade-in begins with exactly 0, a fade-out with exactly 1,
/// and both have arrived with the frame after the last.
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

    /// Plays the rest of the curve within at most this many frames.
    package mutating func shorten(toFrames frames: Int64) {
        guard remaining > frames else { return }
        startProgress = progress(at: 0)
        position = 0
        length = max(1, frames)
    }
}
