internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// What a host sets on an output while it runs; read by streaming threads without waiting.
final class MixSettings: Sendable {
    let wantsLevels = Atomic(false)
    let wantsTap = Atomic(false)
    private let volume = Mutex<Double?>(nil)
    private let limiter = Mutex(SettingTimeline(true))
    private let equalizer = Mutex(SettingTimeline(EqualizerSettings()))

    /// Switches the limiter from a frame on.
    func setLimiter(enabled: Bool, from frame: Int64) { limiter.withLock { $0.set(enabled, from: frame) } }

    /// Whether the limiter works at a frame, and for how many frames that holds.
    func limiter(at frame: Int64) -> (value: Bool, frames: Int64) { limiter.withLock { $0.value(at: frame) } }

    /// Sets the equaliser from a frame on.
    func setEqualizer(_ settings: EqualizerSettings, from frame: Int64) {
        equalizer.withLock { $0.set(settings, from: frame) }
    }

    /// What the equaliser does at a frame, and for how many frames that holds.
    func equalizer(at frame: Int64) -> (value: EqualizerSettings, frames: Int64) {
        equalizer.withLock { $0.value(at: frame) }
    }

    /// Drops what holds only before a frame, which nobody asks for any more.
    func forget(before frame: Int64) {
        limiter.withLock { $0.forget(before: frame) }
        equalizer.withLock { $0.forget(before: frame) }
    }

    /// Asks for a master gain; takes effect at the next frame that is rendered.
    func requestVolume(_ gain: Double) { volume.withLock { $0 = gain } }

    /// The gain asked for since the last call.
    func takeRequestedVolume() -> Double? {
        volume.withLock { gain in
            defer { gain = nil }
            return gain
        }
    }
}
