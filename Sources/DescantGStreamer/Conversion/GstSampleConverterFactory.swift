package import DescantCore
package import DescantMixing

/// Makes converters: of our own for the usual changes of rate, on GStreamer's audio library for everything else.
package struct GstSampleConverterFactory: SampleConverterFactory {
    private let pool = ConverterPool()

    /// Creates a factory; any number can exist.
    package init() {}

    /// A converter between two shapes; equal shapes are copied.
    ///
    /// A change of channels alone follows ``ChannelMap``, a change of rate alone is a `PolyphaseConverter`'s work. Rates without a
    /// small ratio, such as 44,056 and 48,000 Hz, and both changes at once are GStreamer's: its first converter between two rates takes some 30 ms to make, a later one takes
    /// over the filter of one that is no longer used.
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

    /// Makes a converter in advance, so that the first one that is needed is there at once.
    package func prewarm(from input: PCMFormat, to output: PCMFormat) throws {
        try Self.check(input)
        try Self.check(output)
        guard input.sampleRate != output.sampleRate, rateConverter(from: input, to: output) == nil else { return }
        pool.giveBack(try pool.take(from: input, to: output))
    }

    /// Refuses a shape before anything is allocated for it: a filter grows with the rates that a header announces.
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

/// Brings channels to those of another shape and leaves the sample rate as it is; equal shapes are copied.
final class ChannelConverter: SampleConverter {
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
