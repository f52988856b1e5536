import DescantTestSupport
import DescantTesting
import Foundation
import Testing

@testable import DescantContainers
@testable import DescantGStreamer

/// No parser traps on damaged files, and each ends in bounded time.
///
/// The tests yield between files, because other tests wait for the same threads.
@Suite(.serialized) struct DamagedContainerTests {
    /// The number of mutants of each file.
    private static let mutantCount = MutationCount.share(usual: 10, of: SmallFile.allCases.count)

    /// The distance between the tested offsets.
    private static let step = MutationCount.isLong ? 1 : 7

    @Test(.timeLimit(.minutes(20)), arguments: SmallFile.allCases)
    func mutantsAreParsed(file: SmallFile) async throws {
        let original = try file.bytes()
        var mutator = FileMutator(SeededGenerator(seed: UInt64(file.rawValue.utf8.reduce(7) { $0 * 31 + Int($1) })))
        for _ in 0..<Self.mutantCount {
            Parsers.run(on: [UInt8](mutator.mutate(Data(original))))
            await Task.yield()
        }
    }

    @Test(.timeLimit(.minutes(20)), arguments: SmallFile.allCases)
    func truncatedFilesAreParsed(file: SmallFile) async throws {
        let original = try file.bytes()
        // The headers are at the beginning, so cuts inside the sound need not all be tested.
        let lengths =
            Array(stride(from: 0, through: min(original.count, 1_500), by: Self.step))
            + Array(stride(from: 1_500, to: original.count, by: 211 * Self.step))
        for length in lengths {
            Parsers.run(on: Array(original.prefix(length)))
            await Task.yield()
        }
        // APE tags and the last pages of Ogg files are found from the end.
        for length in stride(from: 1, to: min(original.count, 1_500), by: 3 * Self.step) {
            Parsers.run(on: Array(original.suffix(length)))
            await Task.yield()
        }
    }

    @Test(arguments: SmallFile.allCases) func extremeNumbersAreParsed(file: SmallFile) async throws {
        let original = try file.bytes()
        for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
            for start in stride(from: 0, to: min(original.count, 480), by: 6 * Self.step) {
                var bytes = original
                for index in start..<min(start + 8, bytes.count) { bytes[index] = value }
                Parsers.run(on: bytes)
                await Task.yield()
            }
        }
    }

    @Test func undamagedFilesHaveALength() throws {
        for file in SmallFile.allCases where file.hasLength {
            let length = try #require(ExactLength.read(ArrayBytes(try file.bytes())), "\(file)")
            #expect(length.frames == Int64(SmallFile.seconds * Double(length.sampleRate)), "\(file)")
        }
    }
}

/// Runs every parser of the target, and computes the lengths as the engine does.
private enum Parsers {
    static func run(on bytes: [UInt8]) {
        let file = ArrayBytes(bytes)
        for rate in [44_100, 48_000, 1_536_000] { _ = ExactLength.read(file)?.scaled(to: rate) }
        _ = CodedFrameCount(file)
        for index in bytes.indices.prefix(512) { _ = MPEGAudioHeader(bytes[index...]) }
        readTags(bytes, file)
        readFLAC(file)
        readOgg(bytes)
        readRIFF(file)
        readMP4(MP4Atom.list(in: file, from: 0, to: file.size), in: file, depth: 0)
        edit(bytes[...], depth: 0)
    }

    private static func readTags(_ bytes: [UInt8], _ file: ArrayBytes) {
        _ = ID3v2Header.end(in: file)
        if let tag = try? ID3v2Tag(bytes) {
            for frame in tag.frames { _ = frame.texts(in: tag.version) }
            _ = try? tag.bytes()
        }
        _ = try? APETag(in: file, endingAt: bytes.count)?.bytes
        readComments(bytes)
    }

    private static func readComments(_ bytes: [UInt8]) {
        guard let comment = try? VorbisComment(bytes[...]) else { return }
        _ = comment.values("TITLE")
        _ = comment.bytes
    }

    private static func readFLAC(_ file: ArrayBytes) {
        let start = ID3v2Header.end(in: file)
        guard FLACHeader(file, at: start) != nil else { return }
        var offset = start + 4
        while let block = FLACBlock(file, at: offset) {
            readComments(block.content(of: file))
            offset = block.end
        }
    }

    private static func readOgg(_ bytes: [UInt8]) {
        var (offset, assembler) = (0, OggPacketAssembler())
        while let page = OggPage(bytes, at: offset) {
            for packet in assembler.packets(of: page, body: bytes.dropFirst(offset + page.headerSize)) {
                readComments(Array(packet.dropFirst(7)))
                _ = VorbisModes(setup: Array(packet))?.isLong(packet)
            }
            _ = page.bytes(sealing: bytes.dropFirst(offset + page.headerSize).prefix(page.bodySize))
            offset += page.size
        }
    }

    private static func readRIFF(_ file: ArrayBytes) {
        guard let header = RIFFHeader(file) else { return }
        var offset = RIFFHeader.size
        while let chunk = RIFFChunk(file, at: offset, header.order) {
            _ = WaveFormat(chunk.content(of: file))
            offset = chunk.next
        }
    }

    private static func readMP4(_ atoms: [MP4Atom], in file: ArrayBytes, depth: Int) {
        guard depth < 8 else { return }
        for atom in atoms.prefix(64) {
            _ = MP4SoundTrack(movie: atom, in: file)
            _ = GaplessTag(movie: atom, in: file)
            readMP4(atom.children(in: file), in: file, depth: depth + 1)
        }
    }

    private static func edit(_ bytes: ArraySlice<UInt8>, depth: Int) {
        guard depth < 8, let atoms = try? MP4EditableAtom.list(in: bytes) else { return }
        _ = try? MP4EditableAtom.bytes(atoms)
        for atom in atoms.prefix(64) { edit(atom.content[...], depth: depth + 1) }
    }
}
