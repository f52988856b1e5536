internal import Foundation

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
            // Drops keep away from the seam: none begins in the last tenth of a second.
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
