internal import Foundation
internal import Synchronization

/// Another program that plays on a private sound server, such as a music player or a telephone. It plays silence; servers
/// make no difference between silence and sound.
public final class ForeignPlayer: Sendable {
    /// The number of the program's process.
    public let identifier: Int32

    private let process: Mutex<SpawnedProcess?>

    /// Starts the program. It connects later: wait until the server lists its stream.
    ///
    /// - Parameters:
    ///   - address: The server's address, as `PULSE_SERVER` takes it.
    ///   - name: The name of the client and of its stream.
    ///   - role: The `media.role` of its stream, such as `music` or `phone`; `nil` for none.
    /// - Throws: `TestSupportError.notInstalled` when pacat is not installed, `TestSupportError.failed` when it does not start.
    public init(on address: String, name: String = "another player", role: String? = nil) throws {
        let tool = try ExternalTool(name: "pacat", package: "pulseaudio-utils").locate()
        let purpose = role.map { ["--property=media.role=\($0)"] } ?? []
        let arguments =
            [
                "--playback", "--raw", "--server=\(address)", "--client-name=\(name)", "--stream-name=\(name)",
                "--format=s16le", "--rate=48000", "--channels=2", "--latency-msec=50",
            ] + purpose + ["/dev/zero"]
        let started = try SpawnedProcess(
            tool.path, arguments, environment: ProcessInfo.processInfo.environment)
        identifier = started.identifier
        process = Mutex(started)
    }

    deinit { stop() }

    /// Ends the program.
    public func stop() {
        process.withLock { process in
            process?.end()
            process = nil
        }
    }
}
