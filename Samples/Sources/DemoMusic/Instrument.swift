internal import Foundation

/// The instruments of the demo, each a function from a note to its samples.
struct Instrument {
    let sampleRate: Int
    private let rate: Double

    init(sampleRate: Int) {
        self.sampleRate = sampleRate
        rate = Double(sampleRate)
    }

    /// The frequency of a MIDI note number, A4 = 69 = 440 Hz.
    static func frequency(ofNote note: Int) -> Double { 440 * pow(2, Double(note - 69) / 12) }

    /// A plucked string after Karplus and Strong: noise in a delay line with a gentle low-pass in its loop.
    func pluckedString(note: Int, seconds: Double, brightness: Float = 0.5, seed: UInt64) -> [Float] {
        let period = rate / Self.frequency(ofNote: note)
        let length = max(2, Int(period - 0.5))
        // The averaging filter delays by half a sample; the rest of the period is tuned by an all-pass.
        let fraction = Float(period - 0.5 - Double(length))
        let tuning = (1 - fraction) / (1 + fraction)
        var noise = NoiseSource(seed: seed)
        var line = (0..<length).map { _ in noise.next() }
        soften(&line, by: 1 - brightness)
        var output = [Float](repeating: 0, count: Int(seconds * rate))
        let loss = Float(pow(0.001, period / rate / seconds / 0.9))
        var last: Float = 0
        var (allPassInput, allPassOutput): (Float, Float) = (0, 0)
        for frame in output.indices {
            let present = line[frame % length]
            let averaged = loss * 0.5 * (present + last)
            last = present
            let tuned = tuning * (averaged - allPassOutput) + allPassInput
            (allPassInput, allPassOutput) = (averaged, tuned)
            line[frame % length] = tuned
            output[frame] = present
        }
        return faded(output, attack: 0.002, release: 0.05)
    }

    /// An electric piano: a sine whose phase a second one, 14 times as fast at the strike, modulates and leaves.
    func electricPiano(note: Int, seconds: Double, strength: Double = 1) -> [Float] {
        let frequency = Self.frequency(ofNote: note)
        let output = (0..<Int(seconds * rate)).map { frame -> Float in
            let time = Double(frame) / rate
            let phase = 2 * .pi * frequency * time
            let body = sin(phase + 0.9 * strength * exp(-time * 3) * sin(phase))
            let bell = 0.16 * strength * exp(-time * 9) * sin(phase + 1.4 * exp(-time * 12) * sin(14 * phase))
            return Float((body + bell) * exp(-time * 1.4))
        }
        return faded(output, attack: 0.004, release: 0.15)
    }

    /// A soft pad: three slightly detuned voices with few overtones that swell and vanish.
    func pad(note: Int, seconds: Double) -> [Float] {
        let frequency = Self.frequency(ofNote: note)
        let output = (0..<Int(seconds * rate)).map { frame -> Float in
            let time = Double(frame) / rate
            var value = 0.0
            for detune in [0.997, 1, 1.0035] {
                let phase = 2 * .pi * frequency * detune * time
                value += sin(phase) + 0.3 * sin(2 * phase + 0.4) + 0.12 * sin(3 * phase + 1)
            }
            return Float(value / 4 * (1 + 0.08 * sin(2 * .pi * 0.4 * time)))
        }
        return faded(output, attack: seconds * 0.35, release: seconds * 0.4)
    }

    /// A round bass: a sine and its octave with a quick decay of the octave.
    func bass(note: Int, seconds: Double) -> [Float] {
        let frequency = Self.frequency(ofNote: note)
        let output = (0..<Int(seconds * rate)).map { frame -> Float in
            let time = Double(frame) / rate
            let phase = 2 * .pi * frequency * time
            return Float((sin(phase) + 0.35 * exp(-time * 6) * sin(2 * phase)) * exp(-time * 1.1))
        }
        return faded(output, attack: 0.008, release: 0.08)
    }

    /// A brush on a snare: a short breath of high noise.
    func brush(seconds: Double, seed: UInt64) -> [Float] {
        var noise = NoiseSource(seed: seed)
        var previous: Float = 0
        let output = (0..<Int(seconds * rate)).map { frame -> Float in
            let sample = noise.next()
            defer { previous = sample }
            return (sample - previous) * 0.5 * Float(exp(-Double(frame) / rate * 18))
        }
        return faded(output, attack: 0.003, release: 0.03)
    }

    private func soften(_ line: inout [Float], by amount: Float) {
        for _ in 0..<2 {
            var last = line[line.count - 1]
            for index in line.indices {
                last = last * amount + line[index] * (1 - amount)
                line[index] = last
            }
        }
        let mean = line.reduce(0, +) / Float(line.count)
        let peak = line.lazy.map { abs($0 - mean) }.max() ?? 1
        for index in line.indices { line[index] = (line[index] - mean) / max(peak, 1e-6) }
    }

    /// Raised-cosine edges, so that no note clicks.
    private func faded(_ sound: [Float], attack: Double, release: Double) -> [Float] {
        var sound = sound
        for (edge, isAttack) in [(attack, true), (release, false)] {
            let count = min(sound.count, Int(edge * rate))
            for index in 0..<count {
                let gain = Float(0.5 - 0.5 * cos(.pi * Double(index) / Double(count)))
                sound[isAttack ? index : sound.count - 1 - index] *= gain
            }
        }
        return sound
    }
}
