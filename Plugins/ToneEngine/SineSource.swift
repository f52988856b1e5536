internal import Descant
internal import Foundation
internal import Synchronization

/// A sine at half of full scale.
final class SineSource: PCMSource {
    let name: String
    let format: PCMFormat
    let frameCount: Int64?

    private let frequency: Double
    private let position = Mutex<Int64>(0)

    /// Reads `tone:440?seconds=2`; one second when no length is given.
    ///
    /// - Throws: `CoreError.invalidArgument` for anything else.
    init(_ url: URL, sampleRate: Int) throws {
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        let length = parts?.queryItems?.first { $0.name == "seconds" }?.value ?? "1"
        guard url.scheme == "tone", let frequency = Double(parts?.path ?? ""), let seconds = Double(length),
            frequency > 0, frequency < Double(sampleRate) / 2, seconds > 0, seconds < 86_400
        else {
            throw CoreError.invalidArgument("\(url.absoluteString): a tone looks like tone:440?seconds=2")
        }
        name = url.absoluteString
        format = PCMFormat(sampleRate: sampleRate, channels: 1)
        frameCount = format.frames(in: seconds)
        self.frequency = frequency
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        position.withLock { position in
            let first = position
            let frames = Int(min(Int64(maxFrames), (frameCount ?? 0) - first))
            let step = 2 * Double.pi * frequency / Double(format.sampleRate)
            for frame in 0..<frames { buffer[frame] = Float(0.5 * sin(step * Double(first + Int64(frame)))) }
            position += Int64(frames)
            return frames
        }
    }

    func seek(toFrame frame: Int64) throws { position.withLock { $0 = min(max(frame, 0), frameCount ?? 0) } }
}
