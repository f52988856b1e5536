extension UnsafeMutablePointer<Float> {
    /// Replaces NaN, infinities and values that a sum could turn into one by silence: converters, filters and effects would keep them for
    /// ever.
    ///
    /// - Parameter count: How many samples.
    func silenceInvalid(count: Int) {
        let maximum: Float = 1e9
        // A pass without branches: such samples are rare.
        var invalid: UInt32 = 0
        for index in 0..<count { invalid |= self[index].magnitude <= maximum ? 0 : 1 }
        guard invalid != 0 else { return }
        for index in 0..<count where !(self[index].magnitude <= maximum) { self[index] = 0 }
    }
}
