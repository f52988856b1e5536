/// The code by which each frame of a ramp contains its own index.
///
/// With two or more channels the first carries the index's low 12 bits and the second one more than its high bits,
/// both in steps of 2^-13; further channels repeat the first. A single channel carries one more than the index modulo
/// 32,767, in steps of 2^-15. No frame is all zero, so silence cannot be taken for a frame, and all values fit into
/// 16 bits.
public enum RampCode {
    /// Indices repeat after this many frames.
    ///
    /// - Parameter channels: Samples per frame.
    public static func period(channels: Int) -> Int64 { channels == 1 ? 32_767 : 4_095 * 4_096 }

    /// The sample that encodes an index.
    ///
    /// - Parameters:
    ///   - index: The frame's index, 0 or more.
    ///   - channel: 0 for the first channel.
    ///   - channels: Samples per frame.
    public static func sample(of index: Int64, channel: Int, channels: Int) -> Float {
        let index = index % period(channels: channels)
        if channels == 1 { return Float(index + 1) / 32_768 }
        return channel == 1 ? Float(index / 4_096 + 1) / 8_192 : Float(index % 4_096) / 8_192
    }

    /// The index of a frame, modulo the period; `nil` for a frame that is not part of a ramp.
    ///
    /// - Parameter frame: One frame's samples, one element a channel.
    public static func index(of frame: some Collection<Float>) -> Int64? {
        guard let first = frame.first else { return nil }
        return index(first: first, second: frame.dropFirst().first)
    }

    /// The index of a frame; `second` is `nil` for a single channel.
    static func index(first: Float, second: Float?) -> Int64? {
        guard let second else {
            guard let value = step(first * 32_768), value > 0 else { return nil }
            return value - 1
        }
        guard let low = step(first * 8_192), let high = step(second * 8_192), (0..<4_096).contains(low), high > 0 else {
            return nil
        }
        return (high - 1) * 4_096 + low
    }

    /// The nearest whole number; `nil` when the value differs from it by more than rounding errors of the mixer explain.
    private static func step(_ value: Float) -> Int64? {
        let rounded = value.rounded()
        return abs(value - rounded) < 0.02 && abs(rounded) < 65_536 ? Int64(rounded) : nil
    }
}
