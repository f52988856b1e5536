internal import DescantCore

/// Reads renderings of ramps back into the source's frames.
public enum RampAnalysis {
    /// Splits a rendering into runs of consecutive source frames, silence, and anything else.
    ///
    /// - Parameters:
    ///   - buffer: A rendering at unity gain; a ramp from ``TestSignal/ramp(frames:firstIndex:sampleRate:channels:)``.
    ///   - gain: The gain of the rendering; samples are divided by it before the frames are read.
    public static func runs(in buffer: SampleBuffer, gain: Float = 1) -> [RampRun] {
        let channels = buffer.format.channels
        var runs: [RampRun] = []
        buffer.samples.withUnsafeBufferPointer { samples in
            for frame in 0..<samples.count / channels {
                let kind = kind(of: samples[frame * channels..<(frame + 1) * channels], gain: gain)
                if let last = runs.indices.last, continues(runs[last], with: kind, channels: channels) {
                    runs[last].length += 1
                } else {
                    runs.append(RampRun(kind, at: frame, length: 1))
                }
            }
        }
        return runs
    }

    private static func kind(of frame: Slice<UnsafeBufferPointer<Float>>, gain: Float) -> RampRun.Kind {
        let first = frame.startIndex
        if frame.base[first] == 0, frame.allSatisfy({ $0 == 0 }) { return .silence }
        let second = frame.count > 1 ? frame.base[first + 1] / gain : nil
        return RampCode.index(first: frame.base[first] / gain, second: second).map(RampRun.Kind.source) ?? .other
    }

    private static func continues(_ run: RampRun, with kind: RampRun.Kind, channels: Int) -> Bool {
        if case .source(let index) = kind {
            return run.sourceEnd.map { $0 % RampCode.period(channels: channels) } == index
        }
        return run.kind == kind
    }
}
