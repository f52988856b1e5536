import DescantTestSupport
import Dispatch
import Foundation
import Glibc
import Synchronization

/// A TCP server on the loopback interface that keeps the received bytes.
final class PCMReceiver: Sendable {
    var port: Int { listener.port }
    private let listener: ListeningSocket
    private let streams = Mutex<[Data]>([])
    private let present = Mutex<Int32>(-1)
    private let hasReceived = DispatchSemaphore(value: 0)
    /// Counts the connections that have ended.
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter closesAtOnce: Whether every connection is ended as soon as it is made.
    init(closesAtOnce: Bool = false) throws {
        listener = try ListeningSocket()
        listener.accept { [weak self] connection in
            if !closesAtOnce { self?.receive(connection) }
            close(connection)
        }
    }

    deinit { listener.shutDown() }

    /// The samples of the first connection, once its sender has closed it.
    func firstStream() -> [Float] {
        (firstStreams(1).first ?? Data()).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// The bytes of the first connections, once the senders have closed them.
    func firstStreams(_ count: Int) -> [Data] {
        let isComplete = (0..<count).allSatisfy { _ in ended.wait(timeout: .now() + 60) == .success }
        for _ in 0..<count where isComplete { ended.signal() }
        return streams.withLock { Array($0.prefix(count)) }
    }

    /// The bytes of every connection that has ended.
    var completeStreams: [Data] { streams.withLock { $0 } }

    /// Ends the present connection as soon as something was received.
    func disconnect() {
        guard hasReceived.wait(timeout: .now() + 60) == .success else { return }
        present.withLock { _ = shutdown($0, Int32(SHUT_RDWR)) }
    }

    private func receive(_ connection: Int32) {
        present.withLock { $0 = connection }
        defer { present.withLock { $0 = -1 } }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(connection, &buffer, buffer.count, 0), count > 0 {
            data.append(contentsOf: buffer[..<count])
            hasReceived.signal()
        }
        streams.withLock { $0.append(data) }
        ended.signal()
    }
}
