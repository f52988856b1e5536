import Descant
import Logging

// snippet
/// Writes the library's log to the host's logger, at the host's level.
func environmentThatLogs(to logger: Logger) -> AudioEnvironment {
    AudioEnvironment(logger: SwiftLogLogger(logger))
}

/// Writes the log to systemd's journal: `journalctl -t player DESCANT_EVENT=session.activate -o verbose`.
func environmentThatLogsToTheJournal() -> AudioEnvironment {
    AudioEnvironment(logger: JournaldLogger(identifier: "player", minimumLevel: .debug))
}
