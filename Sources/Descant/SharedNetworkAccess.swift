internal import DescantCore
internal import Synchronization

/// Network settings that an environment and its engines share.
final class SharedNetworkAccess: Sendable {
    private let access = Mutex(NetworkAccess())

    func withLock<Result: Sendable>(_ body: (inout NetworkAccess) -> Result) -> Result {
        access.withLock { body(&$0) }
    }
}
