import DescantTesting
import Foundation
import Testing

@testable import DescantCore

@Suite struct ELFSectionsTests {
    @Test(arguments: [0, 5_000])
    func theCompilerIsFound(padding: Int) throws {
        let file = SectionedFile(padding: padding).data
        #expect(try ELFSections.toolchain(of: file) == SectionedFile.compiler)
        #expect(try ELFSections.toolchain(of: (Data(repeating: 1, count: 9) + file)[9...]) == SectionedFile.compiler)
        #expect(try read(file) == SectionedFile.compiler)
    }

    /// The installed library has tens of megabytes; the sections lie behind them.
    @Test func littleOfALongFileIsRead() throws {
        let file = CountedBytes(content: SectionedFile(padding: 1 << 24).data)
        #expect(try ELFSections.toolchain(of: file) == SectionedFile.compiler)
        #expect(file.bytesRead < 1_024)
    }

    @Test func aFileWithoutTheNameHasNoCompiler() throws {
        #expect(try ELFSections.toolchain(of: SectionedFile(comment: "GCC: (Debian) 14.2.0\0").data) == nil)
        #expect(try ELFSections.toolchain(of: SectionedFile(comment: "").data) == nil)
        #expect(try ELFSections.toolchain(of: SectionedFile(name: ".commend").data) == nil)
        #expect(try ELFSections.toolchain(of: SectionedFile(name: ".comment2").data) == nil)
        let tooLong = SectionedFile.compiler + String(repeating: " ", count: 65_536)
        #expect(try ELFSections.toolchain(of: SectionedFile(comment: tooLong).data) == nil)
    }

    @Test func aStrippedSectionTableNamesNobody() throws {
        for field in [SectionedFile.tableOffset, SectionedFile.sectionCount] {
            var file = SectionedFile()
            file.set(field, to: 0)
            #expect(try ELFSections.toolchain(of: file.data) == nil)
        }
        var file = SectionedFile()
        file.set(SectionedFile.namesIndex, to: 0xFFFF)
        #expect(try ELFSections.toolchain(of: file.data) == nil)
    }

    @Test func everyTruncationIsFound() throws {
        let data = SectionedFile().data
        for length in 0..<data.count {
            #expect(throws: ELFImage.Problem.self, "\(length) bytes") {
                _ = try ELFSections.toolchain(of: data.prefix(length))
            }
            #expect(throws: ELFImage.Problem.self, "\(length) bytes of a file") { _ = try read(data.prefix(length)) }
        }
    }

    @Test(arguments: [UInt64.max, UInt64.max - 63, 1 << 63, UInt64(Int64.max), 1 << 40])
    func offsetsBeyondTheFileAreRefused(offset: UInt64) throws {
        var files = [SectionedFile()]
        files[0].set(SectionedFile.tableOffset, to: offset)
        for section in 1...2 {
            for field in [24, 32] {
                var file = SectionedFile()
                file.set((SectionedFile.entry(section, field), 8), to: offset, isInTable: true)
                files.append(file)
            }
        }
        for file in files {
            #expect(throws: ELFImage.Problem.self) { _ = try ELFSections.toolchain(of: file.data) }
            #expect(throws: ELFImage.Problem.self) { _ = try read(file.data) }
        }
    }

    /// The table of names has 20 bytes: from byte 12 on, nine bytes reach beyond it.
    @Test(arguments: [UInt64(UInt32.max), 1 << 31, 11, 12])
    func namesOutsideTheirTableAreIgnored(offset: UInt64) throws {
        var file = SectionedFile()
        file.set((offset: SectionedFile.entry(1, 0), size: 4), to: offset, isInTable: true)
        #expect(try ELFSections.toolchain(of: file.data) == nil)
    }

    @Test func filesThatCannotBeReadAreRefused() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: ELFImage.Problem.self) { _ = try ELFFile(path: directory.file("none.so").path) }
        let folder = try? ELFFile(path: directory.url.path)
        #expect(throws: ELFImage.Problem.self) { _ = try ELFSections.toolchain(of: #require(folder)) }
    }

    @Test func mutationsDoNotTrap() throws {
        let original = SectionedFile().data
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            var data = original
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let byte: UInt8 =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)]
                    .randomElement(using: &generator) ?? 0
                data[Int.random(in: 0..<data.count, using: &generator)] = byte
            }
            do {
                _ = try ELFSections.toolchain(of: data)
            } catch {
                #expect(error is ELFImage.Problem)
            }
        }
    }

    /// Reads a toolchain through a descriptor.
    private func read(_ data: Data) throws -> String? {
        let directory = try TemporaryDirectory()
        return try ELFSections.toolchain(of: ELFFile(path: directory.write(data, to: "library.so").path))
    }
}

/// Bytes in memory that count how many of them are read.
private final class CountedBytes: ELFBytes {
    private let content: Data
    private(set) var bytesRead: UInt64 = 0

    init(content: Data) { self.content = content }

    var length: UInt64 { content.length }

    func bytes(at offset: UInt64, count: UInt64) throws -> Data {
        bytesRead += count
        return try content.bytes(at: offset, count: count)
    }
}

/// A shared library of a header and sections only: the null section, `.comment`, and the names.
private struct SectionedFile {
    static let compiler = "Swift version 6.9.9 (swiftlang-6.9.9.1)"

    /// Fields of the header.
    static let tableOffset = (offset: 0x28, size: 8)
    static let sectionCount = (offset: 0x3C, size: 2)
    static let namesIndex = (offset: 0x3E, size: 2)

    private(set) var data = Data([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1]) + Data(count: 57)
    private let table: Int

    /// - Parameters:
    ///   - padding: The number of bytes between the header and the sections.
    ///   - name: The name of the section with the comment.
    ///   - comment: The content of that section.
    init(
        padding: Int = 0, name: String = ".comment", comment: String = "GCC: (Debian) 14.2.0\0\(compiler)\0"
    ) {
        #if arch(arm64)
        let machine: UInt64 = 183
        #else
        let machine: UInt64 = 62
        #endif
        let names = Data("\0\(name)\0.shstrtab\0".utf8)
        let content = data.count + padding
        data += Data(count: padding) + Data(comment.utf8) + names
        table = data.count
        data += Data(count: 3 * 64)
        set((16, 2), to: 3)
        set((18, 2), to: machine)
        set(Self.tableOffset, to: UInt64(table))
        set((0x3A, 2), to: 64)
        set(Self.sectionCount, to: 3)
        set(Self.namesIndex, to: 2)
        setSection(1, name: 1, type: 1, offset: content, size: comment.utf8.count)
        setSection(2, name: 2 + name.utf8.count, type: 3, offset: content + comment.utf8.count, size: names.count)
    }

    private mutating func setSection(_ section: Int, name: Int, type: Int, offset: Int, size: Int) {
        set((Self.entry(section, 0), 4), to: UInt64(name), isInTable: true)
        set((Self.entry(section, 4), 4), to: UInt64(type), isInTable: true)
        set((Self.entry(section, 24), 8), to: UInt64(offset), isInTable: true)
        set((Self.entry(section, 32), 8), to: UInt64(size), isInTable: true)
    }

    /// The offset of a field of a section within the section table.
    static func entry(_ section: Int, _ field: Int) -> Int { section * 64 + field }

    /// Writes a number into a field of the header or of the section table.
    mutating func set(_ field: (offset: Int, size: Int), to value: UInt64, isInTable: Bool = false) {
        let start = field.offset + (isInTable ? table : 0)
        for byte in 0..<field.size { data[start + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte)) }
    }
}
