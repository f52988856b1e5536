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

    /// An electric piano: a sine with phase modulation by a second sine of 14 times its frequency, which decays after the
    /// strike.
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

    /// A soft pad: three slightly detuned voices with few overtones that fade in and out.
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

/// Rain, drops and a slow surf that loop without a seam.
struct Rainfall {
    let sampleRate: Int

    func render(seconds: Double) -> StereoBuffer {
        var sound = StereoBuffer(seconds: seconds, sampleRate: sampleRate)
        let frames = sound.frames
        sound.transform { left, right in
            left = hiss(frames: frames, seed: 11, phase: 0)
            right = hiss(frames: frames, seed: 12, phase: 0.3)
        }
        var random = NoiseSource(seed: 99)
        for _ in 0..<Int(seconds * 9) {
            // No drop begins in the last tenth of a second, so that none is cut at the seam.
            let time = Double(random.next() + 1) / 2 * (seconds - 0.1)
            sound.add(
                drop(pitch: 900 + 700 * Double(random.next())), at: time, gain: 0.05 + 0.04 * random.next(),
                pan: random.next())
        }
        return sound
    }

    /// Low-passed noise whose level swells twice a loop. Its last second fades into sound from before its first
    /// sample, so the end leads into the beginning.
    private func hiss(frames: Int, seed: UInt64, phase: Double) -> [Float] {
        let overlap = sampleRate
        var noise = NoiseSource(seed: seed)
        var (soft, deep): (Float, Float) = (0, 0)
        let raw = (0..<frames + overlap).map { frame -> Float in
            let white = noise.next()
            soft += 0.18 * (white - soft)
            deep += 0.012 * (white - deep)
            let position = Double(frame - overlap) / Double(frames)
            let swell = Float(0.5 - 0.5 * cos(2 * .pi * (2 * position + phase)))
            return soft * 0.22 + deep * (0.5 + 1.6 * swell)
        }
        return (0..<frames).map { frame in
            let fromEnd = frames - frame
            guard fromEnd <= overlap else { return raw[frame + overlap] }
            let progress = Float(overlap - fromEnd) / Float(overlap) * .pi / 2
            return raw[frame + overlap] * cos(progress) + raw[overlap - fromEnd] * sin(progress)
        }
    }

    private func drop(pitch: Double) -> [Float] {
        let rate = Double(sampleRate)
        return (0..<Int(0.08 * rate)).map { frame in
            let time = Double(frame) / rate
            let attack = min(1, time / 0.002)
            return Float(attack * exp(-time * 70) * sin(2 * .pi * (pitch + 2500 * time) * time))
        }
    }
}
