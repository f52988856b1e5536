/// A stream's length in frames, and what is compared with it while the stream is read. A length of 2^40 frames or more comes from a
/// damaged header and counts as unknown.
package struct StreamLength: Sendable {
    /// The number of frames; `nil` when it is unknown.
    package let frames: Int64?
    /// Whether the frames were counted, not estimated.
    package let isExact: Bool

    /// A duration within this many frames of a whole number was counted in frames, not estimated.
    private static let rounding = 0.001

    package init(frames: Int64?, isExact: Bool) {
        self.frames = frames
        self.isExact = isExact
    }

    /// The length that a decoder announces.
    package init(_ info: StreamInfo) {
        let frames = info.duration * info.sampleRate
        guard frames.isFinite, frames > 0, frames < Double(FrameCount.limit) else {
            self.init(frames: nil, isExact: false)
            return
        }
        let count = FrameCount(clamping: frames).value
        self.init(frames: count, isExact: abs(frames - Double(count)) < Self.rounding)
    }

    /// The error of a stream that continues far beyond its length; `nil` before that.
    ///
    /// - Parameters:
    ///   - position: The frame behind the last one that was read.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - unannouncedDuration: The maximum duration of a stream without a length, in seconds.
    ///   - decoder: The name in the error.
    package func excess(
        at position: Int64, sampleRate: Int, unannouncedDuration: Double, from decoder: @autoclosure () -> String
    ) -> CoreError? {
        let limit = limit(sampleRate: Double(sampleRate), unannouncedDuration)
        guard position > limit else { return nil }
        let announced = frames.map { "announced \($0) frames" } ?? "announced no length"
        return .decodeError("\(decoder()) \(announced) and did not end after \(limit); it was stopped")
    }

    /// A counted length plus 1 s and 1 %; an estimated length plus a minute and 100 %.
    private func limit(sampleRate: Double, _ unannouncedDuration: Double) -> Int64 {
        guard let frames else { return FrameCount(seconds: unannouncedDuration, sampleRate: sampleRate).value }
        let more = isExact ? Double(frames) / 100 + sampleRate : Double(frames) + 60 * sampleRate
        return (FrameCount(clamping: frames) + FrameCount(clamping: more)).value
    }

    /// The error of a stream that has ended before its length. Only for counted lengths, and for more than a millisecond: a length in
    /// seconds may be rounded.
    ///
    /// - Parameters:
    ///   - position: The frame at which it has ended.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - decoder: The name in the error.
    package func shortage(at position: Int64, sampleRate: Int, from decoder: @autoclosure () -> String) -> CoreError? {
        guard let frames, isExact else { return nil }
        let missing = frames - position
        guard missing > Int64(sampleRate / 1_000) else { return nil }
        return .decodeError("\(decoder()) announced \(frames) frames and ended \(missing) before that")
    }
}

extension DecoderPort {
    /// Whether the decoder checks the length of an open stream itself, so that its caller does not.
    ///
    /// A decoder of many formats (``ContentRecognizer``) reports a file that is cut off, and announces some lengths that are estimates. It
    /// gives all frames of a file that is longer than its header says, and those of a station as long as it sends.
    package func checksLength(of handle: DecodeHandle) -> Bool {
        if let registry = self as? RegistryDecoder { return registry.isCheckedByFallback(handle) }
        return self is any ContentRecognizer
    }
}
