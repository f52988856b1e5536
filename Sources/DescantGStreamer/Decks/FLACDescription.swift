internal import CGStreamer
internal import DescantContainers
internal import DescantCore

/// Reads title, tags and pictures of a FLAC file from its metadata blocks, without a pipeline.
enum FLACDescription {
    /// The maximum number of metadata blocks.
    private static let blockLimit = 1_000

    /// Reads the metadata blocks.
    ///
    /// - Parameters:
    ///   - file: The file. A pipeline reads files with bytes before "fLaC", such as an ID3 tag.
    ///   - fallbackTitle: The title when no tag gives one.
    /// - Returns: `nil` when the file does not begin with "fLaC", its length is unknown or its blocks are damaged.
    static func read(_ file: some RandomAccessBytes<Never>, fallbackTitle: String) -> TrackInfo? {
        guard let header = FLACHeader(file, at: 0), header.frames > 0, let found = tags(in: file) else { return nil }
        let rate = Double(header.sampleRate)
        let format = AudioFormat(
            sampleRate: rate, channelCount: header.channels, bitDepth: header.bitDepth, codec: "FLAC")
        return TrackInfo(
            title: found.tags.title ?? fallbackTitle, artist: found.tags.artist, duration: Double(header.frames) / rate,
            format: format, tags: found.tags, replayGain: found.replayGain)
    }

    private static func tags(in file: some RandomAccessBytes<Never>) -> StreamTags? {
        // One list for all blocks, so that the front cover is found among several pictures.
        guard (try? GStreamerRuntime.start()) != nil, let list = gst_tag_list_new_empty() else { return nil }
        defer { gst_tag_list_unref(list) }
        var offset: Int64 = 4
        for _ in 0..<blockLimit {
            guard let block = FLACBlock(file, at: offset) else { return nil }
            if block.kind == FLACBlock.Kind.comment || block.kind == FLACBlock.Kind.picture {
                let content = block.content(of: file)
                guard content.count == block.size else { return nil }
                if block.kind == FLACBlock.Kind.comment {
                    insert(comments: content, into: list)
                } else {
                    insert(picture: content, into: list)
                }
            }
            if block.isLast {
                var found = StreamTags()
                found.merge(list)
                return found
            }
            offset = block.end
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
        var reader = ByteReader(block)
        guard let (kind, picture) = try? Self.picture(&reader), !picture.isEmpty else { return }
        _ = picture.withUnsafeBufferPointer {
            gst_tag_list_add_id3_image(list, $0.baseAddress, guint($0.count), guint(kind))
        }
    }

    private static func picture(_ reader: inout ByteReader) throws(ContainerError) -> (kind: Int, ArraySlice<UInt8>) {
        let kind = try reader.number(4, .big)
        // A media type and a description, each behind its length; then four numbers of width, height, depth and colours.
        for _ in 0..<2 { _ = try reader.take(try reader.number(4, .big)) }
        _ = try reader.take(16)
        return (kind, try reader.take(try reader.number(4, .big)))
    }
}
