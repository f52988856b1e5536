/// The random numbers of a shuffled playlist: SplitMix64, whose sequence depends on the seed alone, on every machine and with
/// every version of Swift.
struct ShuffleGenerator: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A number in 0..<bound.
    mutating func below(_ bound: Int) -> Int {
        // 32 random bits times the bound: even enough for lists that fit into memory, and without a loop.
        Int(((next() >> 32) &* UInt64(bound)) >> 32)
    }

    /// Brings elements into random order.
    mutating func shuffle(_ elements: inout ArraySlice<UInt32>) {
        let start = elements.startIndex
        var last = elements.count - 1
        while last > 0 {
            elements.swapAt(start + last, start + below(last + 1))
            last -= 1
        }
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
