/// A fault in the bytes of a connection.
///
/// Positions count the bytes that the server sends on a connection, from the first byte of the HTTP response. Faults of
/// the same connection do not change each other's positions.
public struct ConnectionFault: Sendable, Hashable {
    /// The kind of fault.
    public enum Action: Sendable, Hashable {
        /// The upgrade to a web socket is answered with this HTTP status.
        case refuse(status: Int)
        /// The connection ends after this number of bytes; with `resets` by a TCP reset.
        case cut(afterBytes: Int, resets: Bool = false)
        /// Nothing is sent after this number of bytes, and the connection stays open.
        case stall(afterBytes: Int)
        /// These bytes are inserted before the byte at a position.
        case insert([UInt8], atByte: Int)
        /// The bits of a byte are inverted.
        case flip(atByte: Int)
        /// Everything is sent in pieces of this number of bytes.
        case dribble(bytes: Int)
        /// The server stops reading after this number of bytes from the client.
        case stopReading(afterBytes: Int)
    }

    /// The affected connection, counted from 0 since the server was created; `nil` for all.
    public var connection: Int?
    /// The kind of fault.
    public var action: Action

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - action: The kind of fault.
    ///   - connection: The affected connection; `nil` for all.
    public init(_ action: Action, connection: Int? = nil) {
        self.action = action
        self.connection = connection
    }
}
