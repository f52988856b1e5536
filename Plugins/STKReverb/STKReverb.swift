internal import CSTK
internal import Descant
internal import Foundation

/// The reverb FreeVerb of the Synthesis ToolKit, for one and two channels. A copy of a used reverb copies the toolkit's object before it
/// changes it.
struct STKReverb: AudioEffect {
    /// Whose state a copy of the effect shares until one of them changes it.
    ///
    /// `@unchecked` is safe: the pointer never changes, and the toolkit's object behind it is read and written in two places only.
    /// ``change(_:)`` writes when its effect holds the only reference, and an effect is mutated by one thread at a time. It copies when
    /// there are more references, while nobody writes, because a writer would have to be alone.
    private final class Unit: @unchecked Sendable {
        let pointer: OpaquePointer

        init?(_ pointer: OpaquePointer?) {
            guard let pointer else { return nil }
            self.pointer = pointer
        }

        deinit { cstk_reverb_free(pointer) }
    }

    let parameters = [
        EffectParameter("mix", name: "Mix", range: 0...1, defaultValue: 0.3),
        EffectParameter("size", name: "Room size", range: 0...1, defaultValue: 0.75),
        EffectParameter("damping", name: "Damping", range: 0...1, defaultValue: 0.25),
        EffectParameter("width", name: "Width", range: 0...1, defaultValue: 1),
    ]
    let latency = 0
    private var values: [String: Double]
    private var sampleRate = 44_100
    /// The toolkit's object; `nil` before the preparation.
    private var unit: Unit?

    init() { values = Dictionary(uniqueKeysWithValues: parameters.map { ($0.identifier, $0.defaultValue) }) }

    /// The longest comb filter, with the delays behind it: 1,640 frames at 44,100 Hz. Its feedback is 0.7 + 0.28 · size.
    var tail: Int {
        let feedback = 0.7 + 0.28 * (values["size"] ?? 0)
        let repetitions = log(1e-8) / log(feedback) + 10
        return Int(repetitions * 1_640 / 44_100 * Double(sampleRate))
    }

    mutating func prepare(_ format: PCMFormat, maximumFrames: Int) throws {
        guard (1...2).contains(format.channels) else {
            throw CoreError.unsupported("the reverb has one or two channels, not \(format.channels)")
        }
        guard let made = Unit(cstk_reverb_new(Double(format.sampleRate))) else {
            throw CoreError.ioError("the Synthesis ToolKit cannot make a reverb at \(format.sampleRate) Hz")
        }
        unit = made
        sampleRate = format.sampleRate
        applyValues()
    }

    mutating func setParameter(_ identifier: String, to value: Double) {
        guard let parameter = parameters.first(where: { $0.identifier == identifier }) else { return }
        values[identifier] = parameter.clamp(value)
        applyValues()
    }

    private mutating func applyValues() {
        change { [values] in
            let value = { values[$0] ?? 0 }
            cstk_reverb_set($0, value("mix"), value("size"), value("damping"), value("width"))
        }
    }

    mutating func process(_ block: EffectBlock) {
        guard let left = block[0].baseAddress, let right = block[block.channels - 1].baseAddress else { return }
        change { cstk_reverb_process($0, left, right, block.frames) }
    }

    mutating func reset() { change { cstk_reverb_reset($0) } }

    /// Changes the toolkit's object, which no other effect refers to afterwards.
    private mutating func change(_ body: (OpaquePointer) -> Void) {
        if !isKnownUniquelyReferenced(&unit), let shared = unit { unit = Unit(cstk_reverb_copy(shared.pointer)) }
        if let unit { body(unit.pointer) }
    }
}
