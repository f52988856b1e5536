package import DescantCore

/// A 10-band equaliser over interleaved blocks.
///
/// A change of settings crossfades from the old filters to the new ones over 20 ms. Of changes during a fade, the
/// newest is applied after it. A flat equaliser does not change a bit.
package struct GraphicEqualizer: Sendable {
    private let sampleRate: Int
    private let channels: Int
    private let fadeFrames: Int
    /// The settings of the last call.
    package private(set) var settings: EqualizerSettings
    /// The settings of ``next``, or else of ``present``.
    private var realised: EqualizerSettings
    /// The filters; `nil` for a flat equaliser.
    private var present: EqualizerBank?
    private var next: EqualizerBank?
    /// Frames of the running fade that are left.
    private var fadeLeft = 0
    private var scratch: [Double] = []
    private var fading: [Float] = []

    /// Creates an equaliser; its first settings need no fade.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second.
    ///   - channels: Channels of a frame.
    ///   - settings: What it does.
    package init(sampleRate: Int, channels: Int, settings: EqualizerSettings = EqualizerSettings()) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.settings = settings
        realised = settings
        fadeFrames = max(1, sampleRate / 50)
        present = EqualizerBank(settings, sampleRate: sampleRate, channels: channels)
    }

    /// Changes the settings from the next frame on.
    package mutating func set(_ settings: EqualizerSettings) {
        self.settings = settings
        if fadeLeft == 0 { beginFade() }
    }

    /// A copy of the state, to continue from later. It has no working memory, which would be copied with the next
    /// block.
    package var snapshot: GraphicEqualizer {
        var copy = self
        copy.scratch = []
        copy.fading = []
        return copy
    }

    /// Whether samples pass unchanged.
    package var passesUntouched: Bool { fadeLeft == 0 && present == nil }

    /// Whether silence stays silence and no fade is running.
    package var isAtRest: Bool { fadeLeft == 0 && (present?.isAtRest ?? true) }

    /// Equalises a block in place.
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        if passesUntouched { return }
        var done = 0
        while done < frames {
            let target = samples + done * channels
            if fadeLeft == 0 {
                present?.process(target, into: target, frames: frames - done, scratch: &scratch)
                return
            }
            let count = min(frames - done, fadeLeft)
            fade(target, frames: count)
            done += count
        }
    }

    private mutating func beginFade() {
        guard settings != realised else { return }
        realised = settings
        next = EqualizerBank(settings, sampleRate: sampleRate, channels: channels)
        if let present { next?.inheritMemory(of: present) }
        if next != nil || present != nil { fadeLeft = fadeFrames }
    }

    /// Crossfades between both settings.
    private mutating func fade(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        let count = frames * channels
        if fading.count < count { fading = [Float](repeating: 0, count: count) }
        var memory: [Float] = []
        swap(&memory, &fading)
        memory.withUnsafeMutableBufferPointer { buffer in
            guard let incoming = buffer.baseAddress else { return }
            if next?.process(samples, into: incoming, frames: frames, scratch: &scratch) == nil {
                incoming.update(from: samples, count: count)
            }
            present?.process(samples, into: samples, frames: frames, scratch: &scratch)
            for frame in 0..<frames {
                let share = Float(fadeFrames - fadeLeft + frame) / Float(fadeFrames)
                for index in frame * channels..<(frame + 1) * channels {
                    samples[index] += (incoming[index] - samples[index]) * share
                }
            }
        }
        swap(&memory, &fading)
        fadeLeft -= frames
        guard fadeLeft == 0 else { return }
        present = next
        next = nil
        beginFade()
    }
}
