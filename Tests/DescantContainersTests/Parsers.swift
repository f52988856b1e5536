#if canImport(DescantContainers)
@testable import DescantContainers
#endif

/// Runs every parser of the target. Scripts/fuzz.sh compiles this file too.
enum Parsers {
    static func run(on bytes: [UInt8]) {
        let file = ArrayBytes(bytes)
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
