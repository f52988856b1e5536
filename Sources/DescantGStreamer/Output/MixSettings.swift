internal import Synchronization

/// What a host sets on an output while it runs; read by streaming threads without waiting.
final class MixSettings: Sendable {
    let wantsLevels = Atomic(false)
    let wantsTap = Atomic(false)
    private let volume = Mutex<Double?>(nil)
    /// Where the limiter is switched, in the order of the frames; the first entry holds now.
    private let limiter = Mutex<[(frame: Int64, isEnabled: Bool)]>([(0, true)])

    /// Switches the limiter from a frame on: the mix is summed a while after it was rendered.
    func setLimiter(enabled: Bool, from frame: Int64) {
        limiter.withLock { switches in
            switches.removeAll { $0.frame >= frame }
            switches.append((frame, enabled))
        }
    }

    /// Whether the limiter works at a frame, and for how many frames that holds.
    func limiter(at frame: Int64) -> (isEnabled: Bool, frames: Int64) {
        limiter.withLock { switches in
            while switches.count > 1, switches[1].frame <= frame { switches.removeFirst() }
            return (switches[0].isEnabled, switches.count > 1 ? switches[1].frame - frame : Int64.max)
        }
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
