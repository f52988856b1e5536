internal import DescantCore

/// A group of checks of ``MixingEngineContract`` that share their sounds.
protocol EngineChecks {
    var session: EngineSession { get }
}

extension EngineChecks {
    var engine: any MixingEngine { session.engine }
    var format: PCMFormat { session.format }

    /// The length in frames of the fade of 10 ms at cuts.
    var declick: Int { format.sampleRate / 100 }

    func frames(_ seconds: Double) -> Int { Int(format.frames(in: seconds)) }

    func ramp(_ frames: Int, from first: Int64 = 0) -> SampleBuffer {
        TestSignal.ramp(
            frames: frames, firstIndex: first, sampleRate: format.sampleRate, channels: format.channels
        ).samples()
    }

    func tone(_ frequency: Double, _ frames: Int) -> TestSignal {
        TestSignal(
            .sine(frequency: frequency, amplitude: 0.25, phase: 0), frames: frames, sampleRate: format.sampleRate,
            channels: format.channels)
    }

    /// Constant samples in one channel, so that the rendering of that channel is the gain itself.
    func level(_ value: Float, channel: Int, _ frames: Int) -> SampleBuffer {
        var buffer = SampleBuffer(
            format: format, samples: [Float](repeating: 0, count: frames * format.channels))
        for frame in 0..<frames { buffer.samples[frame * format.channels + channel] = value }
        return buffer
    }
}
