package import DescantCore

/// Converts interleaved Float32 PCM from one rate or channel count to another, in one continuous stream.
///
/// Used by one thread at a time.
package protocol SampleConverter: AnyObject {
    /// Converts frames; the converter keeps what it needs for the next call.
    ///
    /// - Parameters:
    ///   - input: Interleaved input frames; `nil` feeds silence.
    ///   - frames: How many.
    ///   - output: Receives the converted frames, appended.
    func convert(_ input: UnsafePointer<Float>?, frames: Int, appendingTo output: inout [Float])

    /// Input frames that must follow before the present ones have come out completely.
    var latency: Int { get }

    /// Forgets the past.
    func reset()
}

/// Makes converters.
package protocol SampleConverterFactory: Sendable {
    /// A converter between two shapes.
    ///
    /// - Throws: `CoreError.unsupported` when there is none.
    func makeConverter(from input: PCMFormat, to output: PCMFormat) throws -> any SampleConverter
}
