import DescantTesting
import Foundation
import Testing

/// Changes the atoms of an MP4 file whose "moov" stands last, as ffmpeg writes it.
struct MovieEditor {
    private(set) var data: Data

    init(_ data: Data) throws {
        self.data = Data(data)
        #expect(try offset(of: "mdat") < (try offset(of: "moov")))
    }

    /// Where the content of the last atom of a kind begins.
    func offset(of kind: String) throws -> Int {
        try #require(data.range(of: Data(kind.utf8), options: .backwards), "no \(kind)").upperBound
    }

    func withoutEditList() throws -> MovieEditor {
        var result = self
        let start = try offset(of: "edts") - 4
        result.data.replaceSubrange(start..<start + 4, with: Data("free".utf8))
        return result
    }

    /// Adds an "iTunSMPB" tag with a text.
    func tagged(_ text: String) throws -> MovieEditor {
        let value = Self.atom("data", Data([0, 0, 0, 1, 0, 0, 0, 0]) + Data(text.utf8))
        let flags = Data([0, 0, 0, 0])
        let name =
            Self.atom("mean", flags + Data("com.apple.iTunes".utf8)) + Self.atom("name", flags + Data("iTunSMPB".utf8))
        let item = Self.atom("----", name + value)
        var result = self
        for kind in ["moov", "udta", "meta", "ilst"] {
            let place = try offset(of: kind) - 8
            let size = data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } + item.count
            result.data.replaceSubrange(place..<place + 4, with: Self.number(size))
        }
        let list = try offset(of: "ilst")
        result.data.insert(contentsOf: item, at: list)
        return result
    }

    private static func number(_ value: Int) -> Data { Data((0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) }) }

    private static func atom(_ kind: String, _ content: Data) -> Data {
        number(content.count + 8) + Data(kind.utf8) + content
    }
}
