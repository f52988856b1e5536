import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Every cell of the transition table, on the rendered samples.
@Suite(.timeLimit(.minutes(10)))
struct TransitionTableTests {
    private static let rate = 8_000
    private static let ramp = 80
    private static let seconds = 4.0

    @Test(arguments: TransitionCommand.allCases, TransitionMoment.allCases)
    func cell(command: TransitionCommand, moment: TransitionMoment) async throws {
        let outcome = TransitionTable.outcome(command, at: moment)
        let stage = try await TransitionStage(moment)
        let before = await stage.session.player.state
        if let error = refusal(outcome, command, before) {
            await #expect(throws: error) { try await command.run(on: stage) }
        } else if moment == .preparing, command.opensFile, command != .jump {
            let call = Task { try await command.run(on: stage) }
            await stage.release()
            try await call.value
        } else {
            // Nothing waits for the file that is being opened.
            try await command.run(on: stage)
            if command == .remove { await stage.release() }
        }
        #expect(await stage.session.player.state == state(outcome, before))
        await stage.release()
        try await listen(stage, outcome, command)
    }

    @Test func articleShowsTheTable() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let article = folder.appending(path: "../../../Sources/Descant/Descant.docc/Transitions.md")
        let lines = try String(contentsOf: article.standardizedFileURL, encoding: .utf8).components(separatedBy: "\n")
        #expect(lines.filter { $0.hasPrefix("|") } == TransitionTable.markdown)
    }

    // MARK: Errors and states

    private func refusal(
        _ outcome: TransitionOutcome, _ command: TransitionCommand, _ state: PlayerState
    ) -> AudioPlayerError? {
        switch outcome {
        case .busy: return .crossfadeInProgress
        case .noTrack: return .noActiveTrack
        case .badFile: return .fileNotFound(PlayerSession.url("missing"))
        case .illegal:
            let isPosition = command == .seek || command == .skip
            let name = isPosition && (state == .playing || state == .paused) ? "crossfading" : state.name
            let call = command == .skip ? "skip" : String(command.rawValue.prefix { $0 != "(" })
            return .invalidState(current: name, attempted: call)
        default: return nil
        }
    }

    private func state(_ outcome: TransitionOutcome, _ before: PlayerState) -> PlayerState {
        switch outcome {
        case .illegal, .busy, .noTrack, .badFile, .nothing, .seeks, .seeksSilently, .switchesSilently, .halves: before
        case .silent(let state), .endsAtOnce(let state): state
        case .freezes: .paused
        case .fadesOut: .fadingOut
        case .goesOn, .begins, .cuts, .crossfades, .crossfadesAnew, .hurries: .playing
        }
    }

    // MARK: Sound

    private func listen(_ stage: TransitionStage, _ outcome: TransitionOutcome, _ command: TransitionCommand)
        async throws
    {
        let session = stage.session
        let moment = stage.moment
        let freezes = outcome == .freezes
        switch outcome {
        case .freezes, .switchesSilently, .seeksSilently:
            try await session.advance(1)
            #expect(stage.heard[Self.ramp...].allSatisfy { $0 == 0 })
            try await session.player.resume()
        default: break
        }
        try await session.advance(Self.seconds)
        let heard = stage.heard
        let resumed = Array(heard.dropFirst(Self.rate))
        switch outcome {
        case .illegal, .busy, .noTrack, .badFile, .nothing:
            let undisturbed = try await TransitionStage.undisturbed(moment, seconds: Self.seconds)
            #expect(heard == undisturbed)
        case .silent, .endsAtOnce: expect(heard) { _ in 0 }
        case .halves:
            let undisturbed = try await TransitionStage.undisturbed(moment, seconds: Self.seconds)
            expect(heard) { undisturbed[$0] / 2 }
        case .goesOn, .freezes:
            let undisturbed = try await TransitionStage.undisturbed(moment.unpaused, seconds: Self.seconds)
            expect(freezes ? resumed : heard) { undisturbed[$0] }
        case .fadesOut:
            let undisturbed = try await TransitionStage.undisturbed(moment, seconds: Self.seconds)
            expect(heard, from: 0) { undisturbed[$0] * fall($0, Self.rate) }
        case .begins(let track):
            // After silence a track begins with its first frame.
            #expect(heard.prefix(3 * Self.rate).allSatisfy { $0 == track.level })
        case .cuts(let track): expect(heard) { _ in track.level }
        case .crossfades(let track):
            let length = moment == .ending ? Self.rate : 2 * Self.rate
            expect(heard, from: 0) { moment.level * fall($0, length) + track.level * (1 - fall($0, length)) }
        case .crossfadesAnew(let track):
            let length = 2 * Self.rate
            expect(heard) { frame in
                let incoming = min(1, Float(frame + Self.rate / 2) / Float(length))
                return moment.level * incoming * fall(frame, length) + track.level * (1 - fall(frame, length))
            }
        case .hurries(let track):
            let rest = Self.rate * 3 / 10
            let length = 2 * Self.rate
            expect(heard, from: rest) { frame in
                let share = fall(frame - rest, length)
                return moment.level * share + track.level * (1 - share)
            }
        case .switchesSilently(let track): expect(resumed) { _ in track.level }
        case .seeks, .seeksSilently: try await expectSeek(stage, outcome, command)
        }
    }

    /// The track fades out for 0.3 s, continues at the new position and fades in, unless it is silent.
    private func expectSeek(_ stage: TransitionStage, _ outcome: TransitionOutcome, _ command: TransitionCommand)
        async throws
    {
        let level = stage.moment.level
        let fade = Self.rate * 3 / 10
        let position =
            switch (command, stage.moment) {
            case (.seek, _): TransitionCommand.target
            case (_, .ending): 5.5
            case (_, .hurrying): 1.0
            default: 2.5
            }
        if outcome == .seeksSilently {
            // The crossfade into the next track begins 2 s before the end of this one.
            let begins = Int((4 - position) * Double(Self.rate))
            expect(Array(stage.heard.dropFirst(Self.rate).prefix(begins))) { _ in level }
            return
        }
        let heard = stage.heard
        if stage.moment != .hurrying {
            expect(Array(heard.prefix(fade)), from: 0) { level * fall($0, fade) }
        }
        #expect(heard[fade] == 0)
        let landed = heard.dropFirst(fade).prefix(Int((position < 4 ? 4 - position : 0) * Double(Self.rate)))
        expect(Array(landed), from: 0) { level * (1 - fall($0, fade)) }
        // The third track is the last one and ends where the seek leaves 6 s - position of it.
        guard stage.moment == .ending || stage.moment == .hurrying else { return }
        let end = fade + Int((6 - position) * Double(Self.rate))
        #expect(heard.dropFirst(end).allSatisfy { $0 == 0 })
        #expect(end >= heard.count || heard[end - 1] != 0)
    }

    private func fall(_ frame: Int, _ length: Int) -> Float { max(0, 1 - Float(frame) / Float(length)) }

    private func expect(
        _ heard: [Float], from start: Int = TransitionTableTests.ramp, location: SourceLocation = #_sourceLocation,
        _ expected: (Int) -> Float
    ) {
        let wrong = heard.indices.dropFirst(start).first { abs(heard[$0] - expected($0)) > 2e-5 }
        if let wrong {
            Issue.record("\(heard[wrong]) instead of \(expected(wrong)) at frame \(wrong)", sourceLocation: location)
        }
    }
}
