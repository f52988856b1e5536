internal import Foundation
internal import Glibc

/// The bytes of an ELF file: in memory, or in an open file of which only parts are read.
protocol ELFBytes {
    /// The file's length in bytes.
    var length: UInt64 { get }

    /// Reads bytes.
    ///
    /// - Throws: ``ELFImage/Problem`` when some of them lie beyond the end or cannot be read.
    func bytes(at offset: UInt64, count: UInt64) throws -> Data
}

/// The sections of an ELF file. The dynamic linker does not use them, so they can be stripped or forged without
/// changing what is loaded. They serve only for the compiler's name.
enum ELFSections {
    private enum Kind {
        static let programBits: UInt32 = 1
        static let noBits: UInt32 = 8
    }

    private struct Section {
        var name: UInt64
        var type: UInt32
        var offset: UInt64
        var size: UInt64
    }

    private static let headerSize: UInt64 = 64
    private static let entrySize: UInt64 = 64
    private static let commentLimit: UInt64 = 65_536

    /// The Swift toolchain that made a shared library, as its compiler calls itself.
    ///
    /// Reads the ELF header, the section table, the names of sections that can be `.comment`, and `.comment`.
    ///
    /// - Returns: `nil` when the section table or `.comment` was stripped, or names no Swift compiler.
    /// - Throws: ``ELFImage/Problem`` when it is not a shared library for this machine, or when the section table or a section
    ///   ends beyond the file: the file is truncated.
    static func toolchain(of file: some ELFBytes) throws -> String? {
        let header = try file.bytes(at: 0, count: min(headerSize, file.length))
        try ELFImage.checkHeader(header)
        let sections = try read(header, of: file)
        let names = Int(try header.number(at: 0x3e, UInt16.self))
        guard sections.indices.contains(names), sections[names].type != Kind.noBits else { return nil }
        let comment = sections.first { $0.type == Kind.programBits && isComment($0, named: sections[names], in: file) }
        guard let comment, comment.size < commentLimit else { return nil }
        return try file.bytes(at: comment.offset, count: comment.size).split(separator: 0)
            .map { String(decoding: $0, as: UTF8.self) }
            .first { $0.contains("swiftlang") }
    }

    private static func read(_ header: Data, of file: some ELFBytes) throws -> [Section] {
        let offset = try header.number(at: 0x28, UInt64.self)
        let count = UInt64(try header.number(at: 0x3c, UInt16.self))
        guard offset > 0, count > 0 else { return [] }
        guard try header.number(at: 0x3a, UInt16.self) == entrySize, file.holds(offset, count * entrySize) else {
            throw ELFImage.Problem(description: "it is truncated: the section table ends beyond the file")
        }
        let table = try file.bytes(at: offset, count: count * entrySize)
        return try (0..<count).map { index in
            let entry = index * entrySize
            let section = Section(
                name: UInt64(try table.number(at: entry, UInt32.self)),
                type: try table.number(at: entry + 4, UInt32.self),
                offset: try table.number(at: entry + 24, UInt64.self),
                size: try table.number(at: entry + 32, UInt64.self))
            guard section.type == Kind.noBits || file.holds(section.offset, section.size) else {
                throw ELFImage.Problem(description: "it is truncated: section \(index) ends beyond the file")
            }
            return section
        }
    }

    private static func isComment(_ section: Section, named names: Section, in file: some ELFBytes) -> Bool {
        let name = Data(".comment\0".utf8)
        let count = UInt64(name.count)
        guard names.size >= count, section.name <= names.size - count else { return false }
        return (try? file.bytes(at: names.offset + section.name, count: count)) == name
    }
}

/// An open ELF file.
final class ELFFile: ELFBytes {
    let length: UInt64
    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Throws: ``ELFImage/Problem``.
    init(path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ELFImage.Problem(description: String(cString: strerror(errno))) }
        length = UInt64(max(0, lseek(descriptor, 0, SEEK_END)))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func bytes(at offset: UInt64, count: UInt64) throws -> Data {
        guard holds(offset, count) else { throw ELFImage.Problem(description: "it is truncated at byte \(offset)") }
        var data = Data(count: Int(count))
        let got = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard got == data.count else {
            throw ELFImage.Problem(description: "\(count) bytes at byte \(offset) cannot be read")
        }
        return data
    }
}

extension ELFBytes {
    /// Whether a range lies within the file.
    func holds(_ offset: UInt64, _ size: UInt64) -> Bool { offset <= length && length - offset >= size }
}

extension Data: ELFBytes {
    var length: UInt64 { UInt64(count) }

    func bytes(at offset: UInt64, count: UInt64) throws -> Data {
        guard holds(offset, count) else { throw ELFImage.Problem(description: "it is truncated at byte \(offset)") }
        return dropFirst(Int(offset)).prefix(Int(count))
    }

    /// A little-endian number.
    func number<Number: FixedWidthInteger>(at offset: UInt64, _: Number.Type) throws -> Number {
        guard holds(offset, UInt64(MemoryLayout<Number>.size)) else {
            throw ELFImage.Problem(description: "it is truncated at byte \(offset)")
        }
        return withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: Int(offset), as: Number.self)) }
    }
}
