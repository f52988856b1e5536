internal import Foundation

/// What the registry reads of a shared library without loading it.
///
/// Everything in the file is taken for hostile: every offset is checked against the file's length, arithmetic
/// cannot overflow, and the work is bounded by a small multiple of that length.
struct ELFImage {
    /// Why a file is not a usable shared library.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private enum SectionType {
        static let programBits: UInt32 = 1
        static let noBits: UInt32 = 8
        static let dynamicSymbols: UInt32 = 11
    }

    private struct Section {
        var name: UInt32
        var type: UInt32
        var offset: UInt64
        var size: UInt64
        var link: Int
    }

    private let data: Data
    private let sections: [Section]
    private let sectionNames: Int

    /// The names of symbols that the library offers to others.
    private(set) var defined: Set<String> = []
    /// The names of symbols that the library must find elsewhere.
    private(set) var undefined: Set<String> = []
    /// What the compilers and linkers left about themselves.
    private(set) var comments: [String] = []

    /// Reads the tables of a library.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - readsSymbols: Whether the symbols are read too; there are many.
    /// - Throws: ``Problem``.
    init(_ data: Data, readsSymbols: Bool = true) throws {
        self.data = data
        try Self.checkHeader(data)
        try Self.checkLoadedSegments(data)
        (sections, sectionNames) = try Self.readSections(data)
        if readsSymbols { try readSymbols() }
        comments = try readComments()
    }

    /// The Swift toolchain that made the library, as its compiler calls itself; `nil` when that was stripped.
    var toolchain: String? { comments.first { $0.contains("swiftlang") } }
}

/// The file's frame.
extension ELFImage {
    private static func checkHeader(_ data: Data) throws {
        guard data.starts(with: [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]) else {
            throw Problem(description: "it is not an ELF file")
        }
        guard data.count >= 64 else { throw Problem(description: "it is truncated within the ELF header") }
        guard try data.number(at: 4, UInt8.self) == 2, try data.number(at: 5, UInt8.self) == 1 else {
            throw Problem(description: "it is not for a 64-bit little-endian machine")
        }
        guard try data.number(at: 16, UInt16.self) == 3 else {
            throw Problem(description: "it is not a shared library; build a dynamic library product")
        }
        let machine = try data.number(at: 18, UInt16.self)
        #if arch(x86_64)
            let expected: UInt16 = 62
        #elseif arch(arm64)
            let expected: UInt16 = 183
        #else
            let expected = machine
        #endif
        guard machine == expected else {
            throw Problem(description: "it was built for another processor (ELF machine \(machine), here \(expected))")
        }
    }

    /// A segment beyond the file's end would end the process with SIGBUS when the loader touches it.
    private static func checkLoadedSegments(_ data: Data) throws {
        let table = try data.number(at: 0x20, UInt64.self)
        let entrySize = UInt64(try data.number(at: 0x36, UInt16.self))
        let count = UInt64(try data.number(at: 0x38, UInt16.self))
        guard count > 0, entrySize >= 56 else { throw Problem(description: "it has no program headers") }
        for index in 0..<count {
            let entry = table &+ index * entrySize
            guard try data.number(at: entry, UInt32.self) == 1 else { continue }
            let offset = try data.number(at: entry &+ 8, UInt64.self)
            let size = try data.number(at: entry &+ 32, UInt64.self)
            guard data.holds(offset, size) else {
                throw Problem(description: "it is truncated: segment \(index) ends beyond the file")
            }
        }
    }

    private static func readSections(_ data: Data) throws -> ([Section], names: Int) {
        let table = try data.number(at: 0x28, UInt64.self)
        let entrySize = UInt64(try data.number(at: 0x3a, UInt16.self))
        let count = UInt64(try data.number(at: 0x3c, UInt16.self))
        let names = Int(try data.number(at: 0x3e, UInt16.self))
        guard count > 0, entrySize >= 64, names < count else { throw Problem(description: "it has no section table") }
        var sections: [Section] = []
        for index in 0..<count {
            let entry = table &+ index * entrySize
            let section = Section(
                name: try data.number(at: entry, UInt32.self), type: try data.number(at: entry &+ 4, UInt32.self),
                offset: try data.number(at: entry &+ 24, UInt64.self),
                size: try data.number(at: entry &+ 32, UInt64.self),
                link: Int(try data.number(at: entry &+ 40, UInt32.self)))
            guard section.type == SectionType.noBits || data.holds(section.offset, section.size) else {
                throw Problem(description: "it is truncated: section \(index) ends beyond the file")
            }
            sections.append(section)
        }
        return (sections, names)
    }
}

/// The tables inside.
extension ELFImage {
    private mutating func readSymbols() throws {
        // Names may overlap in a hostile file; together they may not be longer than the file by much.
        var budget = data.count * 4
        for section in sections where section.type == SectionType.dynamicSymbols {
            for position in stride(from: UInt64(24), to: section.size - section.size % 24, by: 24) {
                let symbol = section.offset + position
                let name = try string(Int(try data.number(at: symbol, UInt32.self)), inTable: section.link)
                budget -= name.utf8.count + 1
                guard budget > 0 else { throw Problem(description: "its symbol names are out of proportion") }
                if try data.number(at: symbol + 6, UInt16.self) == 0 {
                    undefined.insert(name)
                } else {
                    defined.insert(name)
                }
            }
        }
        guard !defined.isEmpty else { throw Problem(description: "it offers no symbols") }
    }

    private func readComments() throws -> [String] {
        for section in sections where section.type == SectionType.programBits && section.size < 65_536 {
            guard try string(Int(section.name), inTable: sectionNames) == ".comment" else { continue }
            let start = data.startIndex + Int(section.offset)
            return data[start..<start + Int(section.size)].split(separator: 0).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return []
    }

    /// The text at an offset of a string table.
    private func string(_ offset: Int, inTable index: Int) throws -> String {
        guard sections.indices.contains(index), sections[index].type != SectionType.noBits,
            offset < sections[index].size
        else { throw Problem(description: "a name lies outside its string table") }
        let start = data.startIndex + Int(sections[index].offset)
        let rest = data[(start + offset)..<(start + Int(sections[index].size))]
        let longest = 65_536
        guard let end = rest.prefix(longest).firstIndex(of: 0) else {
            throw Problem(description: "a name has no end within \(longest) bytes")
        }
        return String(decoding: rest[..<end], as: UTF8.self)
    }
}

extension Data {
    /// Whether a range lies within the data.
    fileprivate func holds(_ offset: UInt64, _ size: UInt64) -> Bool {
        offset <= UInt64(count) && UInt64(count) - offset >= size
    }

    /// A little-endian number.
    fileprivate func number<Number: FixedWidthInteger>(at offset: UInt64, _: Number.Type) throws -> Number {
        let size = UInt64(MemoryLayout<Number>.size)
        guard holds(offset, size) else { throw ELFImage.Problem(description: "it is truncated at byte \(offset)") }
        return withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: Int(offset), as: Number.self)) }
    }
}
