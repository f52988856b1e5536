public import Foundation
internal import Glibc
public import MusicAssistantKit
internal import MusicAssistantTLS

/// Which Music Assistant server and player a person uses.
///
/// The server and the player are remembered in `music-assistant.json`, tokens in `music-assistant-tokens.json`, both in
/// `$XDG_CONFIG_HOME/descant` and readable by their owner only. `DESCANT_MA_SERVER`, `DESCANT_MA_TOKEN` and
/// `DESCANT_MA_PLAYER` go before what is remembered.
public struct RemoteSettings: Sendable, Equatable {
    /// The server's address, as the person gave it.
    public var server: URL?
    /// The player's identifier.
    public var player: String?
    /// The token for the server.
    public var token: AccessToken?

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - server: The server's address.
    ///   - player: The player's identifier.
    ///   - token: The token for the server.
    public init(server: URL? = nil, player: String? = nil, token: AccessToken? = nil) {
        self.server = server
        self.player = player
        self.token = token
    }

    /// Reads what is remembered, and what the environment says instead.
    ///
    /// - Parameter environment: The variables.
    /// - Throws: ``RemoteSettingsError`` when the file holds something else, or `TokenFileError`.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let remembered = try Self.remembered(in: environment)
        if let text = environment["DESCANT_MA_SERVER"], !text.isEmpty {
            guard let url = Self.address(text) else { throw RemoteSettingsError.noAddress(text) }
            server = url
        } else {
            server = remembered["server"]?.stringValue.flatMap { URL(string: $0) }
        }
        player = environment["DESCANT_MA_PLAYER"] ?? remembered["player"]?.stringValue
        if let secret = environment["DESCANT_MA_TOKEN"], !secret.isEmpty {
            token = AccessToken(secret)
        } else if let server {
            token = try Self.tokenFile(in: environment).token(for: server)
        }
    }

    /// Remembers the settings.
    ///
    /// - Parameter environment: The variables, for the folder.
    /// - Throws: ``RemoteSettingsError`` or `TokenFileError` when a file cannot be written.
    public func remember(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        var members: [String: JSONValue] = [:]
        members["server"] = server.map { .string($0.absoluteString) }
        members["player"] = player.map { .string($0) }
        let file = Self.file("music-assistant.json", in: environment)
        try Self.write(JSONValue.object(members).jsonString + "\n", to: file)
        if let server { try Self.tokenFile(in: environment).store(token, for: server) }
    }

    /// A client for the server.
    ///
    /// - Parameters:
    ///   - reconnect: When a client that lost its connection tries again.
    ///   - logger: Gets what the client has to say.
    /// - Throws: ``RemoteSettingsError/noServer`` when none is known.
    public func makeClient(
        reconnect: ReconnectPolicy = ReconnectPolicy(), logger: (@Sendable (LogEntry) -> Void)? = nil
    ) throws -> MusicAssistantClient {
        guard let server else { throw RemoteSettingsError.noServer }
        let configuration = ClientConfiguration(
            token: token, reconnect: reconnect, security: .tls, logger: logger)
        return MusicAssistantClient(url: server, configuration: configuration)
    }

    /// The address of a server from what a person types: `music.local`, `music.local:8095`, `ws://…`, `https://…`.
    ///
    /// - Parameter text: What was typed.
    /// - Returns: `nil` when that is no address.
    public static func address(_ text: String) -> URL? {
        let url = URL(string: text.contains("://") ? text : "ws://\(text)")
        guard let url, ["ws", "wss", "http", "https"].contains(url.scheme ?? ""), url.host()?.isEmpty == false else {
            return nil
        }
        return url
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

    /// A new file takes the place of the old one, so that nobody ever sees half of it.
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
