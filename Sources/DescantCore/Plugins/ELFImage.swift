internal import Foundation

/// What the registry reads of a shared library without loading it.
///
/// It reads what the dynamic linker reads: the program headers, and through them the dynamic section with its symbols and needed
/// libraries. The sections, which the linker does not use, are read by ``ELFSections``.
///
/// Everything in the file is taken for hostile: every offset is checked against the file's length, arithmetic
/// cannot overflow, and the work is bounded by a small multiple of that length.
struct ELFImage {
    /// Why a file is not a usable shared library.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private enum SegmentType {
        static let load: UInt32 = 1
        static let dynamic: UInt32 = 2
    }

    private enum Tag {
        static let needed: UInt64 = 1
        static let hash: UInt64 = 4
        static let stringTable: UInt64 = 5
        static let symbolTable: UInt64 = 6
        static let stringTableSize: UInt64 = 10
        static let gnuHash: UInt64 = 0x6fff_fef5
    }

    /// A part of the file that is mapped into memory.
    private struct Segment {
        var offset: UInt64
        var address: UInt64
        var size: UInt64
    }

    /// The string table of the dynamic section, as a range of the file.
    private struct StringTable {
        var offset: UInt64
        var size: UInt64
    }

    private static let symbolSize: UInt64 = 24
    private static let page: UInt64 = 4_096

    private let data: Data
    private let segments: [Segment]
    private let dynamic: [(tag: UInt64, value: UInt64)]

    /// The names of symbols that the library offers to others.
    private(set) var defined: Set<String> = []
    /// The names of symbols that the library must find elsewhere.
    private(set) var undefined: Set<String> = []
    /// The names of the libraries that are loaded with it.
    private(set) var needed: Set<String> = []
    /// The Swift toolchain that made the library, as its compiler calls itself; `nil` when that was stripped.
    private(set) var toolchain: String?

    /// Reads the tables of a library.
    ///
    /// - Parameter data: The whole file.
    /// - Throws: ``Problem``.
    init(_ data: Data) throws {
        self.data = data
        try Self.checkHeader(data)
        (segments, dynamic) = try Self.readSegments(data)
        try readSymbols()
        toolchain = try ELFSections.toolchain(of: data)
    }
}

/// The header, the segments and the dynamic section.
extension ELFImage {
    /// Whether a file begins as every ELF file does.
    static func beginsELF(_ data: Data) -> Bool {
        data.starts(with: [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")])
    }

    /// Throws unless a file begins with the header of a shared library for this machine.
    ///
    /// - Parameter data: The first 64 bytes, or more.
    static func checkHeader(_ data: Data) throws {
        guard beginsELF(data) else { throw Problem(description: "it is not an ELF file") }
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

    /// The mapped segments and the entries of the dynamic section. A segment beyond the file's end would end the process with SIGBUS
    /// when the linker touches it.
    private static func readSegments(_ data: Data) throws -> ([Segment], [(tag: UInt64, value: UInt64)]) {
        let table = try data.number(at: 0x20, UInt64.self)
        let entrySize = UInt64(try data.number(at: 0x36, UInt16.self))
        let count = UInt64(try data.number(at: 0x38, UInt16.self))
        // The dynamic linker takes no other size.
        guard count > 0, entrySize == 56 else { throw Problem(description: "it has no program headers") }
        var segments: [Segment] = []
        var dynamicAddress: UInt64?
        for index in 0..<count {
            let entry = table &+ index * entrySize
            let type = try data.number(at: entry, UInt32.self)
            guard type == SegmentType.load || type == SegmentType.dynamic else { continue }
            let segment = Segment(
                offset: try data.number(at: entry &+ 8, UInt64.self),
                address: try data.number(at: entry &+ 16, UInt64.self),
                size: try data.number(at: entry &+ 32, UInt64.self))
            guard data.holds(segment.offset, segment.size) else {
                throw Problem(description: "it is truncated: segment \(index) ends beyond the file")
            }
            // The linker finds the dynamic section by its address, wherever the program header says that it lies in the file.
            if type == SegmentType.dynamic { dynamicAddress = segment.address } else { segments.append(segment) }
        }
        try checkOrder(of: segments)
        guard let dynamicAddress else { throw Problem(description: "it has no dynamic section; it offers nothing") }
        return (segments, try entries(of: place(dynamicAddress, in: segments), in: data))
    }

    /// Pages of two segments at one address would make the file's bytes and the memory's different things.
    private static func checkOrder(of segments: [Segment]) throws {
        var end: UInt64 = 0
        for segment in segments {
            let (last, isOver) = segment.address.addingReportingOverflow(segment.size + (page - 1))
            guard !isOver, segment.address & ~(page - 1) >= end else {
                throw Problem(description: "its segments overlap or are out of order")
            }
            end = last & ~(page - 1)
        }
    }

    /// The entries up to the null entry.
    private static func entries(
        of place: (offset: UInt64, size: UInt64), in data: Data
    ) throws -> [(tag: UInt64, value: UInt64)] {
        var entries: [(tag: UInt64, value: UInt64)] = []
        for position in stride(from: UInt64(0), to: place.size - place.size % 16, by: 16) {
            let tag = try data.number(at: place.offset + position, UInt64.self)
            if tag == 0 { return entries }
            entries.append((tag, try data.number(at: place.offset + position + 8, UInt64.self)))
        }
        throw Problem(description: "its dynamic section has no end")
    }

    private func place(_ address: UInt64) throws -> (offset: UInt64, size: UInt64) {
        try Self.place(address, in: segments)
    }

    /// Where an address of the running library lies in the file, and how many bytes of its segment follow from there.
    private static func place(_ address: UInt64, in segments: [Segment]) throws -> (offset: UInt64, size: UInt64) {
        for segment in segments where address >= segment.address && address - segment.address < segment.size {
            let distance = address - segment.address
            return (segment.offset + distance, segment.size - distance)
        }
        throw Problem(description: "a table of its dynamic section lies in no segment")
    }

    /// The value of a tag; of several the linker takes the last one.
    private func value(_ tag: UInt64) -> UInt64? { dynamic.last { $0.tag == tag }?.value }
}

/// The tables inside.
extension ELFImage {
    private mutating func readSymbols() throws {
        guard let strings = value(Tag.stringTable), let size = value(Tag.stringTableSize),
            let symbols = value(Tag.symbolTable)
        else { throw Problem(description: "it has no dynamic section with symbols; it offers nothing") }
        let text = try place(strings)
        guard size <= text.size else { throw Problem(description: "its string table ends beyond its segment") }
        let table = StringTable(offset: text.offset, size: size)
        for (tag, value) in dynamic where tag == Tag.needed { needed.insert(try string(value, in: table)) }

        let start = try place(symbols)
        let count = try symbolCount()
        guard count <= start.size / Self.symbolSize else {
            throw Problem(description: "its symbol table ends beyond its segment")
        }
        // Names may overlap in a hostile file; together they may not be longer than the file by much.
        var budget = data.count * 4
        for index in stride(from: UInt64(1), to: count, by: 1) {
            let symbol = start.offset + index * Self.symbolSize
            let name = try string(UInt64(try data.number(at: symbol, UInt32.self)), in: table)
            budget -= name.utf8.count + 1
            guard budget > 0 else { throw Problem(description: "its symbol names are out of proportion") }
            if try data.number(at: symbol + 6, UInt16.self) == 0 {
                undefined.insert(name)
            } else {
                defined.insert(name)
            }
        }
        guard !defined.isEmpty else { throw Problem(description: "it offers no symbols") }
    }

    /// The number of symbols by both hash tables, through which the linker finds them: the greater one when they differ.
    private func symbolCount() throws -> UInt64 {
        var count: UInt64 = 0
        if let hash = value(Tag.hash) {
            let table = try place(hash)
            guard table.size >= 8 else { throw Problem(description: "its hash table is truncated") }
            count = UInt64(try data.number(at: table.offset + 4, UInt32.self))
        }
        if let hash = value(Tag.gnuHash) { count = max(count, try gnuSymbolCount(place(hash))) }
        return count
    }

    /// Walks the buckets to the last chain's end.
    private func gnuSymbolCount(_ table: (offset: UInt64, size: UInt64)) throws -> UInt64 {
        guard table.size >= 16 else { throw Problem(description: "its hash table is truncated") }
        func word(_ position: UInt64) throws -> UInt32 {
            guard position <= table.size - 4 else {
                throw Problem(description: "its hash table ends beyond its segment")
            }
            return try data.number(at: table.offset + position, UInt32.self)
        }
        let buckets = UInt64(try word(0))
        let first = UInt64(try word(4))
        let filter = UInt64(try word(8))
        let start = 16 + filter * 8
        var last: UInt64 = 0
        for bucket in 0..<buckets { last = max(last, UInt64(try word(start + bucket * 4))) }
        guard last >= first, last > 0 else { return first }
        let chains = start + buckets * 4
        while try word(chains + (last - first) * 4) & 1 == 0 { last += 1 }
        return last + 1
    }

    /// The text at an offset of a string table.
    private func string(_ offset: UInt64, in table: StringTable) throws -> String {
        guard offset < table.size else { throw Problem(description: "a name lies outside its string table") }
        let start = data.startIndex + Int(table.offset)
        let rest = data[(start + Int(offset))..<(start + Int(table.size))]
        let longest = 65_536
        guard let end = rest.prefix(longest).firstIndex(of: 0) else {
            throw Problem(description: "a name has no end within \(longest) bytes")
        }
        return String(decoding: rest[..<end], as: UTF8.self)
    }
}
