internal import Synchronization

/// What a host sets on an output while it runs; read by streaming threads without waiting.
final class MixSettings: Sendable {
    let isLimiterEnabled = Atomic(true)
    let wantsLevels = Atomic(false)
    let wantsTap = Atomic(false)
    private let volume = Mutex<Double?>(nil)

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
