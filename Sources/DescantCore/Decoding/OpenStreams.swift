internal import Synchronization

/// The open streams of a decoder by their handles, which ``DecoderPort`` leaves to each decoder.
///
/// A stream that is used by a call when another one closes it ends with that call. Any thread.
public final class OpenStreams<Stream: Sendable>: Sendable {
    private let streams = Mutex<[DecodeHandle: Stream]>([:])

    /// Creates an empty table.
    public init() {}

    /// Adds a stream.
    ///
    /// - Parameter stream: A stream that was just opened.
    /// - Returns: Its handle, which is like no other.
    public func add(_ stream: Stream) -> DecodeHandle {
        let handle = DecodeHandle()
        streams.withLock { $0[handle] = stream }
        return handle
    }

    /// The stream of a handle.
    ///
    /// - Parameter handle: A handle of ``add(_:)``.
    /// - Throws: ``CoreError/invalidState(_:)`` when the handle is closed.
    public subscript(handle: DecodeHandle) -> Stream {
        get throws {
            guard let stream = streams.withLock({ $0[handle] }) else {
                throw CoreError.invalidState("this stream is not open; open the file again")
            }
            return stream
        }
    }

    /// Removes the stream of a handle.
    ///
    /// - Parameter handle: A handle of ``add(_:)``.
    /// - Returns: The stream, for what it needs to be closed; `nil` when the handle is closed.
    @discardableResult
    public func remove(_ handle: DecodeHandle) -> Stream? { streams.withLock { $0.removeValue(forKey: handle) } }

    /// Removes all streams.
    ///
    /// - Returns: The streams, for what they need to be closed.
    public func removeAll() -> [Stream] {
        streams.withLock { streams in
            defer { streams = [:] }
            return Array(streams.values)
        }
    }
}
