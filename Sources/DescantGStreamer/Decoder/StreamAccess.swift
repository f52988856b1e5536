internal import DescantContainers
internal import DescantCore
internal import Foundation

/// How exact positions and length of a file are reached.
struct StreamAccess {
    /// How a place is found.
    enum Seeking {
        /// The pipeline goes there, exact to the frame.
        case direct
        /// The time stamps of the container are too coarse, or its demuxer does not know the place: everything before is decoded
        /// again and passed over.
        case fromStart
    }

    var seeking: Seeking
    /// Frames of the whole stream at the decoder's rate, where blocks were counted.
    var countedFrames: Int64?
    /// A place nearer to the start than this, in seconds, is reached from the start: decoders of lossy formats that were moved
    /// there remember what they decoded before.
    var startZone: Double

    /// Looks at a file.
    ///
    /// - Parameters:
    ///   - hasExactLength: Whether its headers tell length and place exactly.
    ///   - sampleRate: The decoder's rate.
    ///   - isLossy: Whether a lossy codec is at work.
    init(url: URL, hasExactLength: Bool, sampleRate: Int, isLossy: Bool) {
        startZone = isLossy ? 0.2 : 0
        seeking = .direct
        guard !hasExactLength, url.isFileURL, let file = FileBytes(path: url.path) else { return }
        let magic = file.bytes(at: ID3v2Header.end(in: file), count: 40)
        if Self.isExact(magic) { return }
        if let count = CodedFrameCount(file), sampleRate % count.sampleRate == 0 {
            countedFrames = count.frames * Int64(sampleRate / count.sampleRate)
            // Blocks of AC-3 overlap by more than the parser allows for.
            seeking = magic.starts(with: [0x0B, 0x77]) ? .fromStart : .direct
            return
        }
        seeking = .fromStart
    }

    /// Formats whose demuxers are exact although no header was read here.
    private static func isExact(_ magic: [UInt8]) -> Bool {
        let names = ["FORM", "wvpk", "TTA1"]
        if names.contains(where: { magic.starts(with: Array($0.utf8)) }) { return true }
        // FLAC in Ogg, and the movie kinds.
        let text = String(decoding: magic, as: UTF8.self)
        return magic.starts(with: Array("OggS".utf8))
            ? text.contains("FLAC") : magic.dropFirst(4).starts(with: Array("ftyp".utf8))
    }
}
