public import DescantCore
internal import Foundation

/// Compares a rendered crossfade of two tones with the ideal one.
///
/// The outgoing tone sounds alone until its last `overlap` frames, over which both tones are heard, then the incoming
/// one sounds alone to its end. The envelopes are measured in windows of 25 ms, so frequencies that are multiples of
/// 40 Hz at 48 kHz give the smallest errors.
public struct CrossfadeAnalysis: Sendable {
    /// How far a rendering is from the ideal.
    public struct Measurement: Sendable, Hashable {
        /// The maximum difference of a sample from the ideal, in dBFS.
        public var residual: Double
        /// The frame of the maximum difference.
        public var residualFrame: Int
        /// The maximum error of the outgoing tone's envelope where it is above 0.03 of its amplitude, in dB.
        public var outgoingEnvelopeError: Double
        /// The same of the incoming tone's envelope, in dB.
        public var incomingEnvelopeError: Double
        /// How many frames too late the incoming tone began.
        public var startError: Double
        /// Frames rendered in excess of the ideal length.
        public var excessFrames: Int
    }

    private let outgoing: ToneGenerator
    private let incoming: ToneGenerator
    private let curve: FadeCurve
    private let overlap: Int
    private let format: PCMFormat
    /// The frame at which the incoming tone begins.
    private let start: Int
    private let window: Int

    /// Prepares the ideal.
    ///
    /// - Parameters:
    ///   - outgoing: The first tone.
    ///   - incoming: The second tone, of the same format; longer than the overlap by 50 ms at least.
    ///   - curve: The curve of the crossfade.
    ///   - overlap: The length of the crossfade in frames.
    /// - Throws: `CoreError.invalidArgument` when a signal is not a tone or their formats differ.
    public init(outgoing: TestSignal, incoming: TestSignal, curve: FadeCurve, overlap: Int) throws {
        guard let first = ToneGenerator(outgoing), let second = ToneGenerator(incoming),
            outgoing.format == incoming.format
        else { throw CoreError.invalidArgument("a crossfade is measured between two tones of one format") }
        self.outgoing = first
        self.incoming = second
        self.curve = curve
        self.overlap = overlap
        format = outgoing.format
        start = outgoing.frames - overlap
        window = outgoing.format.sampleRate / 40
    }

    /// Measures a rendering that begins with the outgoing tone's first frame.
    ///
    /// - Parameter rendered: The rendering, in the tones' format; every channel counts.
    public func measure(_ rendered: SampleBuffer) -> Measurement {
        let ideal = idealSamples()
        var residual = (0.0, 0)
        for channel in 0..<format.channels {
            let found = maximumDifference(rendered.channel(channel), ideal)
            if found.0 >= residual.0 { residual = found }
        }
        let samples = rendered.channel(0)
        return Measurement(
            residual: Decibels.of(residual.0), residualFrame: residual.1,
            outgoingEnvelopeError: envelopeError(of: outgoing, began: 0, in: samples, ideal: ideal),
            incomingEnvelopeError: envelopeError(of: incoming, began: start, in: samples, ideal: ideal),
            startError: startError(in: samples), excessFrames: rendered.frameCount - start - incoming.frames)
    }

    /// One channel of the ideal crossfade.
    public func idealSamples() -> [Float] {
        let total = start + incoming.frames
        return [Float](unsafeUninitializedCapacity: total) { target, count in
            count = total
            for frame in 0..<total {
                if frame < start {
                    target[frame] = Float(outgoing.sample(at: frame))
                } else if frame >= start + overlap {
                    target[frame] = Float(incoming.sample(at: frame - start))
                } else {
                    let progress = Double(frame - start) / Double(overlap)
                    target[frame] = Float(
                        outgoing.sample(at: frame) * curve.inverseGain(at: progress)
                            + incoming.sample(at: frame - start) * curve.gain(at: progress))
                }
            }
        }
    }

    private func maximumDifference(_ samples: [Float], _ ideal: [Float]) -> (Double, Int) {
        let common = min(samples.count, ideal.count)
        return samples.withUnsafeBufferPointer { samples in
            ideal.withUnsafeBufferPointer { ideal in
                var maximum = (Float(0), 0)
                for frame in 0..<common {
                    let difference = (samples[frame] - ideal[frame]).magnitude
                    if !(difference <= maximum.0) { maximum = (difference.isNaN ? .infinity : difference, frame) }
                }
                return (Double(maximum.0), maximum.1)
            }
        }
    }

    /// Compares a tone's envelope during the overlap with its ideal one, window by window. Both are demodulated in the
    /// same way, so that the residue of the other tone in a window cancels out.
    private func envelopeError(
        of tone: ToneGenerator, began: Int, in samples: [Float], ideal: [Float]
    ) -> Double {
        var maximum = 0.0
        for index in 0..<overlap / window {
            let first = start + index * window
            guard first + window <= min(samples.count, ideal.count) else { break }
            let wanted = amplitude(of: tone, began: began, in: ideal, from: first)
            guard wanted > 0.03 * tone.amplitude else { continue }
            let measured = amplitude(of: tone, began: began, in: samples, from: first)
            maximum = max(maximum, abs(20 * log10(max(measured, 1e-9) / wanted)))
        }
        return maximum
    }

    /// The amplitude of a tone in one window, by demodulation with an oscillator whose phase advances by a fixed angle
    /// per frame.
    private func amplitude(of tone: ToneGenerator, began: Int, in samples: [Float], from first: Int) -> Double {
        let start = tone.angle(at: first - began)
        let turn = tone.angle(at: 1) - tone.angle(at: 0)
        let (turnReal, turnImaginary) = (cos(turn), sin(turn))
        var (c, s) = (cos(start), sin(start))
        var (real, imaginary) = (0.0, 0.0)
        samples.withUnsafeBufferPointer { samples in
            for frame in first..<first + window {
                let sample = Double(samples[frame])
                real += sample * c
                imaginary += sample * s
                let next = c * turnReal - s * turnImaginary
                s = c * turnImaginary + s * turnReal
                c = next
            }
        }
        return 2 * hypot(real, imaginary) / Double(window)
    }

    /// The incoming tone's phase after the crossfade gives its start modulo one period. The number of whole periods is
    /// the one that leaves the smallest residual within the crossfade.
    private func startError(in samples: [Float]) -> Double {
        let alone = start + overlap + window..<min(samples.count, start + overlap + 41 * window)
        guard alone.count >= window else { return .infinity }
        let fit = ToneFit(
            frequency: incoming.frequency, in: samples, frames: alone, sampleRate: format.sampleRate)
        let period = Double(format.sampleRate) / incoming.frequency
        let late = -(fit.phase - incoming.angle(at: -start)) / (2 * .pi) * period
        let fraction = late - (late / period).rounded() * period
        let reach = Int(0.05 * Double(format.sampleRate) / period)
        let candidates = (-reach...reach).map { fraction + Double($0) * period }
        return candidates.min { energy(late: $0, in: samples) < energy(late: $1, in: samples) } ?? fraction
    }

    /// The residual's energy at a thousand frames of the crossfade if it had begun `late` frames later.
    private func energy(late: Double, in samples: [Float]) -> Double {
        let stride = max(1, overlap / 1_000)
        var sum = 0.0
        var frame = start
        while frame < min(start + overlap, samples.count) {
            let since = Double(frame - start) - late
            let progress = since / Double(overlap)
            var ideal = outgoing.sample(at: frame) * curve.inverseGain(at: progress)
            if since >= 0 { ideal += incoming.sample(at: since) * curve.gain(at: progress) }
            let difference = Double(samples[frame]) - ideal
            sum += difference * difference
            frame += stride
        }
        return sum
    }
}
