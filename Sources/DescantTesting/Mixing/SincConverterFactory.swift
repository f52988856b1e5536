internal import DescantCore
internal import DescantMixing

/// Makes converters without GStreamer.
struct SincConverterFactory: SampleConverterFactory {
    func makeConverter(from input: PCMFormat, to output: PCMFormat) throws -> any SampleConverter {
        guard input.channels == output.channels else {
            throw CoreError.unsupported("\(input.channels) channels to \(output.channels)")
        }
        return SincConverter(from: input, to: output)
    }
}
