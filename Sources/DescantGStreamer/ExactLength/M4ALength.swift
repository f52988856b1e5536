/// Reads the sample tables, the edit list and Apple's gapless tag of an MP4 file with AAC, ALAC or Opus.
///
/// GStreamer's demuxer trims by the edit list as far as whole packets go and leaves an encoder's delay in, so the edit list
/// is hidden from it and everything is trimmed by what is read here. The delay of Opus it leaves out twice, once by the edit list
/// and once in the decoder: both are hidden.
enum M4ALength {
    /// Frames that an AAC decoder needs before what it puts out is right: those of two packets.
    private static let preroll: Int64 = 2_048
    /// Frames after which an Opus decoder has converged: 80 ms (RFC 7845, section 4.6).
    private static let prerollOfOpus: Int64 = 3_840
    /// The delay of AAC that tells none: its first packet has nothing before it to overlap with.
    private static let minimumDelay: Int64 = 1_024
    /// Greater delays than half a second are no encoder's.
    private static let maximumDelay = 0.5

    static func read(_ reader: some ByteReader) -> ExactLength? {
        let atoms = MP4Atom.list(reader, from: 0, to: reader.size)
        guard let movie = atoms.first(where: { $0.kind == "moov" }),
            let track = MP4SoundTrack(movie: movie, reader: reader)
        else { return nil }
        switch track.edits {
        case .unusual: return nil
        case .none: return length(of: track, edit: nil, movie: movie, reader)
        case .one(let edit): return length(of: track, edit: edit, movie: movie, reader)
        }
    }

    private static func length(
        of track: MP4SoundTrack, edit: MP4SoundTrack.Edit?, movie: MP4Atom, _ reader: some ByteReader
    ) -> ExactLength? {
        let isDelayed = track.codec != .alac
        let maximum = Int64(maximumDelay * Double(track.timescale))
        var result = ExactLength(sampleRate: track.timescale, preroll: preroll(of: track.codec))
        if let offset = track.editListOffset {
            result.patches = [BytePatch(offset: offset + 4, bytes: Array("free".utf8))]
        }
        if let duration = track.duration, let header = movie.find("mvhd", in: reader) {
            for header in [header, track.header] {
                if let patch = coveringDuration(duration, of: track, header, reader) { result.patches.append(patch) }
            }
        }
        if let preSkip = track.preSkip { result.patches.append(BytePatch(offset: preSkip.offset, bytes: [0, 0])) }
        if track.codec == .aac, let tag = GaplessTag(movie: movie, reader: reader), tag.delay <= maximum,
            // The last packet may be announced as shorter than it is.
            track.duration.map({ tag.delay + tag.frames <= $0 + 2_048 }) ?? true
        {
            result.lead = tag.delay
            result.frames = tag.frames
        } else if let edit {
            guard edit.start <= maximum || !isDelayed, track.duration.map({ edit.start < $0 }) ?? true else {
                return nil
            }
            result.lead = edit.start
            result.frames = track.duration.map { min($0 - edit.start, edit.longest ?? .max) }
        } else {
            // Spectral band replication delays more, but tells so in no fixed way.
            result.lead = track.preSkip?.frames ?? (isDelayed && track.isLowComplexity ? minimumDelay : 0)
            result.frames = track.duration.map { $0 - result.lead }
        }
        return result.frames.map { $0 > 0 } ?? true ? result : nil
    }

    private static func preroll(of codec: MP4SoundTrack.Codec) -> Int64 {
        switch codec {
        case .aac: preroll
        case .opus: prerollOfOpus
        case .alac: 0
        }
    }

    /// Without an edit list GStreamer ends a track with the movie, whose length is that of the edit, or where the track's own header
    /// says: both are to cover all packets.
    private static func coveringDuration(
        _ duration: Int64, of track: MP4SoundTrack, _ header: MP4Atom, _ reader: some ByteReader
    ) -> BytePatch? {
        guard let timescale = MP4SoundTrack.timescale(in: header.content(reader, limit: 32), at: 12) else { return nil }
        let isLong = header.content(reader, limit: 1) == [1]
        let ticks = Double(duration) / Double(track.timescale) * Double(timescale) + 2
        guard ticks < Double(UInt32.max) else { return nil }
        let number = UInt32(ticks.rounded(.up))
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        return isLong
            ? BytePatch(offset: header.start + 24, bytes: [0, 0, 0, 0] + bytes)
            : BytePatch(offset: header.start + 16, bytes: bytes)
    }
}
