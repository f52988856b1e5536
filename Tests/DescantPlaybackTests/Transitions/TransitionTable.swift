/// The result of every call in every situation. The article "Transitions" shows this table, and every cell of it is a test.
enum TransitionTable {
    typealias Outcome = TransitionOutcome

    static func outcome(_ command: TransitionCommand, at moment: TransitionMoment) -> Outcome {
        guard let column = TransitionMoment.allCases.firstIndex(of: moment) else { return .illegal }
        return row(command)[column]
    }

    /// The cells of a row, in the order of ``TransitionMoment/allCases``.
    private static func row(_ command: TransitionCommand) -> [Outcome] {
        switch command {
        case .pause:
            [.illegal, .freezes] + four(.freezes) + [.nothing, .nothing, .illegal, .illegal, .illegal]
        case .resume:
            [.illegal, .illegal] + four(.illegal) + [.goesOn, .goesOn, .illegal, .illegal, .illegal]
        case .stop:
            [.silent(.finished), .silent(.finished)] + four(.fadesOut)
                + [.silent(.finished), .silent(.finished), .nothing, .nothing, .silent(.finished)]
        case .stopAtOnce:
            [.silent(.finished), .silent(.finished)] + four(.endsAtOnce(.finished))
                + [.silent(.finished), .silent(.finished), .endsAtOnce(.finished), .nothing, .silent(.finished)]
        case .finish:
            [.illegal, .illegal] + four(.fadesOut) + [
                .silent(.finished), .silent(.finished), .illegal, .illegal, .illegal,
            ]
        case .next:
            [
                .begins(.second), .crossfades(.third), .crossfades(.third), .fadesOut, .busy, .fadesOut,
                .switchesSilently(.third), .busy, .illegal, .begins(.third), .badFile,
            ]
        case .previous:
            [
                .begins(.first), .crossfades(.first), .crossfades(.first), .crossfades(.second), .busy,
                .hurries(.second),
                .switchesSilently(.first), .busy, .illegal, .begins(.first), .begins(.first),
            ]
        case .jump:
            [
                .begins(.first), .begins(.first), .crossfades(.first), .crossfades(.first), .busy, .hurries(.first),
                .switchesSilently(.first), .busy, .illegal, .begins(.first), .begins(.first),
            ]
        case .select: [.nothing] + Array(repeating: .illegal, count: 8) + [.nothing, .nothing]
        case .replace: [.noTrack, .crossfades(.new)] + replacing + [.noTrack, .noTrack]
        case .swap: [.nothing, .crossfades(.new)] + replacing + [.nothing, .nothing]
        case .remove:
            [
                .nothing, .silent(.idle), .crossfades(.third), .crossfades(.second), .crossfadesAnew(.second),
                .hurries(.second),
                .switchesSilently(.third), .switchesSilently(.second), .nothing, .nothing, .nothing,
            ]
        case .seek, .skip:
            [
                .illegal, .illegal, .seeks, .seeks, .illegal, .seeks, .seeksSilently, .illegal, .illegal, .illegal,
                .illegal,
            ]
        case .load, .startPlaying:
            [.begins(.new), .cuts(.new)] + four(.cuts(.new))
                + [.begins(.new), .begins(.new), .cuts(.new), .begins(.new), .begins(.new)]
        case .update: Array(repeating: .halves, count: 11)
        case .pauseAll: [.nothing, .freezes] + four(.freezes) + Array(repeating: .nothing, count: 5)
        case .resumeAll: Array(repeating: .nothing, count: 11)
        case .stopAll, .reset:
            [.silent(.idle), .silent(.idle)] + four(.endsAtOnce(.idle))
                + [.silent(.idle), .silent(.idle), .endsAtOnce(.idle), .silent(.idle), .silent(.idle)]
        }
    }

    private static func four(_ outcome: Outcome) -> [Outcome] { Array(repeating: outcome, count: 4) }

    private static let replacing: [Outcome] = [
        .crossfades(.new), .crossfades(.new), .busy, .hurries(.new), .switchesSilently(.new), .busy, .illegal,
    ]

    /// The table as the article shows it.
    static var markdown: [String] {
        let moments = TransitionMoment.allCases
        let header = "| call | " + moments.map(\.rawValue).joined(separator: " | ") + " |"
        let line = "|---|" + moments.map { _ in "---|" }.joined()
        let rows = TransitionCommand.allCases.map { command in
            let cells = moments.map { outcome(command, at: $0).words }
            return "| `\(command.rawValue)` | " + cells.joined(separator: " | ") + " |"
        }
        return [header, line] + rows
    }
}
