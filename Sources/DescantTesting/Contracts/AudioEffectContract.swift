public import DescantCore
internal import Foundation

/// Checks the rules that every effect must keep; see `AudioEffect` for the rules in full.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#effect -->
/// ```swift
/// let contract = AudioEffectContract { MyEffect() }
/// #expect(contract.findings() == [])
/// ```
public struct AudioEffectContract: Sendable {
    /// Formats that the effect must accept; at least one.
    public var formats: [PCMFormat]
    private let make: @Sendable () throws -> any AudioEffect

    /// The maximum number of frames in a block of the checks.
    private static let maximumFrames = 4_096
    /// What counts as silence behind a tail: -120 dBFS.
    private static let silence: Float = 1e-6

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - formats: Formats that the effect must accept.
    ///   - make: Makes a fresh effect.
    public init(
        formats: [PCMFormat] = [PCMFormat(sampleRate: 48_000, channels: 2)],
        make: @escaping @Sendable () throws -> any AudioEffect
    ) {
        self.formats = formats
        self.make = make
    }

    /// Runs every check. An effect with a long tail takes as long as it needs for the silence.
    ///
    /// - Returns: The broken rules; empty for an effect that keeps the contract.
    public func findings() -> [ContractFinding] {
        var collector = FindingCollector()
        collector.expect(!formats.isEmpty, "the contract needs a format", seen: "none")
        for format in formats {
            do {
                checkDescription(try make(), into: &collector)
                let rig = EffectRig(try prepared(format), format: format)
                checkBlocks(rig, into: &collector)
                checkCopies(rig, into: &collector)
                checkReset(rig, into: &collector)
                checkParameters(rig, into: &collector)
                checkExtremes(rig, into: &collector)
                checkTail(rig, into: &collector)
                checkLatency(rig, into: &collector)
            } catch {
                collector.expect(false, "the formats can be prepared", seen: "\(format): \(error)")
            }
        }
        return collector.findings
    }

    private func prepared(_ format: PCMFormat) throws -> any AudioEffect {
        var effect = try make()
        try effect.prepare(format, maximumFrames: Self.maximumFrames)
        return effect
    }

    private func checkDescription(_ effect: any AudioEffect, into collector: inout FindingCollector) {
        let parameters = effect.parameters
        collector.expect(
            parameters.allSatisfy { $0.problem == nil },
            "parameters have identifiers, finite ranges and defaults inside",
            seen: "\(parameters.compactMap(\.problem))")
        collector.expect(
            Set(parameters.map(\.identifier)).count == parameters.count, "every parameter has its own identifier",
            seen: "\(parameters.map(\.identifier))")
    }

    private func checkBlocks(_ rig: EffectRig, into collector: inout FindingCollector) {
        let noise = rig.noise
        let whole = rig.process(noise, block: Self.maximumFrames)
        for block in [1, 7, 512] {
            collector.expect(
                rig.process(noise, block: block) == whole, "the result does not depend on the blocks",
                seen: "other samples with blocks of \(block) frames than with blocks of \(Self.maximumFrames)")
        }
    }

    private func checkCopies(_ rig: EffectRig, into collector: inout FindingCollector) {
        var first = rig
        _ = first.advance(rig.noise)
        var second = first
        let expected = first.advance(rig.otherNoise)
        collector.expect(
            second.advance(rig.otherNoise) == expected, "a copy continues as the original does",
            seen: "other samples from a copy after the original has continued")
    }

    private func checkReset(_ rig: EffectRig, into collector: inout FindingCollector) {
        var used = rig
        _ = used.advance(rig.noise)
        used.effect.reset()
        var fresh = rig
        collector.expect(
            used.advance(rig.otherNoise) == fresh.advance(rig.otherNoise), "a reset effect is as a fresh one",
            seen: "other samples after a reset")
    }

    private func checkParameters(_ rig: EffectRig, into collector: inout FindingCollector) {
        for parameter in rig.effect.parameters {
            for (edge, beyond) in [(parameter.minimum, -1e30), (parameter.maximum, 1e30)] {
                var (clamped, wild) = (rig, rig)
                clamped.effect.setParameter(parameter.identifier, to: edge)
                wild.effect.setParameter(parameter.identifier, to: beyond)
                let expected = clamped.advance(rig.noise)
                collector.expect(
                    expected.allSatisfy(\.isFinite), "samples are finite with every value of a parameter",
                    seen: "\(parameter.identifier) at \(edge)")
                collector.expect(
                    wild.advance(rig.noise) == expected, "a value outside the range is clamped",
                    seen: "\(parameter.identifier) set to \(beyond) is not as \(edge)")
                collector.expect(
                    clamped.effect.latency >= 0 && clamped.effect.tail >= 0, "latency and tail are 0 or more",
                    seen: "\(clamped.effect.latency) and \(clamped.effect.tail) frames")
            }
        }
        var unknown = rig
        unknown.effect.setParameter("no such parameter", to: 1)
        var fresh = rig
        collector.expect(
            unknown.advance(rig.noise) == fresh.advance(rig.noise), "an unknown parameter changes nothing",
            seen: "other samples")
    }

    private func checkExtremes(_ rig: EffectRig, into collector: inout FindingCollector) {
        var extreme = rig
        let samples = rig.noise.indices.map { index -> Float in
            switch index % 5 {
            case 0: 1e6
            case 1: -1e6
            case 2: .leastNonzeroMagnitude
            case 3: -0.0
            default: 1
            }
        }
        collector.expect(
            extreme.advance(samples).allSatisfy(\.isFinite), "loud input gives finite samples",
            seen: "samples that are not finite from a peak of 1,000,000")
    }

    private func checkTail(_ rig: EffectRig, into collector: inout FindingCollector) {
        var rig = rig
        let tail = rig.effect.tail
        collector.expect(
            tail >= 0 && tail <= 60 * rig.format.sampleRate, "the tail is 0 to 60 s", seen: "\(tail) frames")
        var silent = rig
        collector.expect(
            silent.advance([Float](repeating: 0, count: rig.noise.count)).allSatisfy { abs($0) <= Self.silence },
            "silence stays silence", seen: "sound without input")
        _ = rig.advance(rig.noise)
        let length = min(max(0, tail), 60 * rig.format.sampleRate)
        _ = rig.advance([Float](repeating: 0, count: length * rig.format.channels))
        let rest = rig.advance([Float](repeating: 0, count: rig.format.sampleRate / 10 * rig.format.channels))
        let peak = rest.map(abs).max() ?? 0
        collector.expect(
            peak <= Self.silence, "the sound ends with the tail", seen: "a peak of \(peak) behind \(tail) frames")
    }

    /// An effect may change the first frame of a sound, but not lead it into the frames before its latency.
    private func checkLatency(_ rig: EffectRig, into collector: inout FindingCollector) {
        let latency = rig.effect.latency
        collector.expect(latency == 0, "the latency is 0, as mixers require", seen: "\(latency) frames")
        // The impulse needs memory for all of the latency.
        guard latency > 0, latency <= rig.format.sampleRate else { return }
        var rig = rig
        var impulse = [Float](repeating: 0, count: (latency + 4_800) * rig.format.channels)
        for channel in 0..<rig.format.channels { impulse[channel] = 1 }
        let response = rig.advance(impulse)
        let first = response.firstIndex { abs($0) > Self.silence }.map { $0 / rig.format.channels }
        collector.expect(
            first == latency, "the latency is the one of an impulse",
            seen: "\(first.map(String.init) ?? "no") frames instead of \(latency)")
    }
}

/// A prepared effect that processes interleaved samples; a copy has a state of its own.
private struct EffectRig {
    var effect: any AudioEffect
    let format: PCMFormat
    private static let maximumFrames = 4_096

    init(_ effect: any AudioEffect, format: PCMFormat) {
        self.effect = effect
        self.format = format
    }

    /// 10,000 frames; the seed is the effect's input, not its result.
    var noise: [Float] { samples(seed: 1) }
    var otherNoise: [Float] { samples(seed: 2) }

    private func samples(seed: UInt64) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        return (0..<10_000 * format.channels).map { _ in Float.random(in: -0.5...0.5, using: &generator) }
    }

    /// The result of a copy, in blocks of a length.
    func process(_ samples: [Float], block: Int) -> [Float] {
        var copy = self
        return copy.advance(samples, block: block)
    }

    /// Continues with interleaved samples.
    mutating func advance(_ samples: [Float], block: Int = maximumFrames) -> [Float] {
        let (channels, stride) = (format.channels, Self.maximumFrames)
        var result = samples
        var planar = [Float](repeating: 0, count: channels * stride)
        var done = 0
        while done < samples.count / channels {
            let count = min(block, samples.count / channels - done)
            for channel in 0..<channels {
                for frame in 0..<count {
                    planar[channel * stride + frame] = samples[(done + frame) * channels + channel]
                }
            }
            planar.withUnsafeMutableBufferPointer { planar in
                guard let base = planar.baseAddress else { return }
                effect.process(EffectBlock(samples: base, channels: channels, frames: count, stride: stride))
            }
            for channel in 0..<channels {
                for frame in 0..<count {
                    result[(done + frame) * channels + channel] = planar[channel * stride + frame]
                }
            }
            done += count
        }
        return result
    }
}
