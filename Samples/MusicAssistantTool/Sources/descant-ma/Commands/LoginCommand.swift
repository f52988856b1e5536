internal import ArgumentParser
internal import Foundation
internal import MusicAssistantKit
internal import MusicAssistantSettings

/// `descant ma login`.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Logs in and remembers the token.",
        discussion: "The password is asked for, or read from standard input when that is no terminal; it is not kept.")

    @Option(help: ArgumentHelp("The user's name. (default: asked for)", valueName: "name"))
    var user: String?

    func run() async throws {
        var settings = try RemoteSettings()
        settings.token = nil
        guard let name = user ?? ask("User: "), let password = Console.readSecret("Password: ") else {
            throw CommandFailure(status: 2, "a user and a password are needed; see: descant ma login --help")
        }
        try await Remote.run(settings, needsToken: false) { remote in
            settings.token = try await remote.client.login(
                username: name, password: password, deviceName: "descant on \(ProcessInfo.processInfo.hostName)")
            try settings.remember()
            Console.show("logged in as \(name)")
        }
    }

    private func ask(_ prompt: String) -> String? {
        Console.note(prompt)
        return readLine()
    }
}
