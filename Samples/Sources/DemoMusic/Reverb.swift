/// A small room after Schroeder: four combs side by side, then two all-passes, a little different on each side.
struct Reverb {
    private static let combs = [1557, 1617, 1491, 1422]
    private static let allPasses = [225, 556]

    let feedback: Float

    /// The room's answer alone, without the dry sound.
    func wet(of dry: StereoBuffer) -> StereoBuffer {
        var wet = dry
        wet.transform { left, right in
            left = answer(to: left, spread: 0)
            right = answer(to: right, spread: 23)
        }
        return wet
    }

    private func answer(to dry: [Float], spread: Int) -> [Float] {
        var sum = [Float](repeating: 0, count: dry.count)
        for length in Self.combs { comb(dry, length: length + spread, into: &sum) }
        for length in Self.allPasses { sum = allPass(sum, length: length + spread) }
        return sum
    }

    private func comb(_ input: [Float], length: Int, into sum: inout [Float]) {
        var line = [Float](repeating: 0, count: length)
        var damped: Float = 0
        for (index, sample) in input.enumerated() {
            let delayed = line[index % length]
            damped += 0.6 * (delayed - damped)
            line[index % length] = sample + damped * feedback
            sum[index] += delayed * 0.25
        }
    }

    private func allPass(_ input: [Float], length: Int) -> [Float] {
        var line = [Float](repeating: 0, count: length)
        return input.enumerated().map { index, sample in
            let delayed = line[index % length]
            let stored = sample + delayed * 0.5
            line[index % length] = stored
            return delayed - stored * 0.5
        }
    }
}
