import DescantTesting
import Foundation
import Testing

@testable import DescantCore

@Suite struct ELFImageTests {
    /// A small library of the system that every process here has loaded.
    private static func library() throws -> Data {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        var maps = Data()
        while let more = try file.read(upToCount: 4096), !more.isEmpty { maps += more }
        let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.contains("/libgcc_s.so") })
        let path = try #require(line.firstIndex(of: "/").map { String(line[$0...]) })
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    @Test func readsARealLibrary() throws {
        let image = try ELFImage(Self.library())
        #expect(image.defined.contains("_Unwind_Resume"))
        #expect(image.undefined.contains("malloc"))
        #expect(image.toolchain == nil)
        #expect(image.ownCoreSymbol == nil)
    }

    @Test func aSliceIsReadFromItsOwnBeginning() throws {
        let library = try Self.library()
        let slice = (Data(repeating: 1, count: 100) + library)[100...]
        #expect(try ELFImage(slice).defined == ELFImage(library).defined)
    }

    @Test(arguments: [
        "", "\u{7f}EL", "\u{7f}ELF", "some text that is longer than a header, or at least as long as one is",
    ])
    func whatIsNoLibrary(_ text: String) {
        #expect(throws: ELFImage.Problem.self) { _ = try ELFImage(Data(text.utf8)) }
    }

    @Test func programsAndOtherProcessorsAreRefused() throws {
        for (offset, value) in [(4, 1), (5, 2), (16, 2), (18, 0x28)] {
            var data = try Self.library()
            data[offset] = UInt8(value)
            #expect(throws: ELFImage.Problem.self) { _ = try ELFImage(data) }
        }
    }

    /// The section table lies at the end, so every shorter file lacks something.
    @Test func everyTruncationIsFound() throws {
        let data = try Self.library()
        for length in stride(from: 0, to: data.count, by: data.count / 97) {
            #expect(throws: ELFImage.Problem.self, "\(length) bytes") { _ = try ELFImage(data.prefix(length)) }
        }
    }

    /// Wild numbers in headers and tables end in an answer or a problem, never in a trap or a long search.
    @Test func mutationsEndInOrder() throws {
        let original = try Self.library()
        var generator = SeededGenerator(seed: 5)
        for round in 0..<300 {
            var data = original
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let place =
                    switch round % 3 {
                    case 0: Int.random(in: 4..<64, using: &generator)
                    case 1: data.count - 1 - Int.random(in: 0..<2500, using: &generator)
                    default: Int.random(in: 64..<8000, using: &generator)
                    }
                let bytes: [UInt8] = [0, 1, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &generator)]
                data[place] = bytes[Int.random(in: 0..<bytes.count, using: &generator)]
            }
            do {
                #expect(try ELFImage(data).defined.count <= data.count / 24)
            } catch {
                #expect(error is ELFImage.Problem)
            }
        }
    }

    /// A million symbols that all have one long name would be terabytes of text.
    @Test func namesOutOfProportionAreRefused() throws {
        let image = Forgery(symbols: 60_000, nameLength: 60_000)
        #expect(throws: ELFImage.Problem.self) { _ = try ELFImage(image.data) }
    }
}

/// A shared library that consists of two section tables only.
private struct Forgery {
    private(set) var data = Data()

    init(symbols: Int, nameLength: Int) {
        let names = Data([0]) + Data(repeating: UInt8(ascii: "n"), count: nameLength) + Data([0])
        data = Data([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]) + Data(count: 9)
        #if arch(arm64)
            let machine = 183
        #else
            let machine = 62
        #endif
        let sections = 64 + 56 + names.count + symbols * 24
        append([(3, 2), (machine, 2), (1, 4), (0, 8), (64, 8), (sections, 8), (0, 4), (64, 2), (56, 2), (1, 2)])
        append([(64, 2), (3, 2), (1, 2)])
        data += Data(count: 56)
        data += names
        for _ in 0..<symbols { append([(1, 4), (0, 2), (1, 2), (0, 8), (0, 8)]) }
        data += Data(count: 64)
        append([(0, 4), (3, 4), (0, 8), (0, 8), (120, 8), (names.count, 8), (0, 24)])
        append([(0, 4), (11, 4), (0, 8), (0, 8), (120 + names.count, 8), (symbols * 24, 8), (1, 4), (0, 20)])
    }

    private mutating func append(_ numbers: [(value: Int, size: Int)]) {
        for number in numbers {
            for byte in 0..<number.size { data.append(byte < 8 ? UInt8(number.value >> (8 * byte) & 255) : 0) }
        }
    }
}
