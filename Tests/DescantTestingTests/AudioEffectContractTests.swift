import DescantCore
import DescantTesting
import Testing

@testable import DescantMixing

@Suite(.timeLimit(.minutes(2))) struct AudioEffectContractTests {
    @Test func equalizerAndEchoKeepTheContract() {
        let formats = [PCMFormat(sampleRate: 48_000, channels: 2), PCMFormat(sampleRate: 8_000, channels: 1)]
        #expect(AudioEffectContract(formats: formats) { EchoEffect() }.findings() == [])
        #expect(AudioEffectContract(formats: formats) { EqualizerEffect() }.findings() == [])
    }

    @Test(arguments: FaultyEffect.Fault.allCases) func brokenRulesAreFound(fault: FaultyEffect.Fault) {
        let found = AudioEffectContract { FaultyEffect(fault) }.findings()
        #expect(found.contains { $0.rule == fault.rawValue }, "\(found)")
    }

    /// Every mixer refuses such an effect.
    @Test(arguments: [-1, 1, 64, Int.max]) func anyLatencyIsFound(latency: Int) {
        var fault = EchoEffect.Fault()
        fault.latency = latency
        let found = AudioEffectContract { [fault] in EchoEffect(fault: fault) }.findings()
        #expect(found.contains { $0.rule == "the latency is 0, as mixers require" }, "\(found)")
    }
}

/// An echo that breaks one rule; the raw value is the rule.
struct FaultyEffect: AudioEffect {
    enum Fault: String, CaseIterable, Sendable {
        case throwing = "the formats can be prepared"
        case blocks = "the result does not depend on the blocks"
        case sharedState = "a copy continues as the original does"
        case reset = "a reset effect is as a fresh one"
        case clamping = "a value outside the range is clamped"
        case notFinite = "loud input gives finite samples"
        case tail = "the sound ends with the tail"
        case hum = "silence stays silence"
        case latency = "the latency is the one of an impulse"
        case range = "parameters have identifiers, finite ranges and defaults inside"
        case twins = "every parameter has its own identifier"
    }

    /// What copies of an effect share by mistake. `@unchecked` is safe: the contract calls an effect and its copies in one task, one after
    /// the other.
    private final class Count: @unchecked Sendable {
        var frames = 0
    }

    private let fault: Fault
    private var echo = EchoEffect()
    private var shared = Count()
    private var gain: Float = 1

    init(_ fault: Fault) { self.fault = fault }

    var parameters: [EffectParameter] {
        let gain = EffectParameter("gain", range: 0...1, defaultValue: fault == .range ? 2 : 1)
        return fault == .twins ? [gain, gain] : [gain]
    }

    var latency: Int { fault == .latency ? 100 : 0 }
    var tail: Int { fault == .tail ? 100 : echo.tail }

    mutating func prepare(_ format: PCMFormat, maximumFrames: Int) throws {
        if fault == .throwing { throw CoreError.unsupported("any format") }
        try echo.prepare(format, maximumFrames: maximumFrames)
    }

    mutating func setParameter(_ identifier: String, to value: Double) {
        guard identifier == "gain" else { return }
        gain = Float(fault == .clamping ? value : min(1, max(0, value)))
    }

    mutating func reset() { if fault != .reset { echo.reset() } }

    mutating func process(_ block: EffectBlock) {
        echo.process(block)
        for channel in 0..<block.channels {
            let row = block[channel]
            for frame in row.indices {
                row[frame] *= gain
                if fault == .notFinite, abs(row[frame]) > 1e5 { row[frame] = .infinity }
                if fault == .hum { row[frame] += 0.001 }
            }
        }
        if fault == .blocks { block[0][0] = 0 }
        if fault == .sharedState {
            shared.frames += block.frames
            block[0][0] = Float(shared.frames % 97)
        }
    }
}
