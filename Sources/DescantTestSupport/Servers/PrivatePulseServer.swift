internal import Foundation
internal import Glibc
internal import Synchronization

/// A PulseAudio server in a temporary directory: two null sinks, no hardware, no bus, no user's settings.
///
/// The sinks run with `norewinds=1`, without which PulseAudio's null sink loses the beginning of what is played. What is
/// played to a sink can be recorded from its monitor with ``MonitorRecording``.
public final class PrivatePulseServer: Sendable {
    /// The sink that the server sends new streams to.
    public static let defaultSink = "speakers"
    /// The other sink.
    public static let otherSink = "headphones"

    /// The address, as `PULSE_SERVER` and GStreamer's `server` property take it.
    public let address: String
    /// The address of the socket that the server makes. It answers there before that socket is linked at ``address``.
    let ownAddress: String

    /// Reads and changes the server's state, as a user or another program would.
    public var control: ServerControl { ServerControl(address: address) }

    private let folder: ServerFolder
    private let modules: [String]
    private let card: SimulatedCard?
    private let process = Mutex<SpawnedProcess?>(nil)

    /// Starts a server and waits until it answers.
    ///
    /// - Parameters:
    ///   - modules: Additional modules with their arguments, such as `module-role-cork`.
    ///   - card: The card of the default sink; a null sink takes its place without one.
    /// - Throws: `TestSupportError.notInstalled` when PulseAudio is not installed, `TestSupportError.failed` with the server's log when
    ///   it does not start.
    public init(modules: [String] = [], card: SimulatedCard? = nil) throws {
        self.modules = modules
        self.card = card
        folder = try ServerFolder(label: "descant-pulse")
        address = "unix:\(folder.clientSocket.path)"
        ownAddress = "unix:\(folder.file("native").path)"
        try start()
    }

    deinit { kill() }

    /// Starts the server again after ``kill()``.
    ///
    /// - Throws: As for ``init(modules:card:)``.
    public func start() throws {
        try startWithoutClients()
        try acceptClients()
    }

    /// Starts the server; no socket is at ``address`` before ``acceptClients()``.
    func startWithoutClients() throws {
        folder.unpublishSocket()
        let configuration = try folder.write(Data(script.utf8), to: "default.pa")
        try? FileManager.default.removeItem(at: folder.file("native"))
        let tool = try ExternalTool(name: "pulseaudio", package: "pulseaudio").locate()
        let arguments = [
            "-n", "-F", configuration.path, "--daemonize=no", "--exit-idle-time=60", "--use-pid-file=no",
            "--high-priority=no", "--realtime=no", "--log-target=file:\(folder.file("log").path)",
        ]
        let server = try SpawnedProcess(tool.path, arguments, environment: environment)
        process.withLock { $0 = server }
        try waitUntilReady(server)
    }

    /// Links the server's own socket at ``address``, where clients connect.
    func acceptClients() throws { try folder.publishSocket(at: folder.file("native")) }

    /// Ends the server at once, as a crash would.
    public func kill() {
        process.withLock { process in
            process?.end()
            process = nil
        }
    }

    /// Suspends the server process: it accepts connections and answers nothing.
    public func freeze() { process.withLock { $0?.signal(SIGSTOP) } }

    /// Resumes a frozen server.
    public func thaw() { process.withLock { $0?.signal(SIGCONT) } }

    /// Sends new streams, and those that follow the default, to a sink.
    ///
    /// - Parameter sink: ``defaultSink`` or ``otherSink``.
    /// - Throws: `TestSupportError.failed` when the server refuses.
    public func setDefaultSink(_ sink: String) throws { try control.setDefaultSink(sink) }

    private func waitUntilReady(_ server: SpawnedProcess) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline, server.isRunning {
            // A failing pactl takes a few milliseconds, so this is not a busy loop.
            if (try? ServerControl(address: ownAddress).streams()) != nil { return }
        }
        let log = (try? String(contentsOf: folder.file("log"), encoding: .utf8)) ?? "no log"
        throw TestSupportError.failed("pulseaudio did not become ready: \(log.suffix(2_000))")
    }

    private var script: String {
        let format = "rate=48000 channels=2 format=float32le"
        let speakers = card == nil ? "null-sink norewinds=1" : "alsa-sink device=\(SimulatedCard.device)"
        return """
            .fail
            load-module module-\(speakers) sink_name=speakers \(format)
            load-module module-null-sink sink_name=headphones \(format) norewinds=1
            load-module module-rescue-streams
            load-module module-native-protocol-unix auth-anonymous=1 socket=\(folder.url.path)/native
            set-default-sink speakers
            \(modules.map { "load-module \($0)" }.joined(separator: "\n"))

            """
    }

    private var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        let home = folder.url.path
        for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "PULSE_RUNTIME_PATH", "PULSE_STATE_PATH"] {
            environment[name] = home
        }
        environment["PULSE_COOKIE"] = folder.file("cookie").path
        environment["DBUS_SESSION_BUS_ADDRESS"] = ""
        environment["PULSE_SERVER"] = nil
        card?.addEnvironment(to: &environment)
        return environment
    }
}
