package import DescantCore
package import DescantMixing

/// Makes converters: ``PolyphaseConverter`` for the usual changes of rate, GStreamer's audio library for the others.
package struct GstSampleConverterFactory: SampleConverterFactory {
    private let pool = ConverterPool()

    /// Creates a factory; any number can exist.
    package init() {}

    /// A converter between two shapes; equal shapes are copied.
    ///
    /// A change of channels alone uses a ``ChannelMap``, a change of rate alone a `PolyphaseConverter`. GStreamer
    /// converts rates without a small ratio, such as 44,056 and 48,000 Hz, and changes of both. Its first converter
    /// between two rates takes some 30 ms to make; a later one reuses the filter of a converter that is no longer used.
    ///
    /// - Throws: `CoreError.unsupported` for a rate outside `PCMFormat.supportedSampleRates` and for more than 8 channels.
    package func makeConverter(from input: PCMFormat, to output: PCMFormat) throws -> any SampleConverter {
        try Self.check(input)
        try Self.check(output)
        if input.sampleRate == output.sampleRate {
            let speakers = ChannelMap.speakers(channels: input.channels)
            return ChannelConverter(ChannelMap(speakers: speakers, outputs: output.channels))
        }
        if let converter = rateConverter(from: input, to: output) { return converter }
        return GstSampleConverter(try pool.take(from: input, to: output), from: input, to: output, pool: pool)
    }

    /// Refuses a format before anything is allocated: the size of a filter grows with the rates of a file's header.
    private static func check(_ format: PCMFormat) throws {
        let rates = PCMFormat.supportedSampleRates
        guard rates.contains(format.sampleRate), (1...8).contains(format.channels) else {
            throw CoreError.unsupported(
                "\(format.channels) channels at \(format.sampleRate) Hz cannot be converted; 1 to 8 channels at "
                    + "\(rates.lowerBound) to \(rates.upperBound) Hz are possible")
        }
    }

    private func rateConverter(from input: PCMFormat, to output: PCMFormat) -> PolyphaseConverter? {
        guard input.channels == output.channels, (1...8).contains(input.channels) else { return nil }
        return PolyphaseConverter(from: input.sampleRate, to: output.sampleRate, channels: input.channels)
    }
}

/// Converts the number of channels at the same sample rate; equal formats are copied.
private final class ChannelConverter: SampleConverter {
    let latency = 0
    private let map: ChannelMap

    init(_ map: ChannelMap) { self.map = map }

    func convert(_ input: UnsafePointer<Float>?, frames: Int, appendingTo output: inout [Float]) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: frames * map.outputs))
        guard let input else { return }
        output.withUnsafeMutableBufferPointer { memory in
            if let base = memory.baseAddress { map.apply(input, to: base + start, frames: frames) }
        }
    }

    func reset() {}
}
