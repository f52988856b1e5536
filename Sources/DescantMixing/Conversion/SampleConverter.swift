package import DescantCore

/// Converts interleaved Float32 PCM from one rate or channel count to another, in one continuous stream.
///
/// Used by one thread at a time.
package protocol SampleConverter: AnyObject {
    /// Converts frames.
    ///
    /// - Parameters:
    ///   - input: Interleaved input frames; `nil` for silence.
    ///   - frames: How many.
    ///   - output: Receives the converted frames, appended.
    func convert(_ input: UnsafePointer<Float>?, frames: Int, appendingTo output: inout [Float])

    /// The input frames that must follow before the present ones are output completely.
    var latency: Int { get }

    /// Resets the state for another stream.
    func reset()

    /// A converter in the same state; `nil` when there is none.
    func copy() -> (any SampleConverter)?
}

extension SampleConverter {
    package func copy() -> (any SampleConverter)? { nil }
}

/// Makes converters.
package protocol SampleConverterFactory: Sendable {
    /// A converter between two shapes.
    ///
    /// - Throws: `CoreError.unsupported` when there is none.
    func makeConverter(from input: PCMFormat, to output: PCMFormat) throws -> any SampleConverter
}

/// Changes the speed of interleaved Float32 PCM without its pitch. Used by one thread at a time.
package protocol TempoChanger: AnyObject {
    /// Stretches the next frames.
    ///
    /// - Parameters:
    ///   - input: Interleaved frames.
    ///   - frames: How many.
    ///   - output: Receives the stretched frames, appended.
    func stretch(_ input: UnsafePointer<Float>, frames: Int, appendingTo output: inout [Float])

    /// Flushes the changer at the end of a stream, so that the total output is the input's length divided by the rate.
    func drain(appendingTo output: inout [Float])
}

/// Makes tempo changers.
package protocol TempoChangerFactory: Sendable {
    /// A changer for one stream at one speed.
    ///
    /// - Parameters:
    ///   - format: The shape of input and output.
    ///   - rate: Input frames per output frame, 0.5…3.
    /// - Throws: `CoreError.unsupported` when there is none.
    func makeTempoChanger(format: PCMFormat, rate: Double) throws -> any TempoChanger
}
