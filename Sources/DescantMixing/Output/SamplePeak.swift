/// Finds the maximum magnitude of a run of samples, eight at a time: the loop that every rendered sample goes through.
package enum SamplePeak {
    /// The maximum magnitude, 0 for no samples. A NaN counts as nothing.
    package static func of(_ samples: UnsafePointer<Float>, count: Int) -> Float {
        var lanes = SIMD8<Float>(repeating: 0)
        let raw = UnsafeRawPointer(samples)
        let whole = count & ~7
        var index = 0
        while index < whole {
            let eight = raw.loadUnaligned(
                fromByteOffset: index * MemoryLayout<Float>.stride, as: SIMD8<UInt32>.self)
            // Clearing the sign bit is the magnitude.
            let magnitude = unsafeBitCast(eight & SIMD8(repeating: 0x7FFF_FFFF), to: SIMD8<Float>.self)
            lanes.replace(with: magnitude, where: magnitude .> lanes)
            index += 8
        }
        var peak = lanes.max()
        while index < count {
            let magnitude = abs(samples[index])
            if magnitude > peak { peak = magnitude }
            index += 1
        }
        return peak
    }
}
