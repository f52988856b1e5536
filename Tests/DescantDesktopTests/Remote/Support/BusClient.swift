import CGio
import DescantCore
import Synchronization

@testable import DescantDesktop

/// A client on the bus, like a desktop panel: it calls methods and receives signals.
final class BusClient: Sendable {
    /// A received signal and its sender.
    struct Heard: Sendable {
        var sender: String
        var signal: BusSignal
    }

    private let thread = BusThread(name: "bus-client")
    private let connection: BusConnection
    /// Every signal from the MPRIS path, and every change of a name's owner.
    let heard = EventHub<Heard>()

    init(_ address: String) async throws {
        let thread = thread
        let cancellable = BusCancellable()
        connection = try await withCheckedThrowingContinuation { continuation in
            thread.post { BusConnection.open(address, cancellable: cancellable) { continuation.resume(with: $0) } }
        }
        await subscribe(path: MPRISName.path)
        await subscribe(path: "/org/freedesktop/DBus")
        // The subscriptions are registered when the bus answers.
        _ = try await call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
    }

    deinit {
        let thread = thread
        connection.close(on: thread) { thread.stop() }
    }

    private func subscribe(path: String) async {
        let (connection, heard) = (connection, heard)
        await withCheckedContinuation { continuation in
            thread.post {
                let deliver: @Sendable (Heard) -> Void = { heard.post($0) }
                _ = g_dbus_connection_signal_subscribe(
                    connection.pointer, nil, nil, nil, path, nil, G_DBUS_SIGNAL_FLAGS_NONE, signalHeard,
                    BusCallback.retained(deliver), releaseBusCallback)
                continuation.resume()
            }
        }
    }

    func call(
        _ destination: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue] = []
    ) async throws -> [BusValue] {
        let (connection, thread) = (connection, thread)
        return try await withCheckedThrowingContinuation { continuation in
            thread.post {
                connection.call(destination, path, interface, method, arguments, limit: 60) {
                    continuation.resume(with: $0)
                }
            }
        }
    }
}

private func signalHeard(
    _ connection: OpaquePointer?, _ sender: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?,
    _ interface: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?, _ parameters: OpaquePointer?, _ data: gpointer?
) {
    guard let interface, let name, let parameters else { return }
    let signal = BusSignal(
        interface: String(cString: interface), name: String(cString: name),
        arguments: BusValue(parameters).parts ?? [])
    let sender = sender.map { String(cString: $0) } ?? ""
    BusCallback<@Sendable (BusClient.Heard) -> Void>.value(data)(BusClient.Heard(sender: sender, signal: signal))
}
