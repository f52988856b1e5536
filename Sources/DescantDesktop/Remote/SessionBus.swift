internal import DescantCore
internal import Foundation

/// The session bus, which connects the programs of the desktop.
public enum SessionBus {
    /// The address that the environment names; `nil` when there is no session bus.
    public static var address: String? { BusAddress.session() }

    /// Connects to a bus and disconnects. Takes up to 3 s.
    ///
    /// - Parameter address: The address of the bus.
    /// - Returns: The reason why the bus cannot be used; `nil` when it answers.
    public static func problem(at address: String) async -> String? {
        do {
            try await BusSession.open(at: address, limit: 3).close()
            return nil
        } catch {
            return "\(error)"
        }
    }
}

/// The address of the session bus.
enum BusAddress {
    /// The address that the environment names; `nil` when there is no session bus. The library never starts one: a program in a
    /// container or on a serial line does not need it.
    ///
    /// - Parameter environment: The environment variables of the process.
    static func session(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"] { return address.isEmpty ? nil : address }
        // The XDG base directory specification says that relative paths are ignored.
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"),
            FileManager.default.fileExists(atPath: folder + "/bus")
        else { return nil }
        return "unix:path=\(folder)/bus"
    }
}
