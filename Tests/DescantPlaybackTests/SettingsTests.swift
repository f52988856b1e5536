import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Settings that are changed while the player plays.
@Suite(.timeLimit(.minutes(2)))
struct SettingsTests {
    private let fading = PlayerConfiguration(crossfadeDuration: 2, fadeCurve: .linear, stopFadeDuration: 1)

    private func playing(_ names: [String] = ["a"]) async throws -> PlayerSession {
        let session = await PlayerSession()
        let urls = names.enumerated().map { session.track($1, level: Float($0 + 1) / 10, seconds: 20) }
        try await session.player.loadPlaylist(urls, configuration: fading)
        try await session.advance(2)
        return session
    }

    @Test func configurationIsChangedWhilePlaying() async throws {
        let session = try await playing(["a", "b", "c"])
        var configuration = await session.player.configuration
        configuration.crossfadeDuration = 4
        configuration.volume = 50
        configuration.stopFadeDuration = 2
        try await session.player.updateConfiguration(configuration)
        #expect(await session.player.configuration == configuration)
        try await session.advance(16)
        #expect(session.sample(at: 1.9) == 0.1)
        #expect(session.sample(at: 2.1) == 0.05)
        // The ramp of the volume makes no step: 10 ms for half of the level.
        let step = maximumStep(of: session.manual.rendered.samples, in: 15_990..<16_200)
        #expect(step < 0.001)
        // The crossfade takes 4 s now and began 4 s before the end.
        try await session.events.wait { if case .transitionStarted = $0.kind { true } else { false } }
        #expect(session.transitions.map(\.frames) == [32_000])
        #expect(session.transitions.map(\.start) == [128_000])
        configuration.fadeCurve = .exponential
        configuration.repeatMode = .singleTrack
        try await session.player.updateConfiguration(configuration)
        try await session.advance(4)
        #expect(await session.player.peekFollowingTrack() == PlayerSession.url("b"))
        await session.player.stop()
        try await session.advance(1)
        // Half way through an exponential fade of 2 s the level is a quarter.
        #expect(abs(session.sample(at: 22.999) - 0.025) < 1e-3)
    }

    @Test func configurationThatIsNotChangedLeavesTheVolume() async throws {
        let session = try await playing()
        await session.player.setVolume(0.333)
        var configuration = await session.player.configuration
        configuration.crossfadeDuration = 5
        try await session.player.updateConfiguration(configuration)
        try await session.advance(1)
        #expect(abs(session.sample(at: 2.9) - 0.0333) < 1e-6)
    }

    @Test func badConfigurationIsRefusedWhilePlaying() async throws {
        let session = try await playing()
        let before = await session.player.configuration
        await #expect(throws: ConfigurationError.invalidVolume(101)) {
            try await session.player.updateConfiguration(PlayerConfiguration(volume: 101))
        }
        #expect(await session.player.configuration == before)
    }
}
