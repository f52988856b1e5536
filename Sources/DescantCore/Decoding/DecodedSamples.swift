/// Checks of what a decoder gives.
package enum DecodedSamples {
    /// The frames that a decoder says it has written, checked against those that it was asked for.
    ///
    /// - Parameters:
    ///   - frames: What it says.
    ///   - maxFrames: How many it was asked for.
    ///   - decoder: The name in the error.
    /// - Throws: ``CoreError/decodeError(_:)`` for a negative number and for more frames than there was room for.
    package static func checked(
        _ frames: Int, of maxFrames: Int, from decoder: @autoclosure () -> String
    ) throws(CoreError) -> Int {
        guard frames >= 0, frames <= maxFrames else {
            throw .decodeError(
                "\(decoder()) gave \(frames) frames when asked for up to \(maxFrames); what it wrote cannot be trusted")
        }
        return frames
    }

    /// Replaces NaN, infinities and values that a sum could turn into one by silence: converters, filters and effects would keep them for
    /// ever.
    ///
    /// - Parameters:
    ///   - samples: The samples.
    ///   - count: How many there are.
    package static func silenceInvalid(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        let maximum: Float = 1e9
        // A pass without branches: such samples are rare.
        var invalid: UInt32 = 0
        for index in 0..<count { invalid |= samples[index].magnitude <= maximum ? 0 : 1 }
        guard invalid != 0 else { return }
        for index in 0..<count where !(samples[index].magnitude <= maximum) { samples[index] = 0 }
    }
}
