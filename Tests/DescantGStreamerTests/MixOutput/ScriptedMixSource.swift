import DescantCore
import DescantMixing
import Synchronization

/// A mix source whose layers hold known samples that begin at known frames of the output.
final class ScriptedMixSource: MixSource {
    struct Layer: Sendable {
        var id: LayerID
        var start: Int64
        var content: Content
        /// The layer is there, but rendered as silence, in these frames relative to its start.
        var silent: Range<Int64>?

        enum Content: Sendable {
            /// Interleaved samples.
            case samples([Float])
            /// An endless ramp (`RampCode`), two channels.
            case endless(@Sendable (Int64, Int) -> Float)
        }

        init(_ id: UInt64, start: Int64, samples: [Float], silent: Range<Int64>? = nil) {
            self.id = LayerID(rawValue: id)
            self.start = start
            content = .samples(samples)
            self.silent = silent
        }

        init(_ id: UInt64, start: Int64 = 0, endless: @escaping @Sendable (Int64, Int) -> Float) {
            self.id = LayerID(rawValue: id)
            self.start = start
            content = .endless(endless)
        }

        func end(channels: Int) -> Int64 {
            switch content {
            case .samples(let samples): start + Int64(samples.count / channels)
            case .endless: Int64.max
            }
        }

        func sample(frame: Int64, channel: Int, channels: Int) -> Float {
            let index = frame - start
            guard index >= 0, frame < end(channels: channels), silent?.contains(index) != true else { return 0 }
            switch content {
            case .samples(let samples): return samples[Int(index) * channels + channel]
            case .endless(let sample): return sample(index, channel)
            }
        }
    }

    struct Call: Sendable {
        var frame: Int64
        var asked: Int
        var given: Int
        var layers: [LayerID]
    }

    let channels: Int
    let layers: [Layer]
    /// The source has no frames after this one.
    let end: Int64
    /// Whether blocks end where a layer begins or ends, so that layers join at odd frames.
    let cutsBlocks: Bool
    private let state = Mutex<(next: Int64, calls: [Call])>((0, []))

    init(channels: Int = 2, layers: [Layer], end: Int64 = .max, cutsBlocks: Bool = true) {
        self.channels = channels
        self.layers = layers
        self.end = end
        self.cutsBlocks = cutsBlocks
    }

    var renderedFrames: Int64 { state.withLock { $0.next } }
    var calls: [Call] { state.withLock { $0.calls } }

    func render(frames: Int, buffer: (LayerID) -> UnsafeMutablePointer<Float>) -> RenderedBlock {
        let start = state.withLock { $0.next }
        let stop = blockEnd(from: start, frames: frames)
        let active = layers.filter { $0.start < stop && $0.end(channels: channels) > start }
        var described: [(id: LayerID, isSilent: Bool)] = []
        for layer in active where stop > start {
            let isSilent = layer.silent.map { silent in
                silent.contains(start - layer.start) && silent.contains(stop - 1 - layer.start)
            }
            let target = buffer(layer.id)
            // The memory of a silent layer is not read; invalid values in it show that.
            for frame in start..<stop {
                for channel in 0..<channels {
                    target[Int(frame - start) * channels + channel] =
                        isSilent == true ? 0.75 : layer.sample(frame: frame, channel: channel, channels: channels)
                }
            }
            described.append((layer.id, isSilent == true))
        }
        let call = Call(frame: start, asked: frames, given: Int(stop - start), layers: active.map(\.id))
        state.withLock { state in
            state.next = stop
            state.calls.append(call)
        }
        return RenderedBlock(frame: start, frames: Int(stop - start), layers: described)
    }

    /// The expected sum.
    func expected(frames: Int64) -> [Float] {
        var sum = [Float](repeating: 0, count: Int(frames) * channels)
        for layer in layers where layer.start < frames {
            for frame in max(0, layer.start)..<min(frames, layer.end(channels: channels)) {
                for channel in 0..<channels {
                    sum[Int(frame) * channels + channel] += layer.sample(
                        frame: frame, channel: channel, channels: channels)
                }
            }
        }
        return sum
    }

    private func blockEnd(from start: Int64, frames: Int) -> Int64 {
        var stop = min(start + Int64(frames), max(start, end))
        guard cutsBlocks else { return stop }
        for layer in layers {
            var borders = [layer.start, layer.end(channels: channels)]
            if let silent = layer.silent {
                borders += [layer.start + silent.lowerBound, layer.start + silent.upperBound]
            }
            for border in borders where border > start { stop = min(stop, border) }
        }
        return stop
    }
}
