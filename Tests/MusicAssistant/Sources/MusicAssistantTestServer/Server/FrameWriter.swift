internal import NIOCore

/// Writes web socket frames of a server, which have no mask.
enum FrameWriter {
    enum Kind: UInt8 {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA
    }

    /// Appends a frame.
    static func write(
        _ payload: ByteBuffer, as kind: Kind = .text, isLast: Bool = true, to buffer: inout ByteBuffer
    ) {
        buffer.writeInteger(kind.rawValue | (isLast ? 0x80 : 0))
        switch payload.readableBytes {
        case 0..<126: buffer.writeInteger(UInt8(payload.readableBytes))
        case 126...0xFFFF:
            buffer.writeInteger(126 as UInt8)
            buffer.writeInteger(UInt16(payload.readableBytes))
        default:
            buffer.writeInteger(127 as UInt8)
            buffer.writeInteger(UInt64(payload.readableBytes))
        }
        buffer.writeImmutableBuffer(payload)
    }

    /// Appends a text in fragments of a number of bytes.
    static func write(_ payload: ByteBuffer, inFragmentsOf size: Int, to buffer: inout ByteBuffer) {
        var rest = payload
        var kind = Kind.text
        repeat {
            let piece = rest.readSlice(length: min(max(1, size), rest.readableBytes)) ?? ByteBuffer()
            write(piece, as: kind, isLast: rest.readableBytes == 0, to: &buffer)
            kind = .continuation
        } while rest.readableBytes > 0
    }

    /// Appends a close frame.
    static func write(closeCode: Int, to buffer: inout ByteBuffer) {
        var payload = ByteBuffer()
        payload.writeInteger(UInt16(clamping: closeCode))
        write(payload, as: .close, to: &buffer)
    }
}
