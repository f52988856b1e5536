import DescantCore
import DescantTesting
import Foundation
import Synchronization

/// A decoder in memory whose streams have another length, or whose calls wait for the test.
final class ScriptedDecoder: DecoderPort, Sendable {
    enum Call { case open, read, seek, close }

    let base = MemoryDecoder()
    /// Resolved when a call waits.
    let isWaiting = Promise<Void>()
    /// Resolved when a stream was closed.
    let isClosed = Promise<Void>()
    private let duration: Double?
    private let gate = DispatchSemaphore(value: 0)
    private let change = Mutex<(@Sendable (UnsafeMutablePointer<Float>, Int) -> Int)?>(nil)
    private let held = Mutex<(call: Call, skips: Int)?>(nil)
    private let reads = Mutex(0)

    /// - Parameter duration: The length that streams report, in seconds; `nil` for their own.
    init(duration: Double? = nil) { self.duration = duration }

    /// How many reads have begun.
    var readCount: Int { reads.withLock { $0 } }

    /// Changes what every read gives: the samples, and how many frames it says they are.
    func changeReads(_ change: @escaping @Sendable (UnsafeMutablePointer<Float>, Int) -> Int) {
        self.change.withLock { $0 = change }
    }

    /// Lets the next call of a kind wait, or one behind others.
    func hold(_ call: Call, after calls: Int = 0) { held.withLock { $0 = (call, calls) } }

    /// Lets the call go on that waits.
    func release() { gate.signal() }

    private func pass(_ call: Call) {
        let waits = held.withLock { held in
            guard let next = held, next.call == call else { return false }
            held = next.skips == 0 ? nil : (call, next.skips - 1)
            return next.skips == 0
        }
        guard waits else { return }
        isWaiting.resolve(())
        gate.wait()
    }

    func open(url: URL) throws -> DecodeHandle {
        pass(.open)
        return try base.open(url: url)
    }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        reads.withLock { $0 += 1 }
        pass(.read)
        let frames = try base.read(handle, into: buffer, maxFrames: maxFrames)
        guard let change = change.withLock({ $0 }) else { return frames }
        return change(buffer, frames)
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

    func close(_ handle: DecodeHandle) {
        pass(.close)
        base.close(handle)
        isClosed.resolve(())
    }
}
