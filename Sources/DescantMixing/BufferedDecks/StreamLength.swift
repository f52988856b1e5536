internal import DescantCore

/// A stream's length in frames, out of its length in seconds. A length of 2^40 frames and more is a damaged header's: it
/// counts as unknown.
struct StreamLength {
    let frames: Int64?
    let isExact: Bool

    /// A duration that lies within this many frames of a whole number was counted in frames, not estimated.
    private static let rounding = 0.001

    init(frames: Int64?, isExact: Bool) {
        self.frames = frames
        self.isExact = isExact
    }

    init(_ info: StreamInfo) {
        let frames = info.duration * info.sampleRate
        guard frames.isFinite, frames > 0, frames < Double(FrameCount.limit) else {
            self.init(frames: nil, isExact: false)
            return
        }
        let count = FrameCount(clamping: frames).value
        self.init(frames: count, isExact: abs(frames - Double(count)) < Self.rounding)
    }
}
