public import DescantCore
internal import DescantMixing

/// The real mixer with an output and sources in memory, for tests of services and plugins without files, devices and
/// waiting.
public struct ManualMixingEngine: Sendable {
    /// The engine.
    public let engine: any MixingEngine
    /// Its output.
    public let output: ManualOutput
    /// The sources it can open.
    public let decks: MemoryDecks

    private init(output: ManualOutput, clock: any ClockPort, idleRelease: Double) {
        let decks = MemoryDecks()
        self.output = output
        self.decks = decks
        engine = Mixer(
            decks: decks, output: output, converters: SincConverterFactory(), identifier: "manual", clock: clock,
            idleRelease: idleRelease)
    }

    /// An engine that renders inside `advance(frames:untilIdle:)`.
    ///
    /// - Parameters:
    ///   - format: The shape of the mix.
    ///   - blockFrames: The maximum number of frames rendered at once.
    public static func offline(
        format: PCMFormat = PCMFormat(sampleRate: 48_000, channels: 2), blockFrames: Int = 480
    ) -> ManualMixingEngine {
        ManualMixingEngine(
            output: ManualOutput(format: format, isOffline: true, blockFrames: blockFrames), clock: ManualClock(),
            idleRelease: 5)
    }

    /// An engine whose device is simulated by a test with ``ManualOutput/step(frames:)``.
    ///
    /// - Parameters:
    ///   - format: The shape of the mix.
    ///   - clock: Measures the time after which an idle device is released.
    ///   - idleRelease: That time, in seconds.
    public static func realTime(
        format: PCMFormat = PCMFormat(sampleRate: 48_000, channels: 2), clock: ManualClock = ManualClock(),
        idleRelease: Double = 5
    ) -> ManualMixingEngine {
        ManualMixingEngine(
            output: ManualOutput(format: format, isOffline: false), clock: clock, idleRelease: idleRelease)
    }

    /// As ``realTime(format:clock:idleRelease:)``, on a device whose queue can be rendered again from the heard frame on.
    /// What is in the queue follows from ``ManualOutput/setLatency(frames:)``.
    ///
    /// - Parameters:
    ///   - format: The shape of the mix.
    ///   - blockFrames: The maximum number of frames rendered at once.
    public static func rewinding(
        format: PCMFormat = PCMFormat(sampleRate: 48_000, channels: 2), blockFrames: Int = 480
    ) -> ManualMixingEngine {
        ManualMixingEngine(
            output: ManualOutput(format: format, isOffline: false, blockFrames: blockFrames, canRewind: true),
            clock: ManualClock(), idleRelease: 5)
    }

    /// Everything rendered so far.
    public var rendered: SampleBuffer { output.rendered }
}
