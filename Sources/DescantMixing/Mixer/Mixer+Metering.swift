internal import DescantCore
internal import Synchronization

/// Levels and samples of the mix, told when they are heard.
extension Mixer {
    /// The length of what is measured and told at a time, 1/60 s in frames.
    private var span: Int { max(1, mixFormat.sampleRate / 60) }

    /// Turns the output's meters on while they have subscribers.
    func updateMetering() {
        let requested = (levels: levelHub.subscriberCount > 0, tap: tapHub.subscriberCount > 0)
        let changed = metering.withLock { present in
            defer { present = requested }
            return present != requested
        }
        if changed { output.setMetering(levels: requested.levels, tap: requested.tap) }
    }

    /// Measures the layers of a block.
    ///
    /// - Parameters:
    ///   - layers: The layers of the block.
    ///   - parts: The samples of those that sound.
    ///   - frame: The block's first frame.
    ///   - frames: Its length.
    func meter(_ layers: [Layer], _ parts: [LayerID: UnsafeMutablePointer<Float>], frame: Int64, frames: Int) {
        guard metering.withLock({ $0.levels }), frames > 0 else { return }
        var spans: [(frame: Int64, layers: [LayerID: LevelReading.Meter])] = []
        for start in stride(from: 0, to: frames, by: span) {
            let count = min(span, frames - start)
            var meters: [LayerID: LevelReading.Meter] = [:]
            for layer in layers { meters[layer.id] = measure(parts[layer.id], from: start, count: count) }
            spans.append((frame + Int64(start), meters))
        }
        state.withLock { state in
            state.meteredSpans.removeAll { $0.frame >= frame }
            state.meteredSpans += spans
            // The output measures the sum of a block before it asks for the one after the next.
            state.meteredSpans.removeFirst(max(0, state.meteredSpans.count - max(180, 3 * spans.count)))
        }
    }

    private func measure(_ samples: UnsafeMutablePointer<Float>?, from start: Int, count: Int) -> LevelReading.Meter {
        let channels = mixFormat.channels
        var meter = LevelReading.Meter(
            peak: [Float](repeating: 0, count: channels), rms: [Float](repeating: 0, count: channels))
        guard let samples else { return meter }
        for frame in start..<start + count {
            for channel in 0..<channels {
                let sample = samples[frame * channels + channel]
                meter.peak[channel] = max(meter.peak[channel], abs(sample))
                meter.rms[channel] += sample * sample
            }
        }
        meter.rms = meter.rms.map { ($0 / Float(count)).squareRoot() }
        return meter
    }

    /// Takes the levels of the sum. Of frames that were rendered again the newest levels count.
    func receive(levels master: LevelReading.Meter, at frame: Int64) {
        let layers = state.withLock { state in state.meteredSpans.last { $0.frame <= frame }?.layers ?? [:] }
        let reading = LevelReading(frame: frame, master: master, layers: layers)
        if output.isOffline { return levelHub.post(reading) }
        levelQueue.remove(at: frame)
        levelQueue.submit([reading])
    }

    /// Takes samples of the sum. Of frames that were rendered again the newest samples count.
    func receive(samples block: PCMBlock) {
        if output.isOffline { return tapHub.post(block) }
        tapQueue.remove(at: block.frame)
        let channels = mixFormat.channels
        let parts = stride(from: 0, to: block.samples.count, by: span * channels).map { start in
            PCMBlock(
                frame: block.frame + Int64(start / channels), format: block.format,
                samples: Array(block.samples[start..<min(start + span * channels, block.samples.count)]))
        }
        tapQueue.submit(parts)
    }
}
