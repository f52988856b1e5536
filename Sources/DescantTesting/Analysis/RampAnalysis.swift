internal import DescantCore

/// Reads renderings of ramps back into the source's frames.
public enum RampAnalysis {
    /// Splits a rendering into runs of consecutive source frames, silence, and anything else.
    ///
    /// - Parameters:
    ///   - buffer: A rendering at unity gain; a ramp from ``TestSignal/ramp(frames:firstIndex:sampleRate:channels:)``.
    ///   - gain: The gain of the rendering, which is taken back before the frames are read.
    public static func runs(in buffer: SampleBuffer, gain: Float = 1) -> [RampRun] {
        let channels = buffer.format.channels
        var runs: [RampRun] = []
        for frame in 0..<buffer.frameCount {
            let start = frame * channels
            let samples = buffer.samples[start..<start + channels].map { $0 / gain }
            let kind: RampRun.Kind
            if samples.allSatisfy({ $0 == 0 }) {
                kind = .silence
            } else {
                kind = RampCode.index(of: samples).map(RampRun.Kind.source) ?? .other
            }
            if let last = runs.last, continues(last, with: kind, channels: channels) {
                runs[runs.count - 1].length += 1
            } else {
                runs.append(RampRun(kind, at: frame, length: 1))
            }
        }
        return runs
    }

    private static func continues(_ run: RampRun, with kind: RampRun.Kind, channels: Int) -> Bool {
        if case .source(let index) = kind {
            return run.sourceEnd.map { $0 % RampCode.period(channels: channels) } == index
        }
        return run.kind == kind
    }
}
