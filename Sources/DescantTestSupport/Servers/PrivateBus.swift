internal import Foundation
internal import Glibc
internal import Synchronization

/// A message bus (D-Bus) in a temporary directory, without the user's services.
public final class PrivateBus: Sendable {
    /// The address, as `DBUS_SESSION_BUS_ADDRESS` takes it; the same after a restart.
    public let address: String

    private let folder: ServerFolder
    private let process = Mutex<SpawnedProcess?>(nil)

    /// Starts a bus and waits until it answers.
    ///
    /// - Throws: `TestSupportError.notInstalled` when dbus-daemon is not installed, `TestSupportError.failed` when it does not start.
    public init() throws {
        folder = try ServerFolder(label: "descant-bus")
        address = "unix:path=\(folder.url.path)/bus"
        try start()
    }

    deinit { kill() }

    /// Starts the bus again after ``kill()``.
    ///
    /// - Throws: As for ``init()``.
    public func start() throws {
        let configuration = try folder.write(Data(configuration.utf8), to: "bus.conf")
        try? FileManager.default.removeItem(at: folder.file("bus"))
        let tool = try ExternalTool(name: "dbus-daemon", package: "dbus").locate()
        let arguments = ["--config-file=\(configuration.path)", "--nofork", "--nopidfile", "--nosyslog"]
        let daemon = try SpawnedProcess(tool.path, arguments, environment: ProcessInfo.processInfo.environment)
        process.withLock { $0 = daemon }
        try waitUntilReady(daemon)
    }

    /// Ends the bus at once, as a crash would.
    public func kill() {
        process.withLock { process in
            process?.end()
            process = nil
        }
    }

    /// Suspends the bus process: it accepts connections and answers nothing.
    public func freeze() { process.withLock { $0?.signal(SIGSTOP) } }

    /// Resumes a frozen bus.
    public func thaw() { process.withLock { $0?.signal(SIGCONT) } }

    /// Sends a command to the player that was there first, as media keys of a desktop do.
    ///
    /// - Parameter arguments: Those of `playerctl`.
    /// - Returns: Whether a player took it.
    /// - Throws: `TestSupportError.notInstalled` when playerctl is not installed.
    public func commandPlayer(_ arguments: [String]) throws -> Bool {
        let address = "DBUS_SESSION_BUS_ADDRESS=\(address)"
        let tool = try ExternalTool(name: "playerctl", package: "playerctl").locate()
        do {
            try ExternalTool(name: "env", package: "coreutils").run([address, tool.path] + arguments, log: folder)
            return true
        } catch TestSupportError.failed {
            return false
        }
    }

    private func waitUntilReady(_ daemon: SpawnedProcess) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        let ask = ExternalTool(name: "dbus-send", package: "dbus")
        while ContinuousClock.now < deadline, daemon.isRunning {
            // A failing dbus-send takes a few milliseconds, so this is not a busy loop.
            let arguments = [
                "--bus=\(address)", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.GetId",
            ]
            if (try? ask.run(arguments, log: folder)) != nil { return }
        }
        throw TestSupportError.failed("dbus-daemon did not become ready at \(address)")
    }

    private var configuration: String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(folder.url.path)/bus</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """
    }
}
