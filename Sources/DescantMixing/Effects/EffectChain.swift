package import DescantCore

/// Effects in series over interleaved blocks. A copy continues as the original does.
///
/// A change of plan crossfades from the old effects to the new ones over 20 ms. Of changes during a fade, the newest is applied
/// after it. A chain without effects does not change a bit.
package struct EffectChain: Sendable {
    private struct Slot: Sendable {
        var id: EffectID
        var name: String
        var effect: any AudioEffect
        var hasFailed = false
    }

    private let format: PCMFormat
    private let fadeFrames: Int
    /// The plan of the last call.
    package private(set) var plan: EffectPlan
    /// The plan of ``next``, or else of ``present``.
    private var realised: EffectPlan
    private var present: [Slot]
    /// The effects that a fade leads to; empty without a fade.
    private var next: [Slot] = []
    /// Frames of the running fade that are left.
    private var fadeLeft = 0
    /// Frames without sound that have entered since the last sound, at most ``restFrames``.
    private var silentFrames = 0
    /// Frames without sound after which all effects are reset and not called.
    private var restFrames = 0
    /// Planar samples: what enters the effects, the result of the faded-in effects, and the input of one effect.
    private var memory: [Float] = []

    /// The maximum number of frames in a block of an effect.
    package static let maximumFrames = 2_048
    /// The silence behind the tails before the effects rest, in seconds; an effect may count time in pauses between notes.
    private static let restDelay = 0.5

    /// Creates a chain; its first plan needs no fade.
    package init(_ format: PCMFormat, plan: EffectPlan = EffectPlan([])) {
        self.format = format
        self.plan = plan
        realised = plan
        fadeFrames = max(1, format.sampleRate / 50)
        present = []
        present = slots(of: plan)
        startResting()
    }

    private init(_ format: PCMFormat, plan: EffectPlan, continuing slots: [Slot]) {
        self.init(format)
        self.plan = plan
        realised = plan
        present = slots
        present = self.slots(of: plan)
        for index in present.indices { present[index].effect.reset() }
        startResting()
    }

    /// Changes the plan from the next frame on.
    package mutating func set(_ plan: EffectPlan) {
        guard plan != self.plan else { return }
        self.plan = plan
        if fadeLeft == 0 { beginFade() }
    }

    /// A copy of the state, to continue from later. It has no working memory, which would be copied with the next block.
    package var snapshot: EffectChain {
        var copy = self
        copy.memory = []
        return copy
    }

    /// Whether samples pass unchanged.
    package var passesUntouched: Bool { fadeLeft == 0 && present.isEmpty }

    /// Forgets the sound so far and ends a fade.
    package mutating func reset() {
        self = EffectChain(format, plan: plan, continuing: fadeLeft > 0 ? next : present)
    }

    /// Whether silence stays silence and no fade is running.
    package var isAtRest: Bool { fadeLeft == 0 && (present.isEmpty || silentFrames >= restFrames) }

    /// The frames for which the effects go on to sound when no sound enters.
    package var remainingTail: Int { isAtRest ? 0 : max(fadeLeft, tail - silentFrames) }

    /// The frames for which the effects sound after the last sound.
    private var tail: Int {
        let longest = EffectPlan.maximumTail * format.sampleRate
        return present.reduce(0) { $0 + ($1.hasFailed ? 0 : min(longest, max(0, $1.effect.tail))) }
    }

    /// Processes a block in place.
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        let channels = format.channels
        var done = 0
        while done < frames, !passesUntouched {
            let part = samples + done * channels
            if isAtRest {
                let silent = Self.leadingSilence(of: part, frames: frames - done, channels: channels)
                done += silent
                guard done < frames else { return }
                silentFrames = 0
                continue
            }
            let limit = min(frames - done, Self.maximumFrames, fadeLeft > 0 ? fadeLeft : .max)
            let count = framesUntilRest(part, frames: limit)
            processPart(part, frames: count)
            if isAtRest { for index in present.indices { present[index].effect.reset() } }
            done += count
        }
    }

    // MARK: Silence

    private static func leadingSilence(of samples: UnsafePointer<Float>, frames: Int, channels: Int) -> Int {
        var index = 0
        while index < frames * channels, samples[index] == 0 { index += 1 }
        return index / channels
    }

    /// Counts silence; returns the frames until the effects rest, or all of them.
    private mutating func framesUntilRest(_ samples: UnsafePointer<Float>, frames: Int) -> Int {
        let channels = format.channels
        for frame in 0..<frames {
            var isSilent = true
            for channel in 0..<channels where samples[frame * channels + channel] != 0 { isSilent = false }
            silentFrames = isSilent ? min(restFrames, silentFrames + 1) : 0
            if silentFrames >= restFrames, fadeLeft == 0 { return frame + 1 }
        }
        return frames
    }

    private mutating func startResting() {
        restFrames = tail + max(1, Int(Self.restDelay * Double(format.sampleRate)))
        silentFrames = restFrames
    }

    // MARK: Effects

    /// The effects of a plan; those that sound already continue with their state.
    private func slots(of plan: EffectPlan) -> [Slot] {
        plan.entries.map { entry in
            var slot =
                present.first { $0.id == entry.id } ?? Slot(id: entry.id, name: entry.name, effect: entry.effect)
            for parameter in slot.effect.parameters {
                let value = entry.values[parameter.identifier] ?? parameter.defaultValue
                slot.effect.setParameter(parameter.identifier, to: parameter.clamp(value))
            }
            return slot
        }
    }

    private mutating func beginFade() {
        guard plan != realised else { return }
        let rested = isAtRest
        realised = plan
        let slots = slots(of: plan)
        if slots.isEmpty, present.isEmpty { return }
        next = slots
        fadeLeft = fadeFrames
        if !rested { silentFrames = 0 }
    }

    private mutating func processPart(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        let (channels, stride) = (format.channels, Self.maximumFrames)
        let size = channels * stride
        var memory: [Float] = []
        swap(&memory, &self.memory)
        if memory.isEmpty { memory = [Float](repeating: 0, count: 3 * size) }
        memory.withUnsafeMutableBufferPointer { buffer in
            guard let old = buffer.baseAddress else { return }
            let (new, dry) = (old + size, old + 2 * size)
            for channel in 0..<channels {
                for frame in 0..<frames { old[channel * stride + frame] = samples[frame * channels + channel] }
            }
            if fadeLeft > 0 { new.update(from: old, count: size) }
            Self.run(&present, on: old, dry: dry, frames: frames, channels: channels, plan: realised)
            if fadeLeft > 0 {
                Self.run(&next, on: new, dry: dry, frames: frames, channels: channels, plan: realised)
                crossfade(old, new, frames: frames)
            }
            for channel in 0..<channels {
                for frame in 0..<frames { samples[frame * channels + channel] = old[channel * stride + frame] }
            }
        }
        swap(&memory, &self.memory)
        endFade(after: frames)
    }

    /// Passes planar samples through effects. Samples that are not finite are replaced by the effect's input.
    private static func run(
        _ slots: inout [Slot], on memory: UnsafeMutablePointer<Float>, dry: UnsafeMutablePointer<Float>, frames: Int,
        channels: Int, plan: EffectPlan
    ) {
        let stride = maximumFrames
        let block = EffectBlock(samples: memory, channels: channels, frames: frames, stride: stride)
        for index in slots.indices where !slots[index].hasFailed {
            for channel in 0..<channels {
                (dry + channel * stride).update(from: memory + channel * stride, count: frames)
            }
            slots[index].effect.process(block)
            guard !(0..<channels).allSatisfy({ isFinite(block[$0]) }) else { continue }
            for channel in 0..<channels {
                (memory + channel * stride).update(from: dry + channel * stride, count: frames)
            }
            slots[index].hasFailed = true
            plan.onFailure(
                EffectFailure(
                    id: slots[index].id, name: slots[index].name, reason: "the effect gave samples that are not finite")
            )
        }
    }

    private static func isFinite(_ samples: UnsafeMutableBufferPointer<Float>) -> Bool {
        // A product with 0 is 0 for finite samples, and otherwise not a number.
        var sum: Float = 0
        for sample in samples { sum += sample * 0 }
        return sum == 0
    }

    private func crossfade(_ old: UnsafeMutablePointer<Float>, _ new: UnsafePointer<Float>, frames: Int) {
        for frame in 0..<frames {
            let share = Float(fadeFrames - fadeLeft + frame) / Float(fadeFrames)
            for channel in 0..<format.channels {
                let index = channel * Self.maximumFrames + frame
                old[index] += (new[index] - old[index]) * share
            }
        }
    }

    private mutating func endFade(after frames: Int) {
        guard fadeLeft > 0 else { return }
        fadeLeft -= frames
        guard fadeLeft == 0 else { return }
        let rested = silentFrames >= restFrames
        present = next
        next = []
        startResting()
        if !rested, !present.isEmpty { silentFrames = 0 }
        beginFade()
    }
}
