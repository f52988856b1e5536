internal import ArgumentParser
internal import Descant
internal import PlayerIntegration
internal import TerminalUI

/// `descant doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Tells what is installed, what is missing and the command that fixes it.",
        discussion: """
            Exit status: 0 when everything is there that the player needs, 1 when something is missing: an element of \
            GStreamer, a usual codec, both a sound server and a sound card, or a device of the sound server; 74 when standard \
            output cannot be written.
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let report = await Doctor(environment: .shared).examine()
        if json { try Console.json(report) } else { try show(report) }
        if !report.isHealthy { throw ExitCode(ExitStatus.failure.rawValue) }
    }

    private func show(_ report: DoctorReport) throws {
        var area = ""
        for finding in report.findings {
            if finding.area != area {
                area = finding.area
                try Console.line(area)
            }
            let sign =
                switch finding.status {
                case .ok: "ok      "
                case .optional: "optional"
                case .missing: "MISSING "
                }
            // The folder of a bundle may have any name, and a reason quotes it.
            let name = DisplayWidth.fit(DisplayWidth.printable(finding.name), to: 24)
            try Console.line("  \(sign)  \(name) \(DisplayWidth.printable(finding.detail))")
        }
        guard !report.remedies.isEmpty else { return try Console.line("\nNothing is missing.") }
        try Console.line("\nTo fix it:")
        for remedy in report.remedies { try Console.line("  \(remedy)") }
    }
}
