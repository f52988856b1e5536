package import DescantCore
package import DescantMixing

/// Makes converters on GStreamer's audio library.
package struct GstSampleConverterFactory: SampleConverterFactory {
    private let pool = ConverterPool()

    /// Creates a factory; any number can exist.
    package init() {}

    /// A converter between two shapes; equal shapes are copied.
    ///
    /// The first converter between two rates takes some 30 ms to make, a later one takes over the filter of one that is
    /// no longer used.
    ///
    /// - Throws: `CoreError.unsupported` for a rate or a number of channels that GStreamer does not convert.
    package func makeConverter(from input: PCMFormat, to output: PCMFormat) throws -> any SampleConverter {
        if input == output { return CopyingConverter(channels: input.channels) }
        return GstSampleConverter(try pool.take(from: input, to: output), from: input, to: output, pool: pool)
    }

    /// Makes a converter in advance, so that the first one that is needed is there at once.
    package func prewarm(from input: PCMFormat, to output: PCMFormat) throws {
        if input != output { pool.giveBack(try pool.take(from: input, to: output)) }
    }
}
