internal import Foundation

/// The demo's music, which this file synthesises: nothing is downloaded or recorded.
public enum DemoPiece: String, Sendable, CaseIterable {
    /// Plucked strings over a pad, 12 s.
    case lanternStreet = "Lantern Street"
    /// Electric piano with bass and brushes, 13 s.
    case lowTide = "Low Tide"
    /// Rain and slow surf, 10 s, made to loop without a seam.
    case rain = "Rain on the Roof"

    /// The artist that tags and names state.
    public static let artist = "Descant"

    /// Plays the piece.
    ///
    /// - Parameter sampleRate: Frames per second, in Hz.
    /// - Returns: Stereo sound with a peak of -4.4 dBFS (music) or -10.5 dBFS (rain), so that two pieces and the rain
    ///   fit together below full scale.
    public func render(sampleRate: Int = 44100) -> StereoBuffer {
        var sound =
            switch self {
            case .lanternStreet: Self.makeLanternStreet(sampleRate)
            case .lowTide: Self.makeLowTide(sampleRate)
            case .rain: Rainfall(sampleRate: sampleRate).render(seconds: 10)
            }
        sound.normalize(toPeak: self == .rain ? 0.3 : 0.6)
        return sound
    }

    /// 80 beats a minute, four bars of D maj9, B min7, G maj7, A 6, arpeggios of plucked strings.
    private static func makeLanternStreet(_ sampleRate: Int) -> StereoBuffer {
        let beat = 0.75
        let chords = [
            [50, 57, 61, 66, 69, 76], [47, 54, 57, 62, 66, 74], [43, 50, 54, 59, 66, 71], [45, 52, 57, 61, 66, 69],
        ]
        let pattern = [0, 2, 3, 4, 5, 4, 3, 2]
        let instrument = Instrument(sampleRate: sampleRate)
        var dry = StereoBuffer(seconds: 12, sampleRate: sampleRate)
        for (bar, chord) in chords.enumerated() {
            let start = Double(bar) * 4 * beat
            for (step, degree) in pattern.enumerated() where start + Double(step) * beat / 2 < 11.3 {
                let note = instrument.pluckedString(
                    note: chord[degree], seconds: 1.9, brightness: step == 0 ? 0.7 : 0.5,
                    seed: UInt64(bar * 8 + step + 1))
                let accent: Float = step % 4 == 0 ? 1 : 0.75
                dry.add(note, at: start + Double(step) * beat / 2, gain: 0.5 * accent, pan: Float(degree - 3) * 0.18)
            }
            for (index, note) in chord.dropFirst().prefix(3).enumerated() {
                dry.add(
                    instrument.pad(note: note, seconds: 3.6), at: max(0, start - 0.3), gain: 0.1,
                    pan: Float(index - 1) * 0.5)
            }
            dry.add(instrument.bass(note: chord[0] - 12, seconds: 2.8), at: start, gain: 0.32)
        }
        return roomy(dry, feedback: 0.8, amount: 0.5)
    }

    /// 92 beats a minute, F sharp minor 9, D maj7, E 7sus, C sharp min7 with a small melody on top.
    private static func makeLowTide(_ sampleRate: Int) -> StereoBuffer {
        let beat = 60.0 / 92
        let chords = [[42, 57, 61, 64, 68], [38, 57, 61, 66, 69], [40, 57, 59, 62, 66], [37, 56, 59, 64, 68]]
        let melody: [(beat: Double, note: Int)] = [
            (1.5, 73), (2.5, 76), (3.5, 80), (5, 78), (6.5, 76), (7.5, 73), (9, 74), (10, 76), (11.5, 71), (13, 73),
            (14.5, 68),
        ]
        let instrument = Instrument(sampleRate: sampleRate)
        var dry = StereoBuffer(seconds: 13, sampleRate: sampleRate)
        for (bar, chord) in chords.enumerated() {
            let start = Double(bar) * 4 * beat
            for (hit, length) in [(0.0, 2.4), (2.5, 1.2)] {
                for (voice, note) in chord.dropFirst().enumerated() {
                    let sound = instrument.electricPiano(
                        note: note, seconds: length * beat * 1.6, strength: hit == 0 ? 1 : 0.6)
                    dry.add(
                        sound, at: start + hit * beat + Double(voice) * 0.012, gain: 0.2, pan: Float(voice) * 0.3 - 0.45
                    )
                }
            }
            for (hit, note) in [(0.0, chord[0]), (1.5, chord[0]), (2.5, chord[0] + 7)] {
                dry.add(instrument.bass(note: note, seconds: 0.9), at: start + hit * beat, gain: 0.42)
            }
            for hit in 0..<8 {
                let swing = hit % 2 == 1 ? 0.08 : 0
                let sound = instrument.brush(seconds: 0.22, seed: UInt64(bar * 8 + hit + 7))
                dry.add(sound, at: start + (Double(hit) / 2 + swing) * beat, gain: hit % 4 == 2 ? 0.16 : 0.07, pan: 0.2)
            }
        }
        for note in melody {
            dry.add(
                instrument.electricPiano(note: note.note, seconds: 1.8, strength: 1.2), at: note.beat * beat,
                gain: 0.22, pan: 0.15)
        }
        return roomy(dry, feedback: 0.76, amount: 0.4)
    }

    private static func roomy(_ dry: StereoBuffer, feedback: Float, amount: Float) -> StereoBuffer {
        var sound = dry
        sound.add(Reverb(feedback: feedback).wet(of: dry), gain: amount)
        sound.transform { left, right in
            fadeEnd(&left, frames: dry.sampleRate / 2)
            fadeEnd(&right, frames: dry.sampleRate / 2)
        }
        return sound
    }

    private static func fadeEnd(_ samples: inout [Float], frames: Int) {
        for index in 0..<min(frames, samples.count) {
            samples[samples.count - 1 - index] *= Float(0.5 - 0.5 * cos(.pi * Double(index) / Double(frames)))
        }
    }
}
