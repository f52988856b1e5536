/// The comments of FLAC and Ogg files: a vendor and lines of NAME=value, as they lie in the file.
package struct VorbisComment {
    private var vendor: [UInt8]
    package var lines: [[UInt8]]
    /// The bytes behind the comments.
    private let trailer: [UInt8]

    /// Creates comments without lines.
    package init() {
        vendor = Array("Descant".utf8)
        lines = []
        trailer = []
    }

    /// Reads a comment block or packet behind its signature.
    package init(_ bytes: ArraySlice<UInt8>) throws(ContainerError) {
        var reader = ByteReader(bytes)
        vendor = Array(try reader.take(try reader.number(4, .little)))
        let count = try reader.number(4, .little)
        // Each line begins with its length in four bytes.
        guard count <= reader.remaining / 4 else { throw .damaged("\(count) comments are announced") }
        lines = []
        for _ in 0..<count { lines.append(Array(try reader.take(try reader.number(4, .little)))) }
        trailer = Array(reader.takeRemaining())
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(vendor.count, bytes: 4, .little)
        bytes += vendor
        bytes.append(lines.count, bytes: 4, .little)
        for line in lines {
            bytes.append(line.count, bytes: 4, .little)
            bytes += line
        }
        return bytes + trailer
    }

    // MARK: Lines

    /// The name of a line in capitals.
    package static func name(of line: [UInt8]) -> String {
        String(latin1: line.prefix { $0 != 0x3D }.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 })
    }

    /// The values of the lines of a name in capitals.
    package func values(_ name: String) -> [String] {
        lines.filter { Self.name(of: $0) == name }.map {
            String(decoding: $0.dropFirst(name.utf8.count + 1), as: UTF8.self)
        }
    }

    /// Replaces the lines whose names match by lines of one name.
    package mutating func set(_ name: String, _ values: [String], where isOld: (String) -> Bool) {
        let place = lines.firstIndex { isOld(Self.name(of: $0)) } ?? lines.count
        lines.removeAll { isOld(Self.name(of: $0)) }
        lines.insert(contentsOf: values.map { Array("\(name)=\($0)".utf8) }, at: min(place, lines.count))
    }
}
