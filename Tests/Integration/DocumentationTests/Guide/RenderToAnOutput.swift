import Descant
import Foundation

/// Renders samples to an output until it has accepted all of them.
func render(_ samples: [Float], channels: Int, sampleRate: Double, to output: any AudioOutputPort) throws {
    try output.configure(sampleRate: sampleRate, channels: channels, framesPerBuffer: 4_096)
    try output.start()
    defer { output.stop() }
    try samples.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return }
        let frames = samples.count / channels
        var done = 0
        // A file soon has room. For a device, try again when some pending frames were played.
        while done < frames { done += try output.render(start + done * channels, frameCount: frames - done) }
    }
}
