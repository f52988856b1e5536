internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// The settings of an output, which streaming threads read without waiting.
final class MixSettings: Sendable {
    let wantsLevels = Atomic(false)
    let wantsTap = Atomic(false)
    /// The frames for which the effects of the sum sound after the last sound.
    let effectTail = Atomic(0)
    private let volume = Mutex<Double?>(nil)
    private let limiter = Mutex(SettingTimeline(true))
    private let equalizer = Mutex(SettingTimeline(EqualizerSettings()))
    private let effects = Mutex(SettingTimeline(EffectPlan([])))

    /// Turns the limiter on or off from a frame on.
    func setLimiter(enabled: Bool, from frame: Int64) { limiter.withLock { $0.set(enabled, from: frame) } }

    /// Whether the limiter is on at a frame, and for how many frames.
    func limiter(at frame: Int64) -> (value: Bool, frames: Int64) { limiter.withLock { $0.value(at: frame) } }

    /// Sets the equaliser from a frame on.
    func setEqualizer(_ settings: EqualizerSettings, from frame: Int64) {
        equalizer.withLock { $0.set(settings, from: frame) }
    }

    /// The equaliser's settings at a frame, and for how many frames they are valid.
    func equalizer(at frame: Int64) -> (value: EqualizerSettings, frames: Int64) {
        equalizer.withLock { $0.value(at: frame) }
    }

    /// Sets the effects of the sum from a frame on.
    func setEffects(_ plan: EffectPlan, from frame: Int64) {
        effects.withLock { $0.set(plan, from: frame) }
        effectTail.store(plan.tail, ordering: .relaxed)
    }

    /// The effects at a frame, and for how many frames they are valid.
    func effects(at frame: Int64) -> (value: EffectPlan, frames: Int64) { effects.withLock { $0.value(at: frame) } }

    /// Drops settings that are valid only before a frame.
    func forget(before frame: Int64) {
        limiter.withLock { $0.forget(before: frame) }
        equalizer.withLock { $0.forget(before: frame) }
        effects.withLock { $0.forget(before: frame) }
    }

    /// Sets the master gain; it takes effect at the next rendered frame.
    func requestVolume(_ gain: Double) { volume.withLock { $0 = gain } }

    /// Takes the gain that was set since the last call.
    func takeRequestedVolume() -> Double? {
        volume.withLock { gain in
            defer { gain = nil }
            return gain
        }
    }
}

/// A setting that changes at frames of an output's timeline. A change applies to the next rendered frame, while the
/// processing of the sum is some frames behind.
struct SettingTimeline<Value: Sendable>: Sendable {
    /// In the order of the frames; never empty.
    private var changes: [(frame: Int64, value: Value)]

    /// A setting without a change.
    init(_ value: Value) { changes = [(Int64.min, value)] }

    /// The last value.
    var final: Value { changes[changes.count - 1].value }

    /// Changes the setting from a frame on; later changes are dropped.
    mutating func set(_ value: Value, from frame: Int64) {
        changes.removeAll { $0.frame >= frame }
        changes.append((frame, value))
    }

    /// The value at a frame, and the number of frames for which it is valid.
    func value(at frame: Int64) -> (value: Value, frames: Int64) {
        let next = changes.dropFirst().firstIndex { $0.frame > frame } ?? changes.count
        return (changes[next - 1].value, next < changes.count ? changes[next].frame - frame : Int64.max)
    }

    /// Drops values that are valid only before a frame.
    mutating func forget(before frame: Int64) {
        while changes.count > 1, changes[1].frame <= frame { changes.removeFirst() }
    }
}
