internal import CGStreamer
internal import DescantCore
internal import DescantMixing

/// Converts sample rate and channels of one continuous stream with GstAudioConverter; the division into calls has no
/// effect.
///
/// The resampler is a windowed sinc at its best quality (stop band 120 dB). The first output frame belongs to the first
/// input frame. A frame is output when ``latency`` further input frames are there. After n input frames and `latency`
/// frames of silence, at least ceil(n × output rate / input rate) frames were output and at most one more, which the
/// caller removes.
final class GstSampleConverter: SampleConverter {
    private let converter: IdleConverter
    private let pool: ConverterPool
    private let inputRate: Int
    private let outputRate: Int
    private let inputChannels: Int
    private let outputChannels: Int
    /// Output frames since the filter was at its first phase.
    private var produced = 0

    init(_ converter: IdleConverter, from input: PCMFormat, to output: PCMFormat, pool: ConverterPool) {
        self.converter = converter
        self.pool = pool
        inputRate = input.sampleRate
        outputRate = output.sampleRate
        inputChannels = input.channels
        outputChannels = output.channels
    }

    deinit {
        reset()
        pool.giveBack(converter)
    }

    // Half the filter, and one frame for an incomplete output step.
    var latency: Int {
        inputRate == outputRate ? 0 : Int(gst_audio_converter_get_max_latency(converter.pointer)) + 1
    }

    func convert(_ input: UnsafePointer<Float>?, frames: Int, appendingTo output: inout [Float]) {
        guard frames > 0 else { return }
        let count = Int(gst_audio_converter_get_out_frames(converter.pointer, gsize(frames)))
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: count * outputChannels))
        output.withUnsafeMutableBufferPointer { memory in
            guard let base = memory.baseAddress else { return }
            run(input, frames: frames, into: base + start, producing: count)
        }
    }

    /// Forgets the past.
    ///
    /// GStreamer's reset empties the filter but keeps its phase. So silence is converted first until the filter is at
    /// its first phase.
    func reset() {
        let cycle = outputRate / Self.greatestCommonDivisor(inputRate, outputRate)
        let missing = (cycle - produced % cycle) % cycle
        if missing > 0 {
            let frames = Int(gst_audio_converter_get_in_frames(converter.pointer, gsize(missing))) + latency
            var waste = [Float](repeating: 0, count: missing * outputChannels)
            waste.withUnsafeMutableBufferPointer { memory in
                guard let base = memory.baseAddress else { return }
                run(nil, frames: frames, into: base, producing: missing)
            }
        }
        gst_audio_converter_reset(converter.pointer)
        produced = 0
    }

    private func run(
        _ input: UnsafePointer<Float>?, frames: Int, into output: UnsafeMutablePointer<Float>, producing count: Int
    ) {
        guard let input else {
            // GStreamer takes NULL for silence, but then leaves the output unwritten for some shapes.
            let silence = [Float](repeating: 0, count: frames * inputChannels)
            return silence.withUnsafeBufferPointer { memory in
                guard let base = memory.baseAddress else { return }
                run(base, frames: frames, into: output, producing: count)
            }
        }
        produced += count
        var target: gpointer? = gpointer(output)
        // GStreamer does not write to the input: the flag that would allow it is not set.
        var source: gpointer? = gpointer(mutating: input)
        gst_audio_converter_samples(
            converter.pointer, GST_AUDIO_CONVERTER_FLAG_NONE, &source, gsize(frames), &target, gsize(count))
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}
