internal import Descant
internal import Foundation

/// The formats of the files that the bundle reads, by their first bytes.
enum EncodedFormat {
    case mpeg
    case mp4
    case ogg

    /// The first bytes of the formats, for the manifest. Two bytes begin every frame of MPEG audio, layer III.
    static let signatures =
        ["fffb", "fffa", "fff3", "fff2", "ffe3", "ffe2"].map { FileSignature($0) } + [
            FileSignature("66747970", at: 4), FileSignature("4f70757348656164", at: 28),
            FileSignature("01766f72626973", at: 28),
        ]

    /// The format of a file; `nil` for another one.
    ///
    /// - Parameters:
    ///   - header: The beginning of the file.
    ///   - start: The offset behind its tags.
    private init?(_ header: some ByteSequence, from start: Int) {
        if header.has("ftyp", at: 4) {
            self = .mp4
        } else if header.has("OggS", at: 0), header.has("OpusHead", at: 28) || header.has("\u{1}vorbis", at: 28) {
            self = .ogg
        } else if MPEGHeader(header, at: start) != nil {
            self = .mpeg
        } else {
            return nil
        }
    }

    static func score(_ input: ProbeInput) -> ProbeScore {
        let header = [UInt8](input.header)
        let start = input.endOfLeadingID3v2Tag
        switch EncodedFormat(header, from: start) {
        case .mpeg: return isMPEG(header, from: start) ? .content : .fileExtension
        // Most files of this kind with another extension contain video, which is not for this decoder.
        case .mp4: return ["m4a", "m4b", "mp4", ""].contains(input.fileExtension) ? .content : .none
        case .ogg: return .content
        case nil:
            // A tag may fill the bytes that are known.
            let isPossible = start >= header.count || header.dropFirst(start).allSatisfy { $0 == 0 }
            return isPossible && input.fileExtension == "mp3" ? .fileExtension : .none
        }
    }

    /// Whether a second frame follows the first, if its place is known.
    private static func isMPEG(_ header: [UInt8], from start: Int) -> Bool {
        guard let first = MPEGHeader(header, at: start) else { return false }
        let next = start + first.size
        return next + 4 > header.count || MPEGHeader(header, at: next)?.isLike(first) == true
    }

    /// Opens a file and reads its headers.
    ///
    /// - Throws: `CoreError` naming the file.
    static func open(_ url: URL) throws -> any PacketSource {
        let input = try ProbeInput(file: url)
        let file = try WindowedFile(url)
        let source: (any PacketSource)? =
            switch EncodedFormat([UInt8](input.header), from: input.endOfLeadingID3v2Tag) {
            case .mp4: try MP4File(file)
            case .ogg: try OggFile(file)
            case .mpeg, nil: try MPEGFile(file)
            }
        guard let source else {
            throw CoreError.unsupported(
                "\(file.path): neither MP3, nor MP4 with AAC or ALAC, nor Ogg with Vorbis or Opus of a form that is read exactly"
            )
        }
        return source
    }
}
