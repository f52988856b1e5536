/// Delivers decoded frames into the reader's memory and keeps the rest for the next read.
final class FrameOutput {
    /// Samples per frame.
    var channels = 1
    /// The factor that maps full scale to 1: a power of two, so that samples of up to 24 bits stay exact.
    var scale: Float = 1
    /// Frames that the present reader still has room for.
    private(set) var room = 0

    private var destination: UnsafeMutablePointer<Float>?
    private var written = 0
    private var aside: [Float] = []
    private var asideFrames: Range<Int> = 0..<0
    /// Silent frames before the kept ones.
    private var silence: Int64 = 0

    /// Whether frames are kept.
    var hasFramesAside: Bool { !asideFrames.isEmpty }

    /// Begins a read with the kept frames.
    func begin(_ buffer: UnsafeMutablePointer<Float>, room frames: Int) {
        (destination, written, room) = (buffer, 0, frames)
        putOutSilence()
        let taken = silence > 0 ? 0 : min(room, asideFrames.count)
        aside.withUnsafeBufferPointer { aside in
            guard taken > 0, let samples = aside.baseAddress else { return }
            (buffer + written * channels).update(
                from: samples + asideFrames.lowerBound * channels, count: taken * channels)
        }
        asideFrames = (asideFrames.lowerBound + taken)..<asideFrames.upperBound
        written += taken
        room -= taken
    }

    /// Puts out silent frames before the next block.
    func skip(_ frames: Int64) {
        if hasFramesAside, let count = Int(exactly: frames) {
            aside.replaceSubrange(
                (asideFrames.upperBound * channels)..., with: repeatElement(0, count: count * channels))
            asideFrames = asideFrames.lowerBound..<asideFrames.upperBound + count
        } else {
            silence += frames
            putOutSilence()
        }
    }

    private func putOutSilence() {
        let frames = Int(min(silence, Int64(room)))
        guard frames > 0, let destination else { return }
        (destination + written * channels).update(repeating: 0, count: frames * channels)
        silence -= Int64(frames)
        written += frames
        room -= frames
    }

    /// Ends a read; returns its number of frames.
    func end() -> Int {
        destination = nil
        room = 0
        return written
    }

    /// Discards the kept frames.
    func discard() {
        asideFrames = 0..<0
        silence = 0
    }

    /// Delivers a block of frames.
    ///
    /// - Parameters:
    ///   - planes: One array of integer samples for every channel.
    ///   - first: The first frame to take.
    ///   - frames: How many frames there are.
    func store(_ planes: UnsafePointer<UnsafePointer<Int32>?>, from first: Int = 0, frames: Int) {
        let direct = silence > 0 ? 0 : min(room, frames - first)
        if direct > 0, let destination {
            interleave(planes, from: first, frames: direct, into: destination + written * channels)
            written += direct
            room -= direct
        }
        let rest = frames - first - direct
        guard rest > 0 else { return }
        // Several blocks are kept only where libFLAC put silence in the place of others.
        let start = hasFramesAside ? asideFrames.upperBound : 0
        if aside.count < (start + rest) * channels {
            aside += repeatElement(0, count: (start + rest) * channels - aside.count)
        }
        aside.withUnsafeMutableBufferPointer { aside in
            guard let samples = aside.baseAddress else { return }
            interleave(planes, from: first + direct, frames: rest, into: samples + start * channels)
        }
        asideFrames = (hasFramesAside ? asideFrames.lowerBound : 0)..<start + rest
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
