import Descant
import DescantTestSupport
import DescantTesting
import Foundation

/// The desktop around a host: a sound server with calls and devices that change, and a bus on which others command its player.
///
/// Only one task calls its methods.
final class SoakedDesktop {
    let session: AudioSessionCoordinator
    private let server: PrivatePulseServer
    private let bus: PrivateBus
    private var call: ForeignPlayer?

    init() throws {
        server = try PrivatePulseServer()
        bus = try PrivateBus()
        // Where remote controls and `playerctl` find the bus.
        setenv("DBUS_SESSION_BUS_ADDRESS", bus.address, 1)
        session = AudioSessionCoordinator(port: PulseAudioSession(server: server.address))
    }

    /// Begins a call, during which a session is interrupted.
    func beginCall() throws { call = try ForeignPlayer(on: server.address, name: "call", role: "phone") }

    func endCall() { call = nil }

    func changeDevice(to isOther: Bool) throws {
        try server.setDefaultSink(isOther ? PrivatePulseServer.otherSink : PrivatePulseServer.defaultSink)
    }

    func restartServer() throws {
        call = nil
        server.kill()
        try server.start()
    }

    func restartBus() throws {
        bus.kill()
        try bus.start()
    }

    /// Sends a command over the bus, as a desktop does. It fails without effect while no player is shown.
    func command(_ arguments: String...) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["playerctl"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        // That of `env` for a program that it does not find.
        if process.terminationStatus == 127 { throw TestSupportError.notInstalled("playerctl is not installed") }
    }
}
