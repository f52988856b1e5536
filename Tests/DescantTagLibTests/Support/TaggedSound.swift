import Foundation

/// Frames of MPEG audio and ID3v2 tags of any content, for what no program writes, or only some do.
enum TaggedSound {
    /// Twenty frames of layer III at 128 kbit/s and 44.1 kHz.
    static let sound: [UInt8] = [[UInt8]](
        repeating: [0xFF, 0xFB, 0x90, 0] + [UInt8](repeating: 0, count: 413), count: 20
    )
    .flatMap(\.self)

    /// An ID3v2 tag.
    ///
    /// - Parameters:
    ///   - version: 3 or 4.
    ///   - flags: Those of its header.
    static func tag(_ body: [UInt8], version: UInt8 = 3, flags: UInt8 = 0) -> [UInt8] {
        Array("ID3".utf8) + [version, 0, flags] + synchsafe(body.count) + body
    }

    /// A frame of version 2.3, or of 2.4 if it is shorter than 128 bytes.
    static func frame(_ name: String, _ content: [UInt8], flag: UInt8 = 0) -> [UInt8] {
        Array(name.utf8) + number(content.count) + [0, flag] + content
    }

    /// A text frame of Latin-1.
    static func text(_ name: String, _ text: String) -> [UInt8] { frame(name, [0] + Array(text.utf8)) }

    /// Four bytes, the most significant first.
    static func number(_ value: Int) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(value >> $0 & 0xFF) }
    }

    /// Four bytes of 7 bits.
    static func synchsafe(_ value: Int) -> [UInt8] {
        stride(from: 21, through: 0, by: -7).map { UInt8(value >> $0 & 0x7F) }
    }
}
