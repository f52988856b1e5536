internal import ArgumentParser
internal import Foundation
internal import MusicAssistantKit
internal import MusicAssistantSettings

/// `descant ma connect`.
struct ConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Remembers a server, and a token when one is given.")

    @Flag(help: "Read a token, made on the server's web page, from standard input.")
    var token = false

    @Option(
        help: ArgumentHelp(
            "Trust the certificates in a file, in PEM format, and no others: for wss:// servers with one of their own.",
            valueName: "file"))
    var ca: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(help: ArgumentHelp("The server's address, such as ws://HOST:8095 or wss://HOST.", valueName: "url"))
    var url: String

    func run() async throws {
        guard let address = RemoteSettings.address(url) else { throw RemoteSettingsError.noAddress(url) }
        var environment = ProcessInfo.processInfo.environment
        environment["DESCANT_MA_SERVER"] = address.absoluteString
        // A token belongs to its server.
        var settings = try RemoteSettings(environment: environment)
        // Remembered as a whole path: later commands run in other folders.
        if let ca { settings.authorities = URL(fileURLWithPath: ca).standardizedFileURL }
        if token { settings.token = Console.readSecret("Token: ").map { AccessToken($0) } }
        try await Remote.run(settings, needsToken: false) { remote in
            let info = await remote.client.serverInfo
            try settings.remember()
            if json, let info {
                Console.show(info.json)
            } else {
                Console.show("connected to \(address.absoluteString), server \(info?.serverVersion ?? "unknown")")
                if settings.token == nil { Console.show("Go on with: descant ma login") }
            }
        }
    }
}
