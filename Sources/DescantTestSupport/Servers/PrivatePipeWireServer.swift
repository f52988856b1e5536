internal import Foundation
internal import Synchronization

/// A PipeWire server with its PulseAudio service in a temporary directory: two null sinks, a session manager and a bus of its
/// own, no hardware, no user's settings.
///
/// The sound of a sink can be recorded from its monitor with ``MonitorRecording``. PipeWire drops some milliseconds more
/// often than PulseAudio does, so tests compare order and level here, and exact samples on PulseAudio.
public final class PrivatePipeWireServer: Sendable {
    /// One of the two sinks.
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
    private let card: SimulatedCard?
    private let processes = Mutex<[SpawnedProcess]>([])

    /// Starts a server and waits until it answers.
    ///
    /// - Parameter card: The card of the default sink; a null sink takes its place without one.
    /// - Throws: `TestSupportError.notInstalled` naming the package of a program that is not installed, `TestSupportError.failed` when a
    ///   program does not start or answer.
    public init(card: SimulatedCard? = nil) throws {
        self.card = card
        folder = try ServerFolder(label: "descant-pipewire")
        address = "unix:\(folder.clientSocket.path)"
        ownAddress = "unix:\(folder.file("pulse/native").path)"
        try start()
    }

    deinit { kill() }

    /// Starts the server again after ``kill()``.
    ///
    /// - Throws: As for ``init(card:)``.
    public func start() throws {
        try startWithoutClients()
        try acceptClients()
    }

    /// Starts the server; no socket is at ``address`` before ``acceptClients()``.
    func startWithoutClients() throws {
        folder.unpublishSocket()
        for leftover in ["bus", "pipewire-0", "pipewire-0.lock", "pulse"] {
            try? FileManager.default.removeItem(at: folder.file(leftover))
        }
        let bus = ["--session", "--address=\(busAddress)", "--nofork", "--nopidfile"]
        try launch("dbus-daemon", package: "dbus", bus)
        try wait(for: "dbus-send", ["--session", "--dest=org.freedesktop.DBus", "--print-reply", "/", Self.peer])
        try launch("pipewire", package: "pipewire")
        try wait(for: "pw-cli", ["info", "0"])
        try launch("wireplumber", package: "wireplumber")
        try launch("pipewire-pulse", package: "pipewire-pulse")
        try wait(for: "pactl", ["--server=\(ownAddress)", "info"])
        if card != nil {
            try launch("pw-cli", package: "pipewire-bin", ["-m", "create-node", "adapter", Self.cardNode])
        }
        for sink in card == nil ? [Self.defaultSink, Self.otherSink] : [Self.otherSink] {
            try call(
                "pactl",
                [
                    "--server=\(ownAddress)", "load-module", "module-null-sink", "sink_name=\(sink)", "rate=48000",
                    "channels=2", "channel_map=front-left,front-right",
                ])
        }
        // The session manager chooses the sink that it found last, and accepts another default only after a moment.
        try wait(for: "pactl", ["--server=\(ownAddress)", "set-default-sink", Self.defaultSink])
        try ServerControl(address: ownAddress).setDefaultSink(Self.defaultSink)
    }

    /// Links the server's own socket at ``address``, where clients connect.
    func acceptClients() throws { try folder.publishSocket(at: folder.file("pulse/native")) }

    /// Ends all programs of the server at once, as a crash would.
    public func kill() {
        let running = processes.withLock { processes in
            defer { processes = [] }
            return processes
        }
        for process in running.reversed() { process.end() }
    }

    /// Exchanges this number of frames with the devices at once.
    func forceQuantum(_ frames: Int) throws {
        try call("pw-metadata", ["-n", "settings", "0", "clock.force-quantum", String(frames)])
    }

    // MARK: Programs

    /// The node of a card; it lasts as long as the program that makes it.
    private static let cardNode = """
        { factory.name=api.alsa.pcm.sink node.name=\(defaultSink) media.class=Audio/Sink api.alsa.path=\(SimulatedCard.device) \
        audio.format=F32 audio.rate=48000 audio.channels=2 audio.position=[FL FR] }
        """
    private static let peer = "org.freedesktop.DBus.Peer.Ping"
    private var busAddress: String { "unix:path=\(folder.url.path)/bus" }

    private var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PIPEWIRE_RUNTIME_DIR"] {
            environment[name] = folder.url.path
        }
        environment["PULSE_RUNTIME_PATH"] = "\(folder.url.path)/pulse"
        environment["DBUS_SESSION_BUS_ADDRESS"] = busAddress
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = busAddress
        for name in ["PULSE_SERVER", "DISPLAY", "WAYLAND_DISPLAY"] { environment[name] = nil }
        card?.addEnvironment(to: &environment)
        return environment
    }

    private func launch(_ name: String, package: String, _ arguments: [String] = []) throws {
        let tool = try ExternalTool(name: name, package: package).locate()
        let process = try SpawnedProcess(tool.path, arguments, environment: environment)
        processes.withLock { $0.append(process) }
    }

    /// Runs a client with the server's environment.
    private func call(_ name: String, _ arguments: [String]) throws {
        let settings = ["DBUS_SESSION_BUS_ADDRESS", "PIPEWIRE_RUNTIME_DIR"].map { "\($0)=\(environment[$0] ?? "")" }
        try ExternalTool(name: "env", package: "coreutils").run(settings + [name] + arguments, log: folder)
    }

    /// Calls a client until it gets an answer.
    private func wait(for name: String, _ arguments: [String]) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        var reason = "a program of it ended"
        while ContinuousClock.now < deadline, processes.withLock({ $0.allSatisfy(\.isRunning) }) {
            // A failing client takes a few milliseconds, so this is not a busy loop.
            do { return try call(name, arguments) } catch { reason = "\(error)" }
        }
        throw TestSupportError.failed("PipeWire did not become ready: \(reason)")
    }
}
