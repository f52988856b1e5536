import Descant
import Logging

// snippet
/// The library's log in the host's own, at the level that the host's logger has.
func environmentThatLogs(to logger: Logger) -> AudioEnvironment {
    AudioEnvironment(logger: SwiftLogLogger(logger))
}

/// The same in systemd's journal: `journalctl -t player DESCANT_EVENT=session.activate -o verbose`.
func environmentThatLogsToTheJournal() -> AudioEnvironment {
    AudioEnvironment(logger: JournaldLogger(identifier: "player", minimumLevel: .debug))
}
