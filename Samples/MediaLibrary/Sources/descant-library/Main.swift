internal import ArgumentParser
internal import Foundation

/// Runs a command and turns its errors into messages and exit statuses.
@main
enum Main {
    static func main() async {
        // Without SIGPIPE, a closed pipe (as by `head`) is seen as an error of the write.
        signal(SIGPIPE, SIG_IGN)
        var status: Int32 = 0
        do {
            var command = try LibraryCommand.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            status = report(error)
        }
        Interruption.dieOfSignal()
        exit(status)
    }

    /// Writes an error; help and versions are not errors.
    private static func report(_ error: any Error) -> Int32 {
        if let status = error as? ExitCode { return status.rawValue }
        switch LibraryCommand.exitCode(for: error) {
        case .success:
            print(LibraryCommand.fullMessage(for: error))
            return 0
        case .validationFailure:
            Console.write(LibraryCommand.fullMessage(for: error))
            return 2
        default:
            let failure = CommandFailure(error)
            Console.write(DisplayWidth.printable("descant library: \(failure.message)"))
            return failure.status
        }
    }
}
