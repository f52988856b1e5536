/// The weights `G` that BS.1770-4 gives channels by their direction.
///
/// A loudspeaker between 60° and 120° to the side counts 1.41 (+1.5 dB), every other one 1, the LFE channel nothing.
public enum ChannelWeights {
    private static let side = 1.41

    /// Weights in the channel order of WAVE files: FL FR FC LFE, then surround pairs.
    ///
    /// - Parameter channels: Samples per frame. 4 is taken for a quadraphonic, 5 for a 5.0, 6 for a 5.1, 7 for a 6.1 and
    ///   8 for a 7.1 layout, whose back pair stands behind 120° and counts 1.
    /// - Returns: One weight a channel.
    public static func weights(forChannels channels: Int) -> [Double] {
        switch channels {
        case 4: [1, 1, side, side]
        case 5: [1, 1, 1, side, side]
        case 6: [1, 1, 1, 0, side, side]
        case 7: [1, 1, 1, 0, 1, side, side]
        case 8: [1, 1, 1, 0, 1, 1, side, side]
        default: Array(repeating: 1, count: channels)
        }
    }
}
