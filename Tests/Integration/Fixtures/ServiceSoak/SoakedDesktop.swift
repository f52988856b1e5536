import Descant
import DescantTestSupport
import DescantTesting
import Foundation

/// The desktop around a host: a sound server with calls and devices that change, and a bus on which others command its player.
///
/// Only one task calls its methods.
final class SoakedDesktop {
    let session: AudioSessionCoordinator
    /// How many commands a player took.
    private(set) var takenCommands = 0
    private let server: PrivatePulseServer
    private let bus: PrivateBus
    private var call: ForeignPlayer?

    init() throws {
        server = try PrivatePulseServer()
        bus = try PrivateBus()
        // Where remote controls find the bus.
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
        let bus = bus
        // Not on a thread of tasks: the player that answers needs one.
        let wasTaken = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try bus.commandPlayer(arguments) }) }
        }
        takenCommands += wasTaken ? 1 : 0
    }
}
