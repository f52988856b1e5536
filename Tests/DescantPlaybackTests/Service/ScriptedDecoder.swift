import DescantCore
import DescantTesting
import Foundation
import Synchronization

/// A decoder in memory whose streams have another length, or whose calls wait for the test.
final class ScriptedDecoder: DecoderPort, Sendable {
    enum Call { case read, seek }

    let base = MemoryDecoder()
    /// Resolved when a call waits.
    let isWaiting = Promise<Void>()
    private let duration: Double?
    private let gate = DispatchSemaphore(value: 0)
    private let held = Mutex<Call?>(nil)

    /// - Parameter duration: The length that streams report, in seconds; `nil` for their own.
    init(duration: Double? = nil) { self.duration = duration }

    /// Lets the next call of a kind wait.
    func hold(_ call: Call) { held.withLock { $0 = call } }

    /// Lets the call go on that waits.
    func release() { gate.signal() }

    private func pass(_ call: Call) {
        let waits = held.withLock { held in
            guard held == call else { return false }
            held = nil
            return true
        }
        guard waits else { return }
        isWaiting.resolve(())
        gate.wait()
    }

    func open(url: URL) throws -> DecodeHandle { try base.open(url: url) }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        pass(.read)
        return try base.read(handle, into: buffer, maxFrames: maxFrames)
    }

    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        pass(.seek)
        try base.seek(handle, toSeconds: seconds)
    }

    func info(_ handle: DecodeHandle) throws -> StreamInfo {
        var info = try base.info(handle)
        if let duration { info.duration = duration }
        return info
    }

    func close(_ handle: DecodeHandle) { base.close(handle) }
}
