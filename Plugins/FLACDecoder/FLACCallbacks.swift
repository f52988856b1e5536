internal import CFLAC
internal import Glibc

// The functions that libFLAC calls, on the thread and within the call that made it work.

private func reader(_ client: UnsafeMutableRawPointer?) -> FLACReader? {
    client.map { Unmanaged<FLACReader>.fromOpaque($0).takeUnretainedValue() }
}

func readFLAC(
    _: UnsafePointer<FLAC__StreamDecoder>?, _ buffer: UnsafeMutablePointer<FLAC__byte>?,
    _ count: UnsafeMutablePointer<Int>?, _ client: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderReadStatus {
    guard let file = reader(client)?.file, let buffer, let count, count.pointee > 0 else {
        return FLAC__STREAM_DECODER_READ_STATUS_ABORT
    }
    count.pointee = file.read(into: buffer, count: count.pointee)
    if count.pointee > 0 { return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE }
    guard ferror(file.pointer) != 0 else { return FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM }
    file.readError = errno
    return FLAC__STREAM_DECODER_READ_STATUS_ABORT
}

func seekFLAC(
    _: UnsafePointer<FLAC__StreamDecoder>?, _ offset: FLAC__uint64, _ client: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderSeekStatus {
    guard let file = reader(client)?.file, let offset = Int(exactly: offset),
        fseeko(file.pointer, offset, SEEK_SET) == 0
    else { return FLAC__STREAM_DECODER_SEEK_STATUS_ERROR }
    return FLAC__STREAM_DECODER_SEEK_STATUS_OK
}

func tellFLAC(
    _: UnsafePointer<FLAC__StreamDecoder>?, _ offset: UnsafeMutablePointer<FLAC__uint64>?,
    _ client: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderTellStatus {
    guard let file = reader(client)?.file, let offset, let position = UInt64(exactly: ftello(file.pointer)) else {
        return FLAC__STREAM_DECODER_TELL_STATUS_ERROR
    }
    offset.pointee = position
    return FLAC__STREAM_DECODER_TELL_STATUS_OK
}

func lengthFLAC(
    _: UnsafePointer<FLAC__StreamDecoder>?, _ length: UnsafeMutablePointer<FLAC__uint64>?,
    _ client: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderLengthStatus {
    guard let file = reader(client)?.file, let length else { return FLAC__STREAM_DECODER_LENGTH_STATUS_ERROR }
    length.pointee = UInt64(file.length)
    return FLAC__STREAM_DECODER_LENGTH_STATUS_OK
}

func eofFLAC(_: UnsafePointer<FLAC__StreamDecoder>?, _ client: UnsafeMutableRawPointer?) -> FLAC__bool {
    guard let file = reader(client)?.file else { return 1 }
    return feof(file.pointer) == 0 ? 0 : 1
}

func writeFLAC(
    _: UnsafePointer<FLAC__StreamDecoder>?, _ frame: UnsafePointer<FLAC__Frame>?,
    _ planes: UnsafePointer<UnsafePointer<FLAC__int32>?>?, _ client: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderWriteStatus {
    guard let reader = reader(client), let frame, let planes else {
        return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
    }
    reader.take(frame.pointee.header, planes)
    return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
}

func metadataFLAC(
    _: UnsafePointer<FLAC__StreamDecoder>?, _ metadata: UnsafePointer<FLAC__StreamMetadata>?,
    _ client: UnsafeMutableRawPointer?
) {
    guard let metadata, metadata.pointee.type == FLAC__METADATA_TYPE_STREAMINFO else { return }
    reader(client)?.take(metadata.pointee.data.stream_info)
}

func errorFLAC(
    _: UnsafePointer<FLAC__StreamDecoder>?, _ status: FLAC__StreamDecoderErrorStatus,
    _ client: UnsafeMutableRawPointer?
) {
    let complaint: FLACComplaint =
        switch status {
        case FLAC__STREAM_DECODER_ERROR_STATUS_LOST_SYNC: .noFrameBegins
        case FLAC__STREAM_DECODER_ERROR_STATUS_BAD_HEADER: .wrongHeader
        case FLAC__STREAM_DECODER_ERROR_STATUS_FRAME_CRC_MISMATCH: .wrongChecksum
        default: .other
        }
    guard let reader = reader(client), reader.complaint == nil else { return }
    reader.complaint = complaint
}
