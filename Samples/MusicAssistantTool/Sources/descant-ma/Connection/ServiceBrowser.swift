internal import CGioBus
internal import Foundation

/// Finds services in the local network with Avahi over the system's D-Bus.
struct ServiceBrowser {
    /// A service in the network.
    struct Service: Hashable {
        let name: String
        let host: String
        let address: String
        let port: Int
        /// The TXT records.
        let text: [String: String]
    }

    /// Why services cannot be searched.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    /// Finds services, for at most some seconds; ends earlier when Avahi reports that it has listed all.
    ///
    /// Uses GLib only on a dedicated thread, which is blocked meanwhile.
    static func services(_ type: String, within seconds: Double) async throws -> [Service] {
        try await withCheckedThrowingContinuation { continuation in
            Thread {
                continuation.resume(with: Result { try Search(type).run(within: seconds) })
            }.start()
        }
    }

    /// One search, used on one thread only.
    private final class Search {
        /// The results so far. The callback, which runs on this thread within `g_main_context_iteration`, adds to them.
        final class Found {
            var names: [(interface: Int32, family: Int32, name: String, domain: String)] = []
            var isComplete = false
            var failure: String?
        }

        let type: String
        let found = Found()
        private let bus: OpaquePointer

        init(_ type: String) throws {
            self.type = type
            var error: UnsafeMutablePointer<GError>?
            let flags = GDBusConnectionFlags(
                G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                    | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
            guard let address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SYSTEM, nil, &error),
                let bus = g_dbus_connection_new_for_address_sync(address, flags, nil, nil, &error)
            else { throw Unavailable(description: "there is no system bus: \(takeText(error)). \(Search.remedy)") }
            g_free(address)
            g_dbus_connection_set_exit_on_close(bus, 0)
            self.bus = bus
        }

        deinit { g_object_unref(UnsafeMutableRawPointer(bus)) }

        func run(within seconds: Double) throws -> [Service] {
            let context = g_main_context_new()
            g_main_context_push_thread_default(context)
            defer {
                g_main_context_pop_thread_default(context)
                g_main_context_unref(context)
            }
            // Subscribes to all paths before the search begins, because the first answers arrive before its path is known.
            let subscription = g_dbus_connection_signal_subscribe(
                bus, "org.freedesktop.Avahi", "org.freedesktop.Avahi.ServiceBrowser", nil, nil, nil,
                G_DBUS_SIGNAL_FLAGS_NONE, serviceSignalled, Unmanaged.passUnretained(found).toOpaque(), nil)
            defer { g_dbus_connection_signal_unsubscribe(bus, subscription) }
            // Any interface, any family, this type, the usual domain.
            _ = try call("ServiceBrowserNew", [int(-1), int(-1), text(type), text(""), unsigned(0)])
            wait(seconds, context)
            if let failure = found.failure { throw Unavailable(description: "Avahi cannot search: \(failure)") }
            var services: [Service] = []
            for entry in found.names {
                // A service that was removed meanwhile cannot be resolved.
                if let service = try? resolve(entry), !services.contains(service) { services.append(service) }
            }
            return services
        }

        private func wait(_ seconds: Double, _ context: OpaquePointer?) {
            let end = ContinuousClock.now + .seconds(seconds)
            while !found.isComplete, ContinuousClock.now < end {
                if g_main_context_iteration(context, 0) == 0 { usleep(10_000) }
            }
        }

        private func resolve(_ entry: (interface: Int32, family: Int32, name: String, domain: String)) throws -> Service
        {
            let answer = try call(
                "ResolveService",
                [
                    int(entry.interface), int(entry.family), text(entry.name), text(type), text(entry.domain), int(-1),
                    unsigned(0),
                ])
            defer { g_variant_unref(answer) }
            return Service(
                name: string(answer, 2), host: string(answer, 5), address: string(answer, 7),
                port: Int(child(answer, 8) { g_variant_get_uint16($0) }), text: child(answer, 9, entries))
        }

        /// The texts `KEY=VALUE`, each an array of bytes.
        private func entries(_ list: OpaquePointer) -> [String: String] {
            var result: [String: String] = [:]
            for index in 0..<g_variant_n_children(list) {
                let bytes = child(list, index) { entry in
                    (0..<g_variant_n_children(entry)).map { child(entry, $0) { g_variant_get_byte($0) } }
                }
                let parts = String(decoding: bytes, as: UTF8.self).split(separator: "=", maxSplits: 1)
                if let key = parts.first { result[String(key)] = parts.count > 1 ? String(parts[1]) : "" }
            }
            return result
        }

        private func call(_ method: String, _ arguments: [OpaquePointer?]) throws -> OpaquePointer {
            var error: UnsafeMutablePointer<GError>?
            var arguments = arguments
            let tuple = g_variant_new_tuple(&arguments, gsize(arguments.count))
            guard
                let answer = g_dbus_connection_call_sync(
                    bus, "org.freedesktop.Avahi", "/", "org.freedesktop.Avahi.Server", method, tuple, nil,
                    G_DBUS_CALL_FLAGS_NONE, 5000, nil, &error)
            else { throw Unavailable(description: "Avahi does not answer: \(takeText(error)). \(Search.remedy)") }
            return answer
        }

        private static let remedy =
            "Install and start avahi-daemon, or name the server yourself: descant ma connect ws://HOST:8095"

        private func int(_ value: Int32) -> OpaquePointer? { g_variant_new_int32(value) }
        private func unsigned(_ value: UInt32) -> OpaquePointer? { g_variant_new_uint32(value) }
        private func text(_ value: String) -> OpaquePointer? { g_variant_new_string(value) }
    }
}

// MARK: - Reading values

private func child<Value>(_ tuple: OpaquePointer, _ index: some BinaryInteger, _ read: (OpaquePointer) -> Value)
    -> Value
{
    // The index is valid, because Avahi's interface defines the type.
    let value = g_variant_get_child_value(tuple, gsize(index)).unsafelyUnwrapped
    defer { g_variant_unref(value) }
    return read(value)
}

private func string(_ tuple: OpaquePointer, _ index: Int) -> String {
    child(tuple, index) { String(cString: g_variant_get_string($0, nil)) }
}

/// The text of an error, which is released.
private func takeText(_ error: UnsafeMutablePointer<GError>?) -> String {
    guard let error else { return "unknown" }
    defer { g_error_free(error) }
    return String(cString: error.pointee.message)
}

/// Callbacks of GLib on the thread of the search.
private func serviceSignalled(
    _ bus: OpaquePointer?, _ sender: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?,
    _ interface: UnsafePointer<CChar>?, _ signal: UnsafePointer<CChar>?, _ parameters: OpaquePointer?, _ data: gpointer?
) {
    guard let data, let signal, let parameters else { return }
    let found = Unmanaged<AnyObject>.fromOpaque(data).takeUnretainedValue()
    ServiceBrowser.note(String(cString: signal), parameters, in: found)
}

extension ServiceBrowser {
    fileprivate static func note(_ signal: String, _ parameters: OpaquePointer, in object: AnyObject) {
        guard let found = object as? Search.Found else { return }
        switch signal {
        case "ItemNew" where hasType(parameters, "(iisssu)"):
            found.names.append(
                (
                    child(parameters, 0) { g_variant_get_int32($0) }, child(parameters, 1) { g_variant_get_int32($0) },
                    string(parameters, 2), string(parameters, 4)
                ))
        case "AllForNow": found.isComplete = true
        case "Failure":
            found.failure = hasType(parameters, "(s)") ? string(parameters, 0) : "unknown"
            found.isComplete = true
        default: break
        }
    }

    private static func hasType(_ value: OpaquePointer, _ type: String) -> Bool {
        String(cString: g_variant_get_type_string(value)) == type
    }
}
