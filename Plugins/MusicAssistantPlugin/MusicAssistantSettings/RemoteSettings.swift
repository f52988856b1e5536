public import Foundation
internal import Glibc
public import MusicAssistantKit
internal import MusicAssistantTLS

/// The user's Music Assistant server and player.
///
/// The server and the player are stored in `music-assistant.json`, tokens in `music-assistant-tokens.json`, both in
/// `$XDG_CONFIG_HOME/descant` and readable by their owner only. `DESCANT_MA_SERVER`, `DESCANT_MA_TOKEN`,
/// `DESCANT_MA_PLAYER` and `DESCANT_MA_CA` precede the stored values.
public struct RemoteSettings: Sendable, Equatable {
    /// The server's address, as the user entered it.
    public var server: URL?
    /// The player's identifier, or its name.
    public var player: String?
    /// The player's name, if it was chosen before.
    public var playerName: String?
    /// The token for the server.
    public var token: AccessToken?
    /// A file of certificate authorities for the server; `nil` for those that the machine trusts.
    public var authorities: URL?
    /// How long an engine waits for a lost server or player, in seconds.
    public var patience: Double

    /// The default wait, in seconds; an update of a server takes one or two minutes.
    public static let usualPatience = 180.0

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - server: The server's address.
    ///   - player: The player's identifier.
    ///   - token: The token for the server.
    ///   - authorities: A file of certificate authorities for the server.
    public init(server: URL? = nil, player: String? = nil, token: AccessToken? = nil, authorities: URL? = nil) {
        self.server = server
        self.player = player
        self.token = token
        self.authorities = authorities
        patience = Self.usualPatience
    }

    /// Reads the stored settings and the environment variables that precede them.
    ///
    /// - Parameter environment: The variables.
    /// - Throws: ``RemoteSettingsError`` when the file is not a settings file, or `TokenFileError`.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let remembered = try Self.remembered(in: environment)
        patience = try Self.patience(in: environment)
        if let text = environment["DESCANT_MA_SERVER"], !text.isEmpty {
            guard let url = Self.address(text) else { throw RemoteSettingsError.noAddress(text) }
            server = url
        } else {
            server = remembered["server"]?.stringValue.flatMap { URL(string: $0) }
        }
        // Players and certificates are those of a server.
        let isRemembered = server?.absoluteString == remembered["server"]?.stringValue
        if let name = environment["DESCANT_MA_PLAYER"], !name.isEmpty {
            player = name
        } else if isRemembered {
            player = remembered["player"]?.stringValue
            playerName = remembered["player_name"]?.stringValue
        }
        authorities = Self.authorities(isRemembered ? remembered["ca"]?.stringValue : nil, in: environment)
        if let given = Self.token(in: environment) {
            token = given
        } else if let server {
            token = try Self.tokenFile(in: environment).token(for: server)
        }
    }

    /// Stores the settings, except a token from `DESCANT_MA_TOKEN` and a player from `DESCANT_MA_PLAYER`.
    ///
    /// - Parameter environment: The variables.
    /// - Throws: ``RemoteSettingsError`` or `TokenFileError` when a file cannot be written.
    public func remember(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        var members: [String: JSONValue] = [:]
        members["server"] = server.map { .string($0.absoluteString) }
        if (environment["DESCANT_MA_PLAYER"] ?? "").isEmpty {
            members["player"] = player.map { .string($0) }
            members["player_name"] = playerName.map { .string($0) }
        } else {
            let stored = try Self.remembered(in: environment)
            if stored["server"] == members["server"] {
                (members["player"], members["player_name"]) = (stored["player"], stored["player_name"])
            }
        }
        // A file named by the system's variable is not stored.
        if let authorities, authorities.path != environment["SSL_CERT_FILE"] {
            members["ca"] = .string(authorities.path)
        }
        try Self.store(members, in: environment)
        if let server, token == nil || token != Self.token(in: environment) {
            try Self.tokenFile(in: environment).store(token, for: server)
        }
    }

    /// Stores the player, if the server is the stored one. Variables are for one command, so nothing else is stored.
    ///
    /// - Parameter environment: The variables, for the folder.
    /// - Throws: ``RemoteSettingsError`` when a file cannot be read or written.
    public func rememberPlayer(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        var members = try Self.remembered(in: environment)
        guard let server, members["server"]?.stringValue == server.absoluteString else { return }
        members["player"] = player.map { .string($0) }
        members["player_name"] = playerName.map { .string($0) }
        try Self.store(members, in: environment)
    }

    private static func store(_ members: [String: JSONValue], in environment: [String: String]) throws {
        try write(JSONValue.object(members).jsonString + "\n", to: file("music-assistant.json", in: environment))
    }

    /// A client for the server.
    ///
    /// - Parameters:
    ///   - reconnect: The delays before attempts to reconnect.
    ///   - logger: Receives log entries.
    /// - Throws: ``RemoteSettingsError/noServer`` when none is known, ``RemoteSettingsError/noCertificates(_:)``.
    public func makeClient(
        reconnect: ReconnectPolicy = ReconnectPolicy(), logger: (@Sendable (LogEntry) -> Void)? = nil
    ) throws -> MusicAssistantClient {
        guard let server else { throw RemoteSettingsError.noServer }
        let configuration = ClientConfiguration(
            token: token, reconnect: reconnect, security: try security(of: server), logger: logger)
        return MusicAssistantClient(url: server, configuration: configuration)
    }

    private func security(of server: URL) throws -> TransportSecurity {
        guard let authorities, ["wss", "https"].contains(server.scheme?.lowercased()) else { return .tls }
        do {
            return try .tls(trusting: authorities)
        } catch {
            throw RemoteSettingsError.noCertificates(authorities.path)
        }
    }

    /// Parses the address of a server: `music.local`, `music.local:8095`, `ws://…`, `https://…`.
    ///
    /// - Parameter text: The text that the user entered.
    /// - Returns: `nil` when the text is not an address.
    public static func address(_ text: String) -> URL? {
        let url = URL(string: text.contains("://") ? text : "ws://\(text)")
        guard let url, ["ws", "wss", "http", "https"].contains(url.scheme ?? ""), url.host()?.isEmpty == false else {
            return nil
        }
        return url
    }

    // MARK: Variables

    private static func token(in environment: [String: String]) -> AccessToken? {
        environment["DESCANT_MA_TOKEN"].flatMap { $0.isEmpty ? nil : AccessToken($0) }
    }

    private static func patience(in environment: [String: String]) throws -> Double {
        guard let text = environment["DESCANT_MA_WAIT"], !text.isEmpty else { return usualPatience }
        guard let seconds = Double(text), (0...86_400).contains(seconds) else { throw RemoteSettingsError.noTime(text) }
        return seconds
    }

    /// The variable of this program, else the stored value, else the variable of OpenSSL that many programs use.
    private static func authorities(_ remembered: String?, in environment: [String: String]) -> URL? {
        [environment["DESCANT_MA_CA"], remembered, environment["SSL_CERT_FILE"]]
            .lazy.compactMap(\.self).first { !$0.isEmpty }.map { URL(fileURLWithPath: $0) }
    }

    // MARK: Files

    private static func file(_ name: String, in environment: [String: String]) -> URL {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
        return URL(fileURLWithPath: folder).appendingPathComponent("descant/\(name)")
    }

    private static func tokenFile(in environment: [String: String]) -> TokenFile {
        TokenFile(url: file("music-assistant-tokens.json", in: environment))
    }

    private static func remembered(in environment: [String: String]) throws -> [String: JSONValue] {
        let url = file("music-assistant.json", in: environment)
        guard FileManager.default.fileExists(atPath: url.path) else { return [:] }
        guard let data = FileManager.default.contents(atPath: url.path),
            let members = try? JSONValue(parsing: data).objectValue
        else { throw RemoteSettingsError.unreadable(url.path) }
        return members
    }

    /// The new file replaces the old one atomically, so that no reader sees an incomplete file.
    private static func write(_ text: String, to url: URL) throws {
        let folder = url.deletingLastPathComponent()
        let new = folder.appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let isWritten = FileManager.default.createFile(
            atPath: new.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten, rename(new.path, url.path) == 0 else {
            unlink(new.path)
            throw RemoteSettingsError.notWritten(url.path)
        }
    }
}
