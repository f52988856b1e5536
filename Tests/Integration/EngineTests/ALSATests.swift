import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// The ALSA output on machines without a sound card. ``QueuedCommandTests`` play on a simulated one, and the sample player's tests on a
/// plugin that leads to a server.
@Suite(.timeLimit(.minutes(5))) struct ALSATests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func unknownDeviceIsNamed() async throws {
        let engine = try OfflineEngine.environment.makeEngine(output: .alsa(device: "moon"))
        let tone = try FixtureEncoder().make(.sine(440, seconds: 1), as: .wav(.int16), named: "tone", in: directory)
        let deck = try await engine.openDeck(.url(tone), gain: 1, isClip: false).id
        do {
            try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
            Issue.record("the device \"moon\" was opened")
        } catch let error as CoreError {
            #expect(error.message.contains("moon") && error.message.contains("aplay -L"), "\(error)")
        }
        await engine.shutdown()
    }

    @Test func devicesAreListedAndUnknownOnesRefused() async throws {
        let engine = try OfflineEngine.environment.makeEngine(output: .alsa())
        // As many as the machine has cards; none is not an error.
        _ = try await engine.outputDevices()
        await #expect(throws: CoreError.self) { try await engine.selectOutput("moon") }
        await engine.shutdown()
    }

    /// ALSA converts for a card that has not the rate of the mix.
    @Test func cardWithAnotherRatePlays() async throws {
        let card = try SimulatedCard(library: TestProgram.named("libSimulatedCard.so"))
        let tone = try FixtureEncoder().make(.sine(441, seconds: 1), as: .wav(.int16), named: "tone", in: directory)
        let engine = try AudioEnvironment.shared.makeEngine(
            output: .alsa(device: card.directDevice, rewinds: true), format: PCMFormat(sampleRate: 44_100, channels: 2))
        let recording = CardRecording(of: card)
        let deck = try await engine.openDeck(.url(tone), gain: 1, isClip: false).id
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        try await recording.wait(frames: 96_000)
        await engine.shutdown()
        let left = SampleBuffer(stereo: await recording.stop()).channel(0)
        // The converter rings at both ends.
        let rises = left.indices.dropFirst().count { left[$0 - 1] < 0 && left[$0] >= 0 }
        #expect((430...460).contains(rises), "a second of 441 Hz has crossed zero \(rises) times")
    }

    /// A card that is closed has been heard to the end of what it got.
    @Test func trackIsHeardToItsEnd() async throws {
        let card = try SimulatedCard(library: TestProgram.named("libSimulatedCard.so"))
        let ramp = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
        let engine = try AudioEnvironment.shared.makeEngine(output: .alsa(device: card.directDevice, rewinds: true))
        let recording = CardRecording(of: card)
        let deck = try await engine.openDeck(.url(ramp), gain: 1, isClip: false).id
        let events = engine.mixEvents.buffered(.bounded(64)).numbered
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        for await event in events { if case .idle = event.event.kind { break } }
        await engine.shutdown()
        let runs = RampAnalysis.runs(in: SampleBuffer(stereo: await recording.stop())).filter { $0.sourceEnd != nil }
        // A busy machine may have decoded too little for a moment; nothing is lost then.
        #expect(runs.reduce(0) { $0 + $1.length } == 48_000 && runs.last?.sourceEnd == 48_000, "\(runs)")
    }
}
