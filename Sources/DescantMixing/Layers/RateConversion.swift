internal import DescantCore

/// A sample-rate converter with counts of its input and output frames, so that the output is exact to the frame. One
/// voice may hand it to the next: a gapless join of two decks of one rate is then one continuous stream.
struct RateConversion {
    var converter: any SampleConverter
    let inputRate: Int
    let outputRate: Int
    var framesIn: Int64 = 0
    var framesOut: Int64 = 0

    /// The input that is still inside the converter, in seconds.
    var secondsInside: Double { Double(framesIn) / Double(inputRate) - Double(framesOut) / Double(outputRate) }

    /// The output frames still due for the input so far and for `further` input frames. The total is ceil(in × output
    /// rate / input rate).
    func framesDue(after further: Int64) -> Int64 {
        (FrameCount(clamping: framesIn) + FrameCount(clamping: further)).converted(from: inputRate, to: outputRate)
            .value
            - framesOut
    }
}
