internal import DescantContainers

/// The file formats whose tags can be written.
enum WritableContainer {
    case flac(start: Int)
    case ogg
    case mp4
    case riff
    case frontTagged
    case apeTagged

    /// Detects the format by the content of a file.
    ///
    /// - Throws: `ContainerError.unsupported` for another format.
    init(_ file: SourceFile) throws {
        var head = try file.bytes(at: 0, count: 16)
        let tagSize = ID3v2Header(head)?.standardSize ?? 0
        if tagSize > 0 { head = try file.bytes(at: Int64(tagSize), count: 16) }
        func begins(_ text: String, at offset: Int = 0) -> Bool {
            head.dropFirst(offset).starts(with: Array(text.utf8))
        }
        let isRIFF = begins("RIFF") && begins("WAVE", at: 8) || begins("FORM") && begins("AIF", at: 8)
        if tagSize > 0, isRIFF || begins("OggS") || begins("ftyp", at: 4) {
            // The reader shows the tags of the format alone.
            throw ContainerError.unsupported("an ID3v2 tag stands in front of a format that has none; remove it first")
        }
        if begins("fLaC") {
            self = .flac(start: tagSize)
        } else if begins("OggS") {
            self = .ogg
        } else if begins("ftyp", at: 4) {
            self = .mp4
        } else if isRIFF {
            self = .riff
        } else if begins("MAC ") || begins("wvpk") || begins("MPCK") || begins("MP+") {
            self = .apeTagged
        } else if try tagSize > 0 || begins("TTA1") || begins("TTA2") || Self.isFrame(head) || Self.isRecording(file) {
            self = .frontTagged
        } else {
            throw ContainerError.unsupported("no file format whose tags can be written here")
        }
    }

    /// Whether the bytes begin with the header of a frame of MPEG audio or ADTS.
    private static func isFrame(_ head: [UInt8]) -> Bool {
        head.count >= 3 && head[0] == 0xFF && head[1] & 0xE0 == 0xE0 && head[1] & 0x18 != 0x08 && head[2] & 0xF0 != 0xF0
    }

    /// Whether a file is named as MPEG audio or ADTS and has frames behind a part of one, as recordings of stations have, or behind zeros.
    /// Frames within another container count only with such a name, without which the reader does not take a file for sound either.
    private static func isRecording(_ file: SourceFile) throws -> Bool {
        let name = file.path.lowercased()
        guard [".mp3", ".mp2", ".aac"].contains(where: name.hasSuffix) else { return false }
        return try CodedFrameCount.hasFrames(in: file, from: 0)
    }

    /// The pieces of the changed file.
    func pieces(of file: SourceFile, edits: TagEdits) throws -> [Piece] {
        switch self {
        case .flac(let start): try FLACEditor.pieces(of: file, from: start, edits: edits)
        case .ogg: try OggEditor.pieces(of: file, edits: edits)
        case .mp4: try MP4Editor.pieces(of: file, edits: edits)
        case .riff: try RIFFEditor.pieces(of: file, edits: edits)
        case .frontTagged: try FrontAndBackEditor.pieces(of: file, edits: edits, usesAPE: false)
        case .apeTagged: try FrontAndBackEditor.pieces(of: file, edits: edits, usesAPE: true)
        }
    }
}
