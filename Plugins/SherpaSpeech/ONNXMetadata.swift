internal import Descant
internal import Foundation

/// The metadata of an ONNX file: names and values, which sherpa-onnx reads too.
///
/// The file is a message of protocol buffers (https://onnx.ai: ModelProto). Only the outermost fields are read; the network,
/// which may have hundreds of megabytes, is skipped.
struct ONNXMetadata: Sendable {
    /// The number of the field `metadata_props`.
    private static let field = 14
    /// The maximum length of a pair of name and value; longer ones are skipped.
    private static let maximumPair = 1 << 20

    private(set) var values: [String: String] = [:]

    subscript(name: String) -> String? { values[name] }

    /// Reads the metadata of a file.
    ///
    /// - Throws: `CoreError.decodeError` for a file that is damaged or not an ONNX model, `CoreError.ioError`.
    init(of path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw CoreError.ioError("sherpa: \(path) cannot be read")
        }
        let damage = CoreError.decodeError("sherpa: \(path) is damaged, or no ONNX model")
        let size = try file.seekToEnd()
        var place: UInt64 = 0
        while place < size {
            try file.seek(toOffset: place)
            var head = ProtobufBytes(try file.read(upToCount: 20) ?? Data())
            guard let key = head.number() else { throw damage }
            switch key & 7 {
            case 0: guard head.number() != nil else { throw damage }
            case 1: head.skip(8)
            case 5: head.skip(4)
            case 2:
                guard let length = head.number(), length <= size - min(size, place + head.place) else { throw damage }
                if key >> 3 == Self.field, length < Self.maximumPair {
                    try file.seek(toOffset: place + head.place)
                    add(try file.read(upToCount: Int(length)) ?? Data())
                }
                head.skip(length)
            default: throw damage
            }
            place += head.place
        }
        guard place == size, size > 0 else { throw damage }
    }

    private mutating func add(_ pair: Data) {
        var bytes = ProtobufBytes(pair)
        var texts: [UInt64: String] = [:]
        while let key = bytes.number(), key & 7 == 2, let text = bytes.text() { texts[key >> 3] = text }
        if let name = texts[1] { values[name] = texts[2] ?? "" }
    }
}

/// Reads numbers and texts of protocol buffers.
private struct ProtobufBytes {
    private let data: Data
    /// The number of bytes that were read or skipped.
    private(set) var place: UInt64 = 0

    init(_ data: Data) { self.data = data }

    mutating func skip(_ count: UInt64) { place += count }

    /// Seven bits in every byte, the lowest first; the highest bit says that there are more.
    mutating func number() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard place < data.count else { return nil }
            let byte = data[data.startIndex + Int(place)]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }

    mutating func text() -> String? {
        guard let length = number(), length <= UInt64(data.count) - place else { return nil }
        let start = data.startIndex + Int(place)
        skip(length)
        return String(decoding: data[start..<start + Int(length)], as: UTF8.self)
    }
}
