internal import CGStreamer
internal import DescantCore

/// Reads title, tags and pictures of a FLAC file from its metadata blocks, in a fraction of the time that a pipeline takes.
enum FLACDescription {
    /// Type numbers of metadata blocks.
    private enum Block {
        static let comment: UInt8 = 4
        static let picture: UInt8 = 6
    }

    /// More blocks than this are no metadata of music.
    private static let blockLimit = 1_000

    /// - Parameters:
    ///   - reader: The file. What stands before "fLaC", an ID3 tag for instance, is left to a pipeline.
    ///   - fallbackTitle: The title when no tag gives one.
    /// - Returns: `nil` when it is no FLAC file that begins as it should.
    static func read(_ reader: some ByteReader, fallbackTitle: String) -> TrackInfo? {
        guard let length = FLACLength.read(reader, at: 0), let frames = length.frames, let found = tags(in: reader)
        else { return nil }
        let shape = reader.bytes(at: 20, count: 2)
        guard shape.count == 2 else { return nil }
        let rate = Double(length.sampleRate)
        // Within STREAMINFO: 3 bits for the channels and 5 for the depth, both less one, from the 101st bit on.
        let format = AudioFormat(
            sampleRate: rate, channelCount: Int(shape[0] >> 1 & 7) + 1,
            bitDepth: Int((shape[0] & 1) << 4 | shape[1] >> 4) + 1, codec: "FLAC")
        return TrackInfo(
            title: found.tags.title ?? fallbackTitle, artist: found.tags.artist, duration: Double(frames) / rate,
            format: format, tags: found.tags, replayGain: found.replayGain)
    }

    private static func tags(in reader: some ByteReader) -> StreamTags? {
        // One list for all blocks, so that the front cover is found among several pictures.
        guard (try? GStreamerRuntime.start()) != nil, let list = gst_tag_list_new_empty() else { return nil }
        defer { gst_tag_list_unref(list) }
        var offset: Int64 = 4
        for _ in 0..<blockLimit {
            let header = reader.bytes(at: offset, count: 4)
            guard header.count == 4 else { return nil }
            let size = Int(header[1]) << 16 | Int(header[2]) << 8 | Int(header[3])
            let kind = header[0] & 0x7F
            if kind == Block.comment || kind == Block.picture {
                let block = reader.bytes(at: offset + 4, count: size)
                guard block.count == size else { return nil }
                if kind == Block.comment {
                    insert(comments: block, into: list)
                } else {
                    insert(picture: block, into: list)
                }
            }
            if header[0] & 0x80 != 0 {
                var found = StreamTags()
                found.merge(list)
                return found
            }
            offset += 4 + Int64(size)
        }
        return nil
    }

    private static func insert(comments block: [UInt8], into list: UnsafeMutablePointer<GstTagList>) {
        let comments = block.withUnsafeBufferPointer {
            gst_tag_list_from_vorbiscomment($0.baseAddress, gsize($0.count), nil, 0, nil)
        }
        guard let comments else { return }
        gst_tag_list_insert(list, comments, GST_TAG_MERGE_APPEND)
        gst_tag_list_unref(comments)
    }

    private static func insert(picture block: [UInt8], into list: UnsafeMutablePointer<GstTagList>) {
        var rest = block[...]
        // Kind, then a media type and a description with their lengths, four numbers of the shape, the picture.
        guard let kind = takeNumber(&rest), take(counted: &rest) != nil, take(counted: &rest) != nil, rest.count >= 16
        else { return }
        rest = rest.dropFirst(16)
        guard let picture = take(counted: &rest), !picture.isEmpty else { return }
        _ = picture.withUnsafeBufferPointer {
            gst_tag_list_add_id3_image(list, $0.baseAddress, guint($0.count), guint(kind))
        }
    }

    private static func takeNumber(_ bytes: inout ArraySlice<UInt8>) -> UInt32? {
        guard bytes.count >= 4 else { return nil }
        defer { bytes = bytes.dropFirst(4) }
        return bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func take(counted bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = takeNumber(&bytes), count <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(Int(count)) }
        return bytes.prefix(Int(count))
    }
}
