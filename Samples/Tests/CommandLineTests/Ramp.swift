import AudioMeasurement
import Foundation

/// A signal whose samples contain their position: the left one counts in steps of 1/32768, the right one counts the
/// overflows of the left.
enum Ramp {
    private static let steps = 16_384

    static func write(to url: URL, seconds: Double) throws {
        let frames = Int(seconds * 44_100)
        var samples = [Float](repeating: 0, count: frames * 2)
        for frame in 0..<frames {
            samples[2 * frame] = Float(frame % steps) / 32_768
            samples[2 * frame + 1] = Float(frame / steps) / 32_768
        }
        try WaveFile.write(samples, sampleRate: 44_100, channels: 2, format: .integer(bits: 16), to: url)
    }

    /// The position in the file of a frame of captured 16 bit samples.
    static func position(in data: Data, frame: Int) -> Int {
        left(in: data, frame: frame) + sample(2 * frame + 1, of: data) * steps
    }

    /// The left sample of a frame, 0…16383.
    static func left(in data: Data, frame: Int) -> Int { sample(2 * frame, of: data) }

    private static func sample(_ index: Int, of data: Data) -> Int {
        Int(data[2 * index]) | Int(data[2 * index + 1]) << 8
    }
}
