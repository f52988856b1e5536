internal import DescantCore

/// The bus on which the desktop's programs talk.
public enum SessionBus {
    /// Where the environment says that it is; `nil` when there is none.
    public static var address: String? { BusAddress.session() }

    /// Connects to the session bus, and hangs up.
    ///
    /// - Parameter address: Where it is.
    /// - Returns: Why it cannot be used; `nil` when it answers. Takes three seconds at most.
    public static func problem(at address: String) async -> String? {
        do {
            try await BusSession.begin(at: address, limit: 3).end()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
