import Descant
import Foundation

/// Hands samples to an output until it has taken them all.
func render(_ samples: [Float], channels: Int, sampleRate: Double, to output: any AudioOutputPort) throws {
    try output.configure(sampleRate: sampleRate, channels: channels, framesPerBuffer: 4_096)
    try output.start()
    defer { output.stop() }
    try samples.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return }
        let frames = samples.count / channels
        var done = 0
        // A file always has room soon. For a device, come back when some of what is pending was played.
        while done < frames { done += try output.render(start + done * channels, frameCount: frames - done) }
    }
}
