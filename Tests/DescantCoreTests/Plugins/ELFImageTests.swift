import DescantTesting
import Foundation
import Testing

@testable import DescantCore

@Suite struct ELFImageTests {
    /// A small system library that every process here has loaded.
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

    @Test(arguments: [
        "$s11DescantCore11DecoderPortMp", "$s11DescantCore9PCMSourceMp", "$s11DescantCore0A6PluginMp",
        "$s11DescantCore0aB6PluginMp", "$s11DescantCore0a4PortB0Mp", "$s11DescantCore0A0Mp",
    ])
    func protocolOfTheCoreIsRecognised(symbol: String) { #expect(ELFImage.isCoreProtocol(symbol)) }

    /// Protocols in extensions by a plugin, other modules and other symbols.
    @Test(arguments: [
        "$s11DescantCore9TagBundleV8MyPluginE4RuleMp", "$s11DescantCore0A6PluginP7ExampleE4RuleMp",
        "$s11DescantCore0aB6BundleV8MyPluginE4RuleMp", "$s8MyPlugin4RuleMp", "$s12DescantCores4RuleMp",
        "$s11DescantCore11DecoderPortTL", "$s11DescantCoreMp", "$s11DescantCore99DecoderPortMp",
        "$s11DescantCore99999999999999999999DecoderPortMp", "$s11DescantCore0Mp", "$s11DescantCoreDecoderPortMp", "Mp",
        "",
    ])
    func otherSymbolsAreNoProtocolsOfTheCore(symbol: String) { #expect(!ELFImage.isCoreProtocol(symbol)) }

    @Test func sliceIsReadFromItsStartIndex() throws {
        let library = try Self.library()
        let slice = (Data(repeating: 1, count: 100) + library)[100...]
        #expect(try ELFImage(slice).defined == ELFImage(library).defined)
    }

    @Test(arguments: [
        "", "\u{7f}EL", "\u{7f}ELF", "some text that is longer than a header, or at least as long as one is",
    ])
    func invalidLibrariesAreRefused(_ text: String) {
        #expect(throws: ELFImage.Problem.self) { _ = try ELFImage(Data(text.utf8)) }
    }

    @Test func programsAndOtherProcessorsAreRefused() throws {
        for (offset, value) in [(4, 1), (5, 2), (16, 2), (18, 0x28)] {
            var data = try Self.library()
            data[offset] = UInt8(value)
            #expect(throws: ELFImage.Problem.self) { _ = try ELFImage(data) }
        }
    }

    /// The section table is at the end, so every shorter file is incomplete, except that the end of the last entry is not
    /// read.
    @Test func everyTruncationIsRefused() throws {
        let data = try Self.library()
        for length in stride(from: 0, to: data.count - 64, by: data.count / 97) {
            #expect(throws: ELFImage.Problem.self, "\(length) bytes") { _ = try ELFImage(data.prefix(length)) }
        }
    }

    /// Section headers are not loaded, so stripped or forged ones have no effect.
    @Test func sectionHeadersAreIgnored() throws {
        let original = try Self.library()
        let image = try ELFImage(original)
        #expect(image.needed.contains("libc.so.6"))

        var stripped = original
        stripped.replaceSubrange(0x28..<0x30, with: Data(count: 8))
        stripped.replaceSubrange(0x3c..<0x40, with: Data(count: 4))
        #expect(try ELFImage(stripped).defined == image.defined)
        #expect(try ELFImage(stripped).undefined == image.undefined)

        var forged = original
        let table = original.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 0x28, as: UInt64.self)) }
        let count = original.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 0x3c, as: UInt16.self)) }
        for section in 0..<count where forged[table + section * 64 + 4] == 11 { forged[table + section * 64 + 4] = 1 }
        #expect(forged != original)
        #expect(try ELFImage(forged).defined == image.defined)
    }

    /// The linker finds the dynamic section by its address, not by its file offset.
    @Test func dynamicSectionIsFoundByItsAddress() throws {
        var data = try Self.library()
        let expected = try ELFImage(data).defined
        let count = data.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 0x38, as: UInt16.self)) }
        for header in 0..<count where data[64 + header * 56] == 2 {
            data.replaceSubrange(64 + header * 56 + 8..<64 + header * 56 + 16, with: Data(count: 8))
        }
        #expect(try ELFImage(data).defined == expected)
    }

    /// Random numbers in headers and tables give a result or an error, and no trap or long search.
    @Test func mutationsDoNotTrap() throws {
        let original = try Self.library()
        var generator = SeededGenerator(seed: 5)
        let dynamic = try #require(
            original.range(of: Data([1, 0, 0, 0, 0, 0, 0, 0]), in: original.count / 2..<original.count)
        )
        .lowerBound
        for round in 0..<1_000 {
            var data = original
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let place =
                    switch round % 4 {
                    case 0: Int.random(in: 4..<64, using: &generator)
                    case 2: min(data.count - 1, dynamic + Int.random(in: 0..<512, using: &generator))
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

    /// A million symbols that share one long name would need terabytes of text.
    @Test func namesBeyondTheLimitAreRefused() throws {
        #expect(try ELFImage(Forgery(symbols: 3, nameLength: 10).data).defined == [String(repeating: "n", count: 10)])
        #expect(throws: ELFImage.Problem.self) { _ = try ELFImage(Forgery(symbols: 60_000, nameLength: 60_000).data) }
    }

    @Test(arguments: [1, 4_000_000_000])
    func symbolsBeyondTheSegmentAreRefused(count: Int) throws {
        let image = Forgery(symbols: 3, nameLength: 10, announced: 3 + count)
        #expect(throws: ELFImage.Problem.self) { _ = try ELFImage(image.data) }
    }

    @Test func segmentsThatOverlapAreRefused() throws {
        let image = Forgery(symbols: 3, nameLength: 10, secondSegment: 0x100)
        #expect(throws: ELFImage.Problem.self) { _ = try ELFImage(image.data) }
    }

    @Test func segmentThatBeginsWhereAnotherOneFillsItsLastPageIsAccepted() throws {
        let image = Forgery(symbols: 3, nameLength: 10, secondSegment: 0x2000, minimumSize: 0x2000)
        #expect(try ELFImage(image.data).defined.count == 1)
        let longer = Forgery(symbols: 3, nameLength: 10, secondSegment: 0x2000, minimumSize: 0x2001)
        #expect(throws: ELFImage.Problem.self) { _ = try ELFImage(longer.data) }
    }
}

/// A minimal shared library: a segment with a dynamic section, its symbols and names, and no section headers.
private struct Forgery {
    private(set) var data = Data()

    /// - Parameters:
    ///   - announced: The number of symbols that the hash table announces.
    ///   - secondSegment: The address of a second segment over the same bytes.
    ///   - minimumSize: The size of the file and of its segments in bytes, unless the tables are longer.
    init(
        symbols: Int, nameLength: Int, announced: Int? = nil, secondSegment: Int? = nil, minimumSize: Int = 0
    ) {
        let names = Data([0]) + Data(repeating: UInt8(ascii: "n"), count: nameLength) + Data([0])
        data = Data([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]) + Data(count: 9)
        #if arch(arm64)
        let machine = 183
        #else
        let machine = 62
        #endif
        let headers = secondSegment == nil ? 2 : 3
        let dynamic = 64 + headers * 56
        let hash = dynamic + 5 * 16
        let text = hash + 16
        let table = text + names.count
        let size = max(table + symbols * 24, minimumSize)
        append([(3, 2), (machine, 2), (1, 4), (0, 8), (64, 8), (0, 8), (0, 4), (64, 2), (56, 2), (headers, 2)])
        append([(64, 2), (0, 2), (0, 2)])
        append([(1, 4), (5, 4), (0, 8), (0, 8), (0, 8), (size, 8), (size, 8), (4_096, 8)])
        if let secondSegment {
            append([(1, 4), (5, 4), (0, 8), (secondSegment, 8), (0, 8), (size, 8), (size, 8), (4_096, 8)])
        }
        append([(2, 4), (6, 4), (dynamic, 8), (dynamic, 8), (0, 8), (80, 8), (80, 8), (8, 8)])
        for (tag, value) in [(4, hash), (5, text), (6, table), (10, names.count), (0, 0)] {
            append([(tag, 8), (value, 8)])
        }
        append([(1, 4), (announced ?? symbols, 4), (0, 8)])
        data += names
        append([(0, 24)])
        for _ in 1..<symbols { append([(1, 4), (0, 2), (1, 2), (0, 8), (0, 8)]) }
        data += Data(count: size - data.count)
    }

    private mutating func append(_ numbers: [(value: Int, size: Int)]) {
        for number in numbers {
            for byte in 0..<number.size { data.append(byte < 8 ? UInt8(number.value >> (8 * byte) & 255) : 0) }
        }
    }
}
