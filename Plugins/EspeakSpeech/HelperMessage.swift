internal import Foundation

/// A message of the helper; the helper's source describes the format.
enum HelperMessage {
    case ready(sampleRate: Int, version: String)
    case voices(String)
    case word(request: UInt32, scalar: Int, frame: Int64)
    case sound(request: UInt32, samples: [Float])
    case end(request: UInt32, Ending)

    enum Ending: UInt8 {
        case spoken = 0
        case cancelled, noVoice, failed
    }

    static let protocolVersion: UInt8 = 1

    /// Reads a message without its length; `nil` for one of no known form.
    init?(_ bytes: [UInt8]) {
        let fields = bytes.dropFirst()
        switch bytes.first.map({ Character(Unicode.Scalar($0)) }) {
        case "R" where fields.count >= 5 && fields.first == Self.protocolVersion:
            let version = String(decoding: fields.dropFirst(5), as: UTF8.self)
            self = .ready(sampleRate: Int(fields.number(at: 1)), version: version)
        case "V":
            self = .voices(String(decoding: fields, as: UTF8.self))
        case "W" where fields.count == 12:
            self = .word(
                request: fields.number(at: 0), scalar: Int(fields.number(at: 4)), frame: Int64(fields.number(at: 8)))
        case "P" where fields.count >= 4:
            let samples = stride(from: 4, to: fields.count - 1, by: 2).map { place in
                let first = fields.startIndex + place
                return Float(Int16(bitPattern: UInt16(fields[first]) | UInt16(fields[first + 1]) << 8)) / 32_768
            }
            self = .sound(request: fields.number(at: 0), samples: samples)
        case "E" where fields.count == 5:
            guard let ending = fields.last.flatMap(Ending.init) else { return nil }
            self = .end(request: fields.number(at: 0), ending)
        default: return nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// Four bytes, the least significant first.
    func number(at place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(self[startIndex + place + $1]) << UInt32(8 * $1) }
    }
}

extension [UInt8] {
    mutating func append(number: UInt32) {
        for shift in [0, 8, 16, 24] { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
}
