internal import Foundation
internal import Glibc
internal import Synchronization

/// A Snapcast server in a temporary folder, which takes the sound of one TCP connection, and its clients. It is not announced on the
/// network and listens on the loopback interface only.
public final class PrivateSnapServer: Sendable {
    /// The port of the TCP source: 16-bit stereo at 48 kHz.
    public let sourcePort: UInt16

    private let folder: ServerFolder
    private let clientPort: UInt16
    private let server = Mutex<SpawnedProcess?>(nil)
    private let clients = Mutex<[SpawnedProcess]>([])

    /// Starts a server and waits until it listens.
    ///
    /// - Throws: `TestSupportError.notInstalled` when Snapcast is not installed, `TestSupportError.failed` with the server's log when
    ///   it does not start.
    public init() throws {
        folder = try ServerFolder(label: "descant-snap")
        (sourcePort, clientPort) = try Self.freePorts()
        try start()
    }

    deinit {
        kill()
    }

    /// Starts the server again after ``kill()``.
    ///
    /// - Throws: As for ``init()``.
    public func start() throws {
        let file = try folder.write(Data(configuration.utf8), to: "snapserver.conf")
        let tool = try ExternalTool(name: "snapserver", package: "snapserver").locate()
        let process = try SpawnedProcess(tool.path, ["--config", file.path], environment: environment)
        server.withLock { $0 = process }
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline, process.isRunning {
            // A connection would be taken for a sender. Reading the system's list takes long enough for a loop.
            if try Self.isListening(sourcePort), try Self.isListening(clientPort) { return }
        }
        let log = (try? String(contentsOf: folder.file("log"), encoding: .utf8)) ?? "no log"
        throw TestSupportError.failed("snapserver did not become ready: \(log.suffix(2_000))")
    }

    /// Ends the server and its clients at once, as when their machine loses its power. A client alone does not always connect again when
    /// it plays to PulseAudio (0.26).
    public func kill() {
        clients.withLock { clients in
            for client in clients { client.end() }
            clients = []
        }
        server.withLock { server in
            server?.end()
            server = nil
        }
    }

    /// Starts a client that plays to a sink of a PulseAudio server.
    ///
    /// - Parameters:
    ///   - sink: The sink's name.
    ///   - pulse: The server of the sink.
    /// - Throws: `TestSupportError.notInstalled` when Snapcast's client is not installed.
    public func startClient(on sink: String, of pulse: PrivatePulseServer) throws {
        let tool = try ExternalTool(name: "snapclient", package: "snapclient").locate()
        var environment = environment
        environment["PULSE_SERVER"] = pulse.address
        let client = try SpawnedProcess(
            tool.path,
            [
                "--host", "127.0.0.1", "--port", "\(clientPort)", "--hostID", sink, "--player", "pulse",
                "--soundcard", sink, "--logsink", "null",
            ], environment: environment)
        clients.withLock { $0.append(client) }
    }

    private var configuration: String {
        """
        [server]
        datadir = \(folder.url.path)
        [http]
        enabled = false
        [tcp]
        enabled = false
        [stream]
        bind_to_address = 127.0.0.1
        port = \(clientPort)
        source = tcp://127.0.0.1:\(sourcePort)?name=test&mode=server&sampleformat=48000:16:2
        [logging]
        sink = file:\(folder.file("log").path)

        """
    }

    private var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"] { environment[name] = folder.url.path }
        // Avahi, which would announce the server, is reached through this bus.
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=\(folder.file("no-bus").path)"
        environment["DBUS_SESSION_BUS_ADDRESS"] = ""
        return environment
    }

    /// Two ports that were free a moment ago.
    private static func freePorts() throws -> (UInt16, UInt16) {
        let sockets = try [ListeningSocket.bind(), ListeningSocket.bind()]
        defer { for socket in sockets { close(socket.descriptor) } }
        return (sockets[0].port, sockets[1].port)
    }

    /// Whether a program of this machine listens on a port of the loopback interface.
    private static func isListening(_ port: UInt16) throws -> Bool {
        let address = "0100007F:" + String(format: "%04X", Int(port))
        return try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            // 0A is TCP_LISTEN.
            return fields.count > 3 && fields[1] == address && fields[3] == "0A"
        }
    }
}
