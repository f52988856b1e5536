import DescantCore
import DescantTesting
import Foundation
import Synchronization

/// A decoder in memory whose streams have another length, or whose seeks wait for the test.
final class ScriptedDecoder: DecoderPort, Sendable {
    let base = MemoryDecoder()
    /// Resolved when a seek waits.
    let isSeeking = Promise<Void>()
    private let duration: Double?
    private let gate = DispatchSemaphore(value: 0)
    private let isHeld = Mutex(false)

    /// - Parameter duration: The length that streams report, in seconds; `nil` for their own.
    init(duration: Double? = nil) { self.duration = duration }

    /// Lets the next seek wait.
    func holdNextSeek() { isHeld.withLock { $0 = true } }

    /// Lets the seek go on that waits.
    func releaseSeek() { gate.signal() }

    func open(url: URL) throws -> DecodeHandle { try base.open(url: url) }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try base.read(handle, into: buffer, maxFrames: maxFrames)
    }

    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        let waits = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if waits {
            isSeeking.resolve(())
            gate.wait()
        }
        try base.seek(handle, toSeconds: seconds)
    }

    func info(_ handle: DecodeHandle) throws -> StreamInfo {
        var info = try base.info(handle)
        if let duration { info.duration = duration }
        return info
    }

    func close(_ handle: DecodeHandle) { base.close(handle) }
}
