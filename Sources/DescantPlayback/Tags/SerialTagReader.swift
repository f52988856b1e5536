internal import DescantCore
internal import Foundation
internal import Synchronization

/// A port that is no `Sendable`, behind a lock.
///
/// Unchecked as the port's type cannot tell: it is reached through the lock only, so calls never overlap, and each sees what the one
/// before it did.
final class SerialTagReader: @unchecked Sendable {
    private let lock = Mutex(())
    private let port: any TagReaderPort

    init(_ port: any TagReaderPort) { self.port = port }

    func read(url: URL) throws -> TagBundle { try lock.withLock { _ in try port.read(url: url) } }
}
