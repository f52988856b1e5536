internal import Foundation

/// Makes speech faster or slower and keeps its pitch: overlapping windows are taken from places where the waveforms agree
/// (WSOLA: W. Verhelst, M. Roelands, "An overlap-add technique based on waveform similarity", ICASSP 1993).
///
/// Mono; gives exactly the input's length over the rate.
struct SpeechStretcher {
    private let rate: Double
    private let hop: Int
    private let reach: Int
    private let window: [Float]
    /// Input from `inputStart` on; what lies before is not needed any more.
    private var input: [Float] = []
    private var inputStart = 0
    private var inputEnd: Int { inputStart + input.count }
    private var hasEnded = false
    /// Where the window before was taken from.
    private var last: Int?
    /// The second half of the window before, faded out.
    private var tail: [Float]
    private var windows = 0
    /// Output frames that were given.
    private var given = 0
    private var ready: [Float] = []

    /// Creates a stretcher.
    ///
    /// - Parameters:
    ///   - rate: Input frames for each output frame.
    ///   - sampleRate: Frames per second.
    init(rate: Double, sampleRate: Int) {
        self.rate = rate
        hop = max(16, sampleRate / 100)
        reach = max(8, sampleRate / 140)
        let hop = hop
        window = (0..<2 * hop).map { Float(0.5 - 0.5 * cos(Double.pi * Double($0) / Double(hop))) }
        tail = [Float](repeating: 0, count: hop)
    }

    /// Frames of input that are needed before more comes out; what was given before counts.
    var inputNeeded: Int { Int(Double(windows) * rate * Double(hop)) + 2 * reach + 3 * hop }

    /// How many input frames it has taken.
    var inputTaken: Int { inputEnd }

    /// Takes input.
    mutating func take(_ samples: [Float]) { input.append(contentsOf: samples) }

    /// Nothing follows what was taken.
    mutating func end() { hasEnded = true }

    /// Gives output, as much as there is.
    ///
    /// - Returns: How many frames were written; 0 when input is missing, or at the end.
    mutating func give(to target: UnsafeMutablePointer<Float>, maxFrames: Int) -> Int {
        while ready.count < maxFrames, step() {}
        var count = min(ready.count, maxFrames)
        if hasEnded { count = min(count, Int((Double(inputEnd) / rate).rounded()) - given) }
        guard count > 0 else { return 0 }
        ready.withUnsafeBufferPointer { samples in
            if let base = samples.baseAddress { target.update(from: base, count: count) }
        }
        ready.removeFirst(count)
        given += count
        return count
    }

    /// Whether everything was given.
    var isDone: Bool { hasEnded && given >= Int((Double(inputEnd) / rate).rounded()) }

    /// Adds one window; returns whether there was enough input.
    private mutating func step() -> Bool {
        guard inputEnd >= inputNeeded || hasEnded, !isDone else { return false }
        let nominal = Int(Double(windows) * rate * Double(hop))
        let start = last.map { best(around: nominal, continuing: $0 + hop) } ?? nominal
        for index in 0..<hop {
            // The very first window has nothing to fade over.
            let gain: Float = last == nil ? 1 : window[index]
            ready.append(tail[index] + gain * sample(start + index))
        }
        for index in 0..<hop { tail[index] = window[hop + index] * sample(start + hop + index) }
        last = start
        windows += 1
        forget(before: min(start + hop, Int(Double(windows) * rate * Double(hop)) - reach))
        return true
    }

    private func sample(_ index: Int) -> Float {
        let place = index - inputStart
        return place >= 0 && place < input.count ? input[place] : 0
    }

    /// The place near the nominal one that agrees best with how the last window went on: every fourth place first, then the
    /// neighbours of the best of them.
    private func best(around nominal: Int, continuing natural: Int) -> Int {
        var found = nominal
        var maximum = -Float.infinity
        func look(_ places: StrideThrough<Int>, step: Int) {
            for place in places where place >= inputStart {
                let likeness = likeness(place, natural, step: step)
                if likeness > maximum { (maximum, found) = (likeness, place) }
            }
        }
        look(stride(from: nominal - reach, through: nominal + reach, by: 4), step: 2)
        maximum = -Float.infinity
        let coarse = found
        look(stride(from: coarse - 3, through: coarse + 3, by: 1), step: 1)
        return found
    }

    private func likeness(_ left: Int, _ right: Int, step: Int) -> Float {
        var product: Float = 0
        var energy: Float = 1e-9
        var index = 0
        while index < hop {
            let sample = sample(left + index)
            product += sample * self.sample(right + index)
            energy += sample * sample
            index += step
        }
        return product / energy.squareRoot()
    }

    private mutating func forget(before index: Int) {
        let surplus = min(index - inputStart, input.count)
        guard surplus > 4_096 else { return }
        input.removeFirst(surplus)
        inputStart += surplus
    }
}
