internal import DescantContainers

/// The length of an MP4 file with AAC, ALAC or Opus, by its sample tables, its edit list and Apple's gapless tag.
///
/// GStreamer's demuxer trims whole packets by the edit list and leaves the rest of an encoder's delay in, so patches hide the
/// edit list from it and the deck trims all frames itself. GStreamer removes the delay of Opus twice, once by the edit list and once in
/// the decoder: patches hide both.
enum M4ALength {
    /// The number of frames of two packets, which an AAC decoder needs before its samples are right.
    private static let preroll: Int64 = 2_048
    /// The frames of a packet of AAC, without and with spectral band replication.
    private static let packetSizes: (plain: Int64, replicated: Int64) = (1_024, 2_048)
    /// The number of frames after which an Opus decoder has converged: 80 ms (RFC 7845, section 4.6).
    private static let prerollOfOpus: Int64 = 3_840
    /// The delay of AAC without a stated one: the first packet has no packet before it to overlap with.
    private static let minimumDelay: Int64 = 1_024
    /// The maximum delay of an encoder, in seconds.
    private static let maximumDelay = 0.5

    static func read(_ file: some RandomAccessBytes<Never>) -> ExactLength? {
        let atoms = MP4Atom.list(in: file, from: 0, to: file.size)
        guard let movie = atoms.first(where: { $0.name == "moov" }), let track = MP4SoundTrack(movie: movie, in: file)
        else { return nil }
        switch track.edits {
        case .unusual: return nil
        case .none: return length(of: track, edit: nil, movie: movie, file)
        case .one(let edit): return length(of: track, edit: edit, movie: movie, file)
        }
    }

    private static func length(
        of track: MP4SoundTrack, edit: MP4SoundTrack.Edit?, movie: MP4Atom, _ file: some RandomAccessBytes<Never>
    ) -> ExactLength? {
        let isDelayed = track.codec != .alac
        let maximum = Int64(maximumDelay * Double(track.timescale))
        var result = ExactLength(sampleRate: track.timescale, preroll: preroll(of: track.codec))
        if let offset = track.editListOffset {
            result.patches = [BytePatch(offset: offset + 4, bytes: Array("free".utf8))]
        }
        if let duration = track.duration, let header = movie.find("mvhd", in: file) {
            for header in [header, track.header] {
                if let patch = coveringDuration(duration, of: track, header, file) { result.patches.append(patch) }
            }
        }
        if let preSkip = track.preSkip { result.patches.append(BytePatch(offset: preSkip.offset, bytes: [0, 0])) }
        if track.codec == .aac, let tag = GaplessTag(movie: movie, in: file), tag.delay <= maximum,
            track.duration.map({ tag.fits(duration: $0, packet: packetSize(of: track)) }) ?? true
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
            // Spectral band replication delays more, but no field says how much.
            result.lead = track.preSkip?.frames ?? (isDelayed && track.isLowComplexity ? minimumDelay : 0)
            result.frames = track.duration.map { $0 - result.lead }
        }
        return result.frames.map { $0 > 0 } ?? true ? result : nil
    }

    private static func packetSize(of track: MP4SoundTrack) -> Int64 {
        track.isLowComplexity ? packetSizes.plain : packetSizes.replicated
    }

    private static func preroll(of codec: MP4SoundTrack.Codec) -> Int64 {
        switch codec {
        case .aac: preroll
        case .opus: prerollOfOpus
        case .alac: 0
        }
    }

    /// A patch that makes a header announce all packets. Without an edit list GStreamer ends a track where the movie's header or
    /// the track's own header says, and both announce the length of the edit.
    private static func coveringDuration(
        _ duration: Int64, of track: MP4SoundTrack, _ header: MP4Atom, _ file: some RandomAccessBytes<Never>
    ) -> BytePatch? {
        guard let timescale = MP4SoundTrack.timescale(in: header.content(of: file, limit: 32)) else { return nil }
        let isLong = header.content(of: file, limit: 1) == [1]
        let ticks = Double(duration) / Double(track.timescale) * Double(timescale) + 2
        guard ticks < Double(UInt32.max) else { return nil }
        let number = UInt32(ticks.rounded(.up))
        let bytes = [UInt8].number(Int(number), bytes: 4, .big)
        return isLong
            ? BytePatch(offset: header.start + 24, bytes: [0, 0, 0, 0] + bytes)
            : BytePatch(offset: header.start + 16, bytes: bytes)
    }
}
