/// Where decoded frames go: into the reader's memory as far as it has room, the rest aside until the next read.
final class FrameOutput {
    /// Samples per frame.
    var channels = 1
    /// What makes full scale 1: a power of two, so that samples of up to 24 bits stay exact.
    var scale: Float = 1
    /// Frames that the present reader still has room for.
    private(set) var room = 0

    private var destination: UnsafeMutablePointer<Float>?
    private var written = 0
    private var aside: [Float] = []
    private var asideFrames: Range<Int> = 0..<0

    /// Whether frames lie aside.
    var hasFramesAside: Bool { !asideFrames.isEmpty }

    /// Begins a read with what lies aside.
    func begin(_ buffer: UnsafeMutablePointer<Float>, room frames: Int) {
        let taken = min(frames, asideFrames.count)
        aside.withUnsafeBufferPointer { aside in
            guard taken > 0, let samples = aside.baseAddress else { return }
            buffer.update(from: samples + asideFrames.lowerBound * channels, count: taken * channels)
        }
        asideFrames = (asideFrames.lowerBound + taken)..<asideFrames.upperBound
        destination = buffer
        written = taken
        room = frames - taken
    }

    /// Ends a read; returns the number of frames that it got.
    func end() -> Int {
        destination = nil
        room = 0
        return written
    }

    /// Forgets what lies aside.
    func discard() { asideFrames = 0..<0 }

    /// Takes a block of frames.
    ///
    /// - Parameters:
    ///   - planes: One array of integer samples for every channel.
    ///   - frames: How many frames there are.
    func store(_ planes: UnsafePointer<UnsafePointer<Int32>?>, frames: Int) {
        let direct = min(room, frames)
        if direct > 0, let destination {
            interleave(planes, from: 0, frames: direct, into: destination + written * channels)
            written += direct
            room -= direct
        }
        let rest = frames - direct
        guard rest > 0 else { return }
        if aside.count < rest * channels { aside = [Float](repeating: 0, count: rest * channels) }
        aside.withUnsafeMutableBufferPointer { aside in
            guard let samples = aside.baseAddress else { return }
            interleave(planes, from: direct, frames: rest, into: samples)
        }
        asideFrames = 0..<rest
    }

    private func interleave(
        _ planes: UnsafePointer<UnsafePointer<Int32>?>, from first: Int, frames: Int,
        into output: UnsafeMutablePointer<Float>
    ) {
        let scale = scale
        if channels == 2, let left = planes[0], let right = planes[1] {
            for frame in 0..<frames {
                output[2 * frame] = Float(left[first + frame]) * scale
                output[2 * frame + 1] = Float(right[first + frame]) * scale
            }
            return
        }
        let channels = channels
        for channel in 0..<channels {
            guard let plane = planes[channel] else { continue }
            for frame in 0..<frames { output[frame * channels + channel] = Float(plane[first + frame]) * scale }
        }
    }
}
