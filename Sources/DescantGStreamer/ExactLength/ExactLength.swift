internal import DescantCore

/// The length of a file to the frame, as its headers tell it.
struct ExactLength: Sendable, Equatable {
    /// Frames of sound, without a codec's delay and padding.
    var frames: Int64
    /// Frames per second, in Hz.
    var sampleRate: Int
}
