internal import DescantCore
internal import DescantMixing
internal import Foundation

/// Converts sample rates with a windowed sinc; plain and slow, for tests of a mixer without GStreamer.
///
/// Output frame k lies at input position k × input rate / output rate, without delay.
final class SincConverter: SampleConverter {
    /// Zero crossings on either side of a frame.
    private static let reach = 32

    private let ratio: Double
    private let inputRate: Int
    private let outputRate: Int
    private let channels: Int
    /// Input from `start` on, interleaved.
    private var history: [Float] = []
    private var start: Int64 = 0
    private var framesOut: Int64 = 0

    init(from input: PCMFormat, to output: PCMFormat) {
        inputRate = input.sampleRate
        outputRate = output.sampleRate
        ratio = Double(input.sampleRate) / Double(output.sampleRate)
        channels = input.channels
        reset()
    }

    private init(copying other: SincConverter) {
        inputRate = other.inputRate
        outputRate = other.outputRate
        ratio = other.ratio
        channels = other.channels
        history = other.history
        start = other.start
        framesOut = other.framesOut
    }

    func copy() -> (any SampleConverter)? { SincConverter(copying: self) }

    var latency: Int { Int((Double(Self.reach) * max(1, ratio)).rounded(.up)) + 1 }

    func reset() {
        // The input before the first frame is silence.
        history = [Float](repeating: 0, count: latency * channels)
        start = -Int64(latency)
        framesOut = 0
    }

    func convert(_ input: UnsafePointer<Float>?, frames: Int, appendingTo output: inout [Float]) {
        if let input {
            history += UnsafeBufferPointer(start: input, count: frames * channels)
        } else {
            history += [Float](repeating: 0, count: frames * channels)
        }
        let end = start + Int64(history.count / channels)
        while position(of: framesOut) + Double(latency) < Double(end) {
            appendFrame(at: position(of: framesOut), to: &output)
            framesOut += 1
        }
        let keep = Int64(position(of: framesOut)) - Int64(latency)
        if keep > start {
            history.removeFirst(Int(keep - start) * channels)
            start = keep
        }
    }

    private func position(of frame: Int64) -> Double {
        Double(frame) * Double(inputRate) / Double(outputRate)
    }

    private func appendFrame(at position: Double, to output: inout [Float]) {
        let cutoff = min(1, 1 / ratio)
        let span = Double(Self.reach) / cutoff
        let first = Int64((position - span).rounded(.up))
        let last = Int64((position + span).rounded(.down))
        var sums = [Double](repeating: 0, count: channels)
        for frame in first...last {
            let distance = Double(frame) - position
            let weight = cutoff * sinc(distance * cutoff) * window(distance / span)
            let index = Int(frame - start) * channels
            for channel in 0..<channels { sums[channel] += weight * Double(history[index + channel]) }
        }
        output += sums.map(Float.init)
    }

    private func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }

    /// Blackman's window over -1…1.
    private func window(_ x: Double) -> Double { 0.42 + 0.5 * cos(.pi * x) + 0.08 * cos(2 * .pi * x) }
}
