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

/// Changes the speed of interleaved Float32 PCM and keeps its pitch. Used by one thread at a time.
package protocol TempoChanger: AnyObject {
    /// Stretches the next frames; the changer keeps what it needs for the next call.
    ///
    /// - Parameters:
    ///   - input: Interleaved frames.
    ///   - frames: How many.
    ///   - output: Receives the stretched frames, appended.
    func stretch(_ input: UnsafePointer<Float>, frames: Int, appendingTo output: inout [Float])

    /// Gives what is still inside at the end of a stream, so that all output together is the input's length over the rate.
    func drain(appendingTo output: inout [Float])
}

/// Makes tempo changers.
package protocol TempoChangerFactory: Sendable {
    /// A changer for one stream at one speed.
    ///
    /// - Parameters:
    ///   - format: The shape of input and output.
    ///   - rate: Input frames for each output frame, 0.5…3.
    /// - Throws: `CoreError.unsupported` when there is none.
    func makeTempoChanger(format: PCMFormat, rate: Double) throws -> any TempoChanger
}
