import DescantCore
import DescantTagLib
import DescantTesting
import Foundation
import Glibc
import Testing

/// Damaged files are read and written, or refused with an error.
///
/// `DESCANT_TAG_MUTANTS` sets their number (400 by default); `make test-long` takes 10,000 in a separate process, and checks
/// the growth of its memory.
@Suite struct HostileFileTests {
    private static var count: Int {
        ProcessInfo.processInfo.environment["DESCANT_TAG_MUTANTS"].flatMap { Int($0) } ?? 400
    }

    @Test(.timeLimit(.minutes(30))) func mutantsAreHandled() throws {
        let originals = try TaggedFiles.hostile.map { (name: $0, data: try TaggedFiles.data($0)) }
        let directory = try TemporaryDirectory()
        var (outcomes, memory) = ([String: Int](), [Int]())
        for round in 0..<Self.count {
            let original = originals[round % originals.count]
            let mutant = Self.mutant(of: original.data, seed: UInt64(round))
            let file = try directory.write(mutant, to: "\(round % 7)-\(original.name)")
            outcomes[Self.outcome { _ = try TagLibReader().read(url: file) }, default: 0] += 1
            let written = Self.outcome {
                var tags = TagBundle(title: "Neu")
                tags.trackTotal = 9
                tags.comment = String(repeating: "x", count: round % 3_000)
                try TagLibWriter().write(url: file, tags: tags)
            }
            outcomes["write: \(written)", default: 0] += 1
            if written != "fine" {
                #expect(try Data(contentsOf: file) == mutant, "mutant \(round) of \(original.name)")
            }
            if round % (Self.count / 4) == Self.count / 4 - 1 { memory.append(Self.residentKilobytes) }
        }
        #expect(outcomes["fine", default: 0] > 0 && outcomes["write: fine", default: 0] > 0, "\(outcomes)")
        #expect(outcomes.keys.allSatisfy { !$0.contains("?") }, "\(outcomes)")
        print("mutants: \(outcomes.sorted { $0.key < $1.key }), resident after each quarter: \(memory) kB")
        // In a short run, the memory of other tests in the process would count.
        guard Self.count >= 10_000, let first = memory.first, let last = memory.last else { return }
        #expect(last - first < 60_000, "\(memory) kB")
    }

    /// The outcome of a call: "fine", or the code of the error.
    private static func outcome(_ operation: () throws -> Void) -> String {
        do {
            try operation()
            return "fine"
        } catch {
            return (error as? CoreError)?.code ?? "? \(error)"
        }
    }

    /// Changes, cuts, removes, repeats or overwrites bytes, mostly in tags.
    private static func mutant(of data: Data, seed: UInt64) -> Data {
        var random = SeededGenerator(seed: seed)
        var bytes = [UInt8](data)
        func place(_ bytes: [UInt8]) -> Int {
            let near = min(bytes.count, random.next() % 3 == 0 ? bytes.count : 2_000)
            let offset = Int(random.next() % UInt64(max(1, near)))
            return random.next() % 4 == 0 ? bytes.count - 1 - offset : offset
        }
        for _ in 0..<(1 + random.next() % 6) where bytes.count > 16 {
            let index = min(max(0, place(bytes)), bytes.count - 9)
            switch random.next() % 7 {
            case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes[index] ^= 1 << UInt8(random.next() % 8)
            case 2: bytes.replaceSubrange(index..<index + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
            case 3: bytes.replaceSubrange(index..<index + 4, with: [0, 0, 0, UInt8(random.next() % 9)])
            case 4: bytes.removeSubrange(index..<min(bytes.count, index + 1 + Int(random.next() % 64)))
            case 5: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 40)], at: index)
            default: bytes.removeSubrange((bytes.count - Int(random.next() % UInt64(bytes.count / 2)))...)
            }
        }
        return Data(bytes)
    }

    private static var residentKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    @Test func devicesAndPipesAreRefused() throws {
        let directory = try TemporaryDirectory()
        let pipe = directory.file("pipe.mp3")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for operation in [
            { _ = try TagLibReader().read(url: pipe) },
            { try TagLibWriter().write(url: pipe, tags: TagBundle(title: "x")) },
            { _ = try TagLibReader().read(url: URL(fileURLWithPath: "/dev/zero")) },
        ] as [() throws -> Void] {
            #expect { try operation() } throws: { ($0 as? CoreError)?.code == "unsupported" }
        }
    }

    // MARK: Recursion

    /// ID3v2 chapters (CHAP) or tables of contents (CTOC) within one another.
    private static func chapters(_ name: String, depth: Int) -> [UInt8] {
        let size = 28
        return (0..<depth).flatMap { level in
            // The end of the identifier, and the times and places of a chapter, or the flags and the number of entries of a table.
            let rest = name == "CHAP" ? [UInt8](repeating: 0, count: 17) : [0, 0, 0]
            let identifier = [UInt8](repeating: 0x61, count: size - 10 - rest.count)
            return Array(name.utf8) + TaggedSound.number((depth - level) * size - 10) + [0, 0] + identifier + rest
        }
    }

    private static func atoms(depth: Int) -> [UInt8] {
        let head = TaggedSound.number(16) + Array("ftypM4A ".utf8) + TaggedSound.number(0)
        return head + (0..<depth).flatMap { TaggedSound.number((depth - $0) * 8) + Array("moov".utf8) }
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + TaggedSound.number(content.count).reversed() + content
    }

    /// A file with a tag in a place of the format of an extension.
    private static func file(_ format: String, with tag: [UInt8]) throws -> [UInt8] {
        switch format {
        case "mp3": return tag + TaggedSound.sound
        case "flac": return tag + [UInt8](try TaggedFiles.data("tight.flac"))
        case "wav":
            let shape = chunk("fmt ", [1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x80, 0x3E, 0, 0, 2, 0, 16, 0])
            return chunk("RIFF", Array("WAVE".utf8) + shape + chunk("data", [0, 0, 0, 0]) + chunk("id3 ", tag))
        default:
            var bytes = [UInt8](try TaggedFiles.data("tagged.dsf"))
            let place = bytes[20..<28].reversed().reduce(0) { $0 << 8 | Int($1) }
            bytes.removeSubrange(place...)
            return bytes + tag
        }
    }

    /// TagLib reads chapters within chapters by recursion, which would overflow the stack.
    @Test(arguments: ["mp3", "flac", "wav", "dsf"], ["CHAP", "CTOC"])
    func chaptersWithinChaptersAreRefused(format: String, name: String) throws {
        let directory = try TemporaryDirectory()
        for depth in [1, 4_000, 200_000] {
            let tag = TaggedSound.tag(Self.chapters(name, depth: depth))
            let file = try directory.write(Data(try Self.file(format, with: tag)), to: "\(depth).\(format)")
            let outcome = Self.outcome { _ = try TagLibReader().read(url: file) }
            #expect(outcome == (depth <= 4_000 ? "fine" : "decodeError"), "\(depth) deep")
        }
    }

    /// The number of chapters in a compressed frame is known only when TagLib has read them. Unsynchronisation moves the flag.
    @Test(arguments: [3, 4] as [UInt8]) func compressedChaptersAreRefused(version: UInt8) throws {
        let directory = try TemporaryDirectory()
        func outcome(_ frame: [UInt8], flags: UInt8 = 0) throws -> String {
            let tag = TaggedSound.tag(frame, version: version, flags: flags)
            let file = try directory.write(Data(tag + TaggedSound.sound), to: "compressed.mp3")
            return Self.outcome { _ = try TagLibReader().read(url: file) }
        }
        let flag: UInt8 = version == 3 ? 0x80 : 0x08
        let content: [UInt8] = [0, 0, 0, 9, 0x78, 0x9C, 3, 0]
        #expect(try outcome(TaggedSound.frame("CHAP", content, flag: flag)) == "decodeError")
        // The size 255 is written as FF 00.
        let long = content + [UInt8](repeating: 0, count: 255 - content.count)
        var moved = TaggedSound.frame("CHAP", long, flag: flag)
        moved.insert(0, at: 8)
        if version == 4 {
            let times: [UInt8] = [0x61] + [UInt8](repeating: 0, count: 17)
            moved = Array("CHAP".utf8) + TaggedSound.synchsafe(times.count + moved.count) + [0, 0] + times + moved
        }
        #expect(try outcome(moved, flags: 0x80) == "decodeError")
    }

    /// A size of 255 and a name with the bits of a flag are not a compressed chapter.
    @Test func chaptersThatLookUnsynchronisedAreRead() throws {
        let directory = try TemporaryDirectory()
        let name = TaggedSound.text("TIT2", String(repeating: "x", count: 255 - 20 - 11))
        let chapter = TaggedSound.frame("CHAP", Array("one\0".utf8) + [UInt8](repeating: 0, count: 16) + name)
        let file = try directory.write(Data(TaggedSound.tag(chapter) + TaggedSound.sound), to: "chapter.mp3")
        #expect(try TagLibReader().read(url: file).technical?.chapters?.count == 1)
    }

    @Test func atomsWithinAtomsAreRefused() throws {
        let directory = try TemporaryDirectory()
        for depth in [65, 200_000] {
            let file = try directory.write(Data(Self.atoms(depth: depth)), to: "\(depth).m4a")
            #expect(Self.outcome { _ = try TagLibReader().read(url: file) } == "decodeError", "\(depth) deep")
            #expect(Self.outcome { try TagLibWriter().write(url: file, tags: TagBundle(title: "x")) } == "decodeError")
        }
    }
}
