import Descant
import DescantTesting
import Foundation
import Testing

/// The ALSA output on machines without a sound card; the sample player's tests play through it.
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
}
