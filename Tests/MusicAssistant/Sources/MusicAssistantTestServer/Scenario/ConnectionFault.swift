/// Something that goes wrong with the bytes of a connection.
///
/// Positions count the bytes that the server sends on a connection, from the first one of the HTTP response on; faults
/// of the same connection do not change each other's positions.
public struct ConnectionFault: Sendable, Hashable {
    /// What goes wrong.
    public enum Action: Sendable, Hashable {
        /// The upgrade to a web socket is answered with this HTTP status.
        case refuse(status: Int)
        /// The connection ends after so many bytes; with `resets` so that the peer sees a reset instead of an end.
        case cut(afterBytes: Int, resets: Bool = false)
        /// Nothing is sent after so many bytes, and the connection stays open.
        case stall(afterBytes: Int)
        /// These bytes are sent in front of the byte at a position.
        case insert([UInt8], atByte: Int)
        /// The bits of a byte are inverted.
        case flip(atByte: Int)
        /// Everything is sent in pieces of so many bytes.
        case dribble(bytes: Int)
        /// The server stops reading after so many bytes from the client.
        case stopReading(afterBytes: Int)
    }

    /// The connection that it is for, counted from 0 since the server was made; `nil` for every one.
    public var connection: Int?
    /// What goes wrong.
    public var action: Action

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - action: What goes wrong.
    ///   - connection: The connection that it is for; `nil` for every one.
    public init(_ action: Action, connection: Int? = nil) {
        self.action = action
        self.connection = connection
    }
}
