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
        let thread = BusThread(name: "descant-bus-check")
        let cancellable = BusCancellable()
        defer { thread.stop() }
        return await withCheckedContinuation { continuation in
            thread.post {
                let limit = OnceOnlyResult { continuation.resume(returning: $0) }
                BusConnection.open(address, cancellable: cancellable) { result in
                    switch result {
                    case .success(let connection):
                        limit.give(nil)
                        connection.close {}
                    case .failure(let error): limit.give(error.description)
                    }
                }
                thread.post(after: 3) {
                    cancellable.cancel()
                    limit.give("\(address) does not answer")
                }
            }
        }
    }
}
