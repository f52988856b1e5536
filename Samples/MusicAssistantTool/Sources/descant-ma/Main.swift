internal import ArgumentParser
internal import Foundation

/// Runs a command and turns its errors into messages and exit statuses.
@main
enum Main {
    static func main() async {
        // Without SIGPIPE, a closed pipe (as by `head`) is seen as an error of the write.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try RemoteControlCommand.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(report(error))
        }
    }

    /// Writes an error; help and versions are not errors.
    private static func report(_ error: any Error) -> Int32 {
        switch RemoteControlCommand.exitCode(for: error) {
        case .success:
            print(RemoteControlCommand.fullMessage(for: error))
            return 0
        case .validationFailure:
            Console.write(RemoteControlCommand.fullMessage(for: error))
            return 2
        default:
            let failure = CommandFailure(error)
            Console.write("descant ma: \(failure.message)")
            return failure.status
        }
    }
}
