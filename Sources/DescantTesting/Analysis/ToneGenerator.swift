internal import DescantCore
internal import Foundation

/// The samples of a tone, one by one.
struct ToneGenerator: Sendable {
    let frequency: Double
    let amplitude: Double
    let phase: Double
    let frames: Int
    private let step: Double

    /// `nil` when the signal is not a tone.
    init?(_ signal: TestSignal) {
        guard case .sine(let frequency, let amplitude, let phase) = signal.shape else { return nil }
        self.frequency = frequency
        self.amplitude = amplitude
        self.phase = phase
        frames = signal.frames
        step = 2 * .pi * frequency / Double(signal.format.sampleRate)
    }

    /// In radians, at a frame counted from the tone's first.
    func angle(at frame: Int) -> Double { phase + step * Double(frame) }

    func sample(at frame: Int) -> Double { amplitude * sin(phase + step * Double(frame)) }

    func sample(at frame: Double) -> Double { amplitude * sin(phase + step * frame) }
}
