internal import Foundation

/// Where the session's bus is.
enum BusAddress {
    /// The address that the environment names; `nil` when there is no session bus. None is started: a program that plays in a
    /// container or over a serial line has no use for one.
    ///
    /// - Parameter environment: The process's variables.
    static func session(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"] { return address.isEmpty ? nil : address }
        guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty,
            FileManager.default.fileExists(atPath: folder + "/bus")
        else { return nil }
        return "unix:path=\(folder)/bus"
    }
}
