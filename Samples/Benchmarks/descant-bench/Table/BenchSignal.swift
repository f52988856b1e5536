internal import Descant
internal import Foundation
internal import Synchronization

/// A signal that costs a codec about as much as music: three moving tones over coloured noise.
final class BenchSignal: PCMSource {
    let name: String
    let format: PCMFormat
    let frameCount: Int64?

    private struct State {
        var frame: Int64 = 0
        var noise: UInt64
        var colour: Float = 0
    }

    private let seed: UInt64
    private let state: Mutex<State>

    init(format: PCMFormat, frames: Int64, seed: UInt64) {
        name = "signal \(seed)"
        self.format = format
        frameCount = frames
        self.seed = seed
        state = Mutex(State(noise: seed))
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        state.withLock { state in
            let frames = Int(min(Int64(maxFrames), max(0, (frameCount ?? .max) - state.frame)))
            for index in 0..<frames {
                let time = Double(state.frame + Int64(index)) / Double(format.sampleRate)
                let base = 110 * Double(seed)
                let tones =
                    sin(2 * .pi * base * time) + 0.5 * sin(2 * .pi * base * 2.01 * time) + 0.3
                    * sin(2 * .pi * 40 * time * time)
                for channel in 0..<format.channels {
                    state.noise = state.noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    let white = Float(Int32(truncatingIfNeeded: state.noise >> 32)) / Float(Int32.max)
                    state.colour += 0.2 * (white - state.colour)
                    buffer[index * format.channels + channel] = Float(tones) * 0.15 + state.colour * 0.15
                }
            }
            state.frame += Int64(frames)
            return frames
        }
    }

    func seek(toFrame frame: Int64) throws { state.withLock { $0.frame = frame } }
}

/// Tones one after another, without a step between them.
final class BenchTones: PCMSource {
    let name = "tones"
    let format: PCMFormat
    let frameCount: Int64?

    private let tones: [(pitch: Double, frames: Int64)]
    private let next = Mutex<Int64>(0)

    /// - Parameter tones: The pitch of each in Hz, and its length in seconds: a whole number of periods.
    init(format: PCMFormat, _ tones: [(pitch: Double, seconds: Double)]) {
        self.format = format
        self.tones = tones.map { ($0.pitch, format.frames(in: $0.seconds)) }
        frameCount = self.tones.reduce(0) { $0 + $1.frames }
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        next.withLock { next in
            let frames = Int(min(Int64(maxFrames), (frameCount ?? 0) - next))
            for index in 0..<frames {
                var frame = next + Int64(index)
                let tone = tones.first { tone in
                    if frame < tone.frames { return true }
                    frame -= tone.frames
                    return false
                }
                let phase = 2 * .pi * (tone?.pitch ?? 0) * Double(frame) / Double(format.sampleRate)
                for channel in 0..<format.channels { buffer[index * format.channels + channel] = Float(sin(phase)) / 4 }
            }
            next += Int64(frames)
            return frames
        }
    }

    func seek(toFrame frame: Int64) throws { next.withLock { $0 = frame } }
}
