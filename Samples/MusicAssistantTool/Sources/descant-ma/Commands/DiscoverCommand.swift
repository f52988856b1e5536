internal import ArgumentParser
internal import MusicAssistantKit

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
        if servers.isEmpty { Console.show("no server was found; name it yourself: descant ma connect ws://HOST:8095") }
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

    /// One line a server, which announces itself on every interface and with both families; IPv4 is what it listens on for sure.
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
