/// Peak and RMS of the mix, linear, one element a channel.
public struct ChannelLevels: Sendable, Equatable {
    /// The maximum magnitude.
    public var peak: [Float]
    /// The root of the mean square.
    public var rms: [Float]

    /// Creates levels.
    ///
    /// - Parameters:
    ///   - peak: The maximum magnitude, a channel each.
    ///   - rms: The root of the mean square, a channel each.
    public init(peak: [Float], rms: [Float]) {
        self.peak = peak
        self.rms = rms
    }
}
