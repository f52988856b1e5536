internal import Descant
internal import DescantTesting
internal import Synchronization

/// A ramp whose frames contain their own index, so that a recording shows which frames are missing.
final class RampSource: PCMSource {
    let name = "ramp"
    let format = PCMFormat(sampleRate: 48_000, channels: 2)
    let frameCount: Int64?

    private let next = Mutex<Int64>(0)

    init(frames: Int) { frameCount = Int64(frames) }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        next.withLock { next in
            let frames = Int(min(Int64(maxFrames), max(0, (frameCount ?? .max) - next)))
            for index in 0..<frames {
                for channel in 0..<2 {
                    buffer[2 * index + channel] = RampCode.sample(
                        of: next + Int64(index), channel: channel, channels: 2)
                }
            }
            next += Int64(frames)
            return frames
        }
    }

    func seek(toFrame frame: Int64) throws { next.withLock { $0 = frame } }
}
