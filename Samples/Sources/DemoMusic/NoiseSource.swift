/// White noise that is the same on every run (splitmix64).
struct NoiseSource {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// The next value, -1…1.
    mutating func next() -> Float {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Float(mixed >> 40) / Float(1 << 23) - 1
    }
}
