import NIOCore

/// Collects the bytes that a client sends.
enum ByteCollector {
    /// An upgrade and an authentication in one piece, the frame with a mask of zeros.
    static var upgradeAndAuthenticate: ByteBuffer {
        var bytes = ByteBuffer(string: RawClient.upgradeRequest)
        let text = #"{"message_id":"1","command":"auth","args":{"token":"test-token"}}"#
        bytes.writeBytes([0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0])
        bytes.writeString(text)
        return bytes
    }
}
