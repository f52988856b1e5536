import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Every cell of the state table.
struct StateTableTests {
    enum From: CaseIterable { case stopped, ended, paused, playing, buffering, error }
    enum Call: CaseIterable { case load, play, pause, stop, seek }
    enum Outcome: Equatable { case state(PlaybackState), refused, failed }

    /// What holds after each call, by state.
    static func expected(_ from: From, _ call: Call) -> Outcome {
        switch (from, call) {
        case (_, .load): .state(.paused)
        case (_, .stop): .state(.stopped)
        case (.stopped, .play), (.stopped, .seek), (.ended, .seek): .refused
        case (.stopped, .pause), (.ended, .pause): .state(.stopped)
        case (.ended, .play), (.paused, .play), (.playing, .play), (.playing, .seek), (.buffering, .seek):
            .state(.playing)
        case (.buffering, .play): .state(.buffering)
        case (.paused, .pause), (.paused, .seek), (.playing, .pause), (.buffering, .pause): .state(.paused)
        case (.error, .play), (.error, .seek): .refused
        case (.error, .pause): .failed
        }
    }

    @Test(arguments: From.allCases, Call.allCases)
    func everyCallHasItsResultInEveryState(_ from: From, _ call: Call) async throws {
        // With a small buffer the end is not reached; a large one accepts the whole file, and the end is pending.
        let fixture = ServiceFixture(seconds: 0.3, pacing: .output, capacity: from == .playing ? 4_096 : 100_000)
        try await bring(fixture, to: from)
        let before = fixture.service.state
        do {
            switch call {
            case .load: try fixture.service.load(url: fixture.url)
            case .play: try fixture.service.play()
            case .pause: fixture.service.pause()
            case .stop: fixture.service.stop()
            case .seek: try fixture.service.seek(to: 0.1)
            }
            let after = fixture.service.state
            switch Self.expected(from, call) {
            // An output without pacing may have accepted everything already.
            case .state(let state): #expect(after == state || state == .playing && after == .buffering)
            case .failed: #expect(after == before)
            case .refused: Issue.record("no error, and the state is \(after)")
            }
        } catch let error as CoreError {
            #expect(Self.expected(from, call) == .refused, "\(error)")
            #expect(error.code == "invalidState")
            #expect(fixture.service.state == before)
        }
    }

    private func bring(_ fixture: ServiceFixture, to from: From) async throws {
        let service = fixture.service
        guard from != .stopped else { return }
        if from == .error {
            #expect(throws: CoreError.self) { try service.load(url: URL(fileURLWithPath: "/music/missing.mem")) }
            return
        }
        try service.load(url: fixture.url)
        guard from != .paused else { return }
        try service.play()
        guard from != .playing else { return }
        try await fixture.wait(for: .buffering)
        if from == .ended { try await fixture.playOut(until: .stopped) }
    }
}
