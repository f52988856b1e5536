internal import ArgumentParser
internal import Foundation
internal import PlayerIntegration
internal import TerminalUI

/// Runs a command and turns its errors into messages and exit statuses.
@main
enum Main {
    static func main() async {
        ForcedExit.atExit { PendingFile.discardAll() }
        // A closed pipe (as by `head`) is seen as an error of the write, so that unfinished files are removed.
        signal(SIGPIPE, SIG_IGN)
        do {
            let known = DescantCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
            var words = Array(CommandLine.arguments.dropFirst())
            // A program of its own prints its own help.
            if words.first == "help", words.count == 2, !known.contains(words[1]) { words = [words[1], "--help"] }
            if let external = ExternalCommand(words, known: Set(known)) { throw external.run() }
            if let word = words.first, !known.contains(word) {
                try CommandSuggestion.check(word, known: known)
            }
            var command = try DescantCommand.parseAsRoot(try arguments())
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            ForcedExit.arm(status: ExitStatus.success.rawValue)
        } catch {
            ForcedExit.orderly(status: report(error))
        }
    }

    /// The arguments, with the options of the settings file in front of those of `play`.
    private static func arguments() throws -> [String] {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.first == PlayCommand.configuration.commandName,
            !arguments.contains(where: { ["--no-config", "--help", "-h"].contains($0) })
        else { return arguments }
        let settings = try PlaySettings(environment: Console.environment)
        let usesEngine = arguments.contains { $0 == "--engine" || $0.hasPrefix("--engine=") }
        return arguments.prefix(1) + (usesEngine ? settings.engineArguments : settings.arguments)
            + arguments.dropFirst()
    }

    /// Writes an error; help and versions are not errors.
    private static func report(_ error: any Error) -> Int32 {
        if let failure = error as? CommandFailure {
            Console.error(failure.message)
            return failure.status.rawValue
        }
        if let status = error as? ExitCode { return status.rawValue }
        let message = DescantCommand.fullMessage(for: error)
        switch DescantCommand.exitCode(for: error) {
        case .success:
            do {
                try Console.line(message)
            } catch {
                return report(error)
            }
            return ExitStatus.success.rawValue
        case .validationFailure:
            Console.write(message)
            return ExitStatus.usage.rawValue
        default:
            Console.error("\(error)")
            return ExitStatus.failure.rawValue
        }
    }
}
