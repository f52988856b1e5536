package import DescantCore
internal import Synchronization

/// Ducking. It is applied when all layers of a block are rendered, so that their order does not matter and two layers
/// may duck each other.
extension Mixer {
    package func setDucking(_ plan: DuckingPlan?, of layer: LayerID) async throws {
        let target = try existingLayer(layer)
        if let plan, plan.keys.contains(layer) {
            throw CoreError.invalidArgument("\(layer) cannot duck itself; remove it from the keys")
        }
        changeAll {
            state.withLock { state in
                target { $0.setDucking(plan) }
                markKeys(of: &state)
            }
        }
    }

    /// Marks the layers that are keys of others, so that they note the frames in which they sound.
    private func markKeys(of state: inout State) {
        var keys: Set<LayerID> = []
        state.usesDucking = false
        for layer in state.layers {
            guard let plan = layer({ $0.ducker?.plan }) else { continue }
            keys.formUnion(plan.keys)
            state.usesDucking = true
        }
        for layer in state.layers {
            layer { core in
                core.isKey = keys.contains(layer.id)
                core.soundSpans.removeAll()
            }
        }
    }

    /// Lowers the ducked layers of a block.
    ///
    /// - Parameters:
    ///   - parts: The block's layers with sound, interleaved.
    ///   - frame: The block's first frame.
    ///   - frames: How many frames were rendered.
    func duck(_ parts: [LayerID: UnsafeMutablePointer<Float>], frame: Int64, frames: Int) {
        let layers: [Layer]? = state.withLock { $0.usesDucking ? $0.layers : nil }
        guard let layers, frames > 0 else { return }
        var spans: [LayerID: [Range<Int>]] = [:]
        for layer in layers { spans[layer.id] = soundSpans(of: layer, from: frame, frames: frames) }
        var isOver = false
        for layer in layers {
            layer { core in
                guard let plan = core.ducker?.plan else { return }
                let keyed = plan.keys.flatMap { spans[$0] ?? [] }.sorted { $0.lowerBound < $1.lowerBound }
                core.ducker?.process(parts[layer.id], frames: frames, channels: mixFormat.channels, keySpans: keyed)
                if core.ducker?.isOver == true {
                    core.ducker = nil
                    isOver = true
                }
            }
        }
        if isOver { state.withLock { markKeys(of: &$0) } }
    }

    /// The frames of a block in which a key sounded, counted from the block's first one.
    private func soundSpans(of layer: Layer, from frame: Int64, frames: Int) -> [Range<Int>] {
        layer { core in
            defer { core.soundSpans.removeAll() }
            return core.soundSpans.compactMap { span in
                let span = span.clamped(to: frame..<frame + Int64(frames))
                return span.isEmpty ? nil : Int(span.lowerBound - frame)..<Int(span.upperBound - frame)
            }
        }
    }
}
