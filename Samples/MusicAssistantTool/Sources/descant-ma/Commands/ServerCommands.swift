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
            valueName: "file"), completion: .file())
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
        // The whole path is stored, because later commands may run in other folders.
        if let ca { settings.authorities = URL(fileURLWithPath: ca).standardizedFileURL }
        if token {
            guard let text = Console.readSecret("Token: "), !text.isEmpty else {
                throw CommandFailure(status: 2, "no token was given; make one on the server's web page")
            }
            settings.token = AccessToken(text)
        }
        let hasStoredToken = !token && (environment["DESCANT_MA_TOKEN"] ?? "").isEmpty && settings.token != nil
        do {
            try await connect(settings, to: address)
        } catch MusicAssistantError.tokenRejected where hasStoredToken {
            // The login that makes another token goes to the remembered server, which has to be this one.
            settings.token = nil
            try await connect(settings, to: address)
        }
    }

    /// Connects to a server and remembers it.
    private func connect(_ settings: RemoteSettings, to address: URL) async throws {
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

/// `descant ma login`.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Logs in and remembers the token.",
        discussion: "Asks for the password; without a terminal, reads it from standard input. It is not kept.")

    @Option(help: ArgumentHelp("The user's name. (default: asked for)", valueName: "name"))
    var user: String?

    @Flag(help: "Print JSON.")
    var json = false

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
            if json {
                Console.show(.object(["done": "logged in", "user": .string(name)]))
            } else {
                Console.show("logged in as \(name)")
            }
        }
    }

    private func ask(_ prompt: String) -> String? {
        Console.note(prompt)
        return readLine()
    }
}

/// `descant ma discover`.
struct DiscoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover", abstract: "Finds servers in the home's network.",
        discussion: "Servers announce themselves by mDNS as _mass._tcp; avahi-daemon hears that and is asked for it.")

    @Option(help: ArgumentHelp("How long to search.", valueName: "seconds"))
    var within = 5.0

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard within > 0, within <= 600 else { throw ValidationError("--within \(within): use more than 0, up to 600") }
    }

    func run() async throws {
        let services = try await ServiceBrowser.services("_mass._tcp", within: within)
        let servers = Self.servers(services)
        if json { return Console.show(.array(servers.map(\.json))) }
        if servers.isEmpty { Console.write("no server was found; name it yourself: descant ma connect ws://HOST:8095") }
        for server in servers { Console.show("\(server.name)  \(server.url)  version \(server.version)") }
    }

    struct Server {
        let name: String
        let url: String
        let version: String
        let text: [String: String]

        var json: JSONValue {
            [
                "name": .string(name), "url": .string(url), "version": .string(version),
                "properties": .object(text.mapValues { .string($0) }),
            ]
        }
    }

    /// Prints one line per server. A server announces itself on every interface with both address families; the IPv4 address
    /// is used, because every server listens on it.
    static func servers(_ services: [ServiceBrowser.Service]) -> [Server] {
        let sorted = services.sorted {
            ($0.name, $0.address.contains(":") ? 1 : 0) < ($1.name, $1.address.contains(":") ? 1 : 0)
        }
        var known: Set<String> = []
        return sorted.compactMap { service in
            let id = service.text["server_id"] ?? service.name
            guard known.insert(id).inserted else { return nil }
            let host = service.address.contains(":") ? "[\(service.address)]" : service.address
            let name = service.text["name"].flatMap { $0.isEmpty ? nil : $0 } ?? service.host
            return Server(
                name: name, url: "ws://\(host):\(service.port)", version: service.text["server_version"] ?? "unknown",
                text: service.text)
        }
    }
}

/// `descant ma raw`.
struct RawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raw", abstract: "Sends any command and prints its result as JSON.",
        discussion: "descant ma raw players/get '{\"player_id\":\"kitchen\"}'")

    @Argument(help: "The command, such as players/all.")
    var command: String

    @Argument(help: "Its arguments, a JSON object.")
    var arguments = "{}"

    func validate() throws {
        guard (try? JSONValue(parsing: arguments))?.objectValue != nil else {
            throw ValidationError(
                "\(arguments): the arguments are a JSON object, such as '{\"player_id\":\"kitchen\"}'")
        }
    }

    func run() async throws {
        let members = try JSONValue(parsing: arguments).objectValue ?? [:]
        try await Remote.run { remote in Console.show(try await remote.client.send(command, members)) }
    }
}
