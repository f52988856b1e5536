internal import CFLAC
internal import Descant
internal import Foundation

/// Reads one FLAC file through libFLAC, on one thread at a time.
final class FLACReader {
    let file: FLACFile
    /// The stream's shape and length.
    private(set) var info = StreamInfo(duration: 0, sampleRate: 0, channels: 0, bitDepth: 0)

    private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
    private let checksMD5: Bool
    private let output = FrameOutput()
    private var frameCount: Int64 = 0

    /// The next frame that libFLAC will decode.
    private var position: Int64 = 0
    /// What the file calls its first frame; not 0 in one that was cut out of another.
    private var firstNumber: Int64?
    /// What ended the counting of frames before the file's end.
    private var defectAtEnd: String?
    /// Whether decoded frames are only counted.
    private var isCounting = false
    /// What libFLAC or a check of ours complained of first.
    private var complaint: String?
    /// Whether something could be decoded again after that: then the file is damaged, not cut off.
    private var goesOnAfterComplaint = false
    private var failure: CoreError?
    private var isAtEnd = false
    /// Whether all frames were decoded in order, so that the checksum over all samples counts.
    private var isUnbroken = true
    /// Whether libFLAC was told to finish, and must begin anew before it can seek.
    private var isFinished = true

    /// Opens a file and reads its header.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - checksMD5: Whether all samples are compared with the file's checksum at its end.
    /// - Throws: `CoreError` naming the file.
    init(url: URL, checksMD5: Bool) throws {
        self.checksMD5 = checksMD5
        file = try FLACFile(url)
        guard let decoder = FLAC__stream_decoder_new() else {
            throw CoreError.ioError("\(url.path): there is no memory for libFLAC")
        }
        self.decoder = decoder
        try begin()
        if frameCount == 0 { try countFrames() }
        info.duration = Double(frameCount) / info.sampleRate
    }

    deinit { FLAC__stream_decoder_delete(decoder) }

    /// Decodes the next frames.
    ///
    /// - Returns: The number of frames; 0 at the end.
    /// - Throws: `CoreError` with the position where the stream is damaged or truncated; every frame before it is
    ///   delivered first.
    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        output.begin(buffer, room: maxFrames)
        while output.room > 0, !isAtEnd, failure == nil { step() }
        let frames = output.end()
        if frames == 0, let failure { throw failure }
        return frames
    }

    /// Moves to a frame.
    ///
    /// - Throws: `CoreError.decodeError` when the stream is damaged there.
    func seek(toFrame frame: Int64) throws {
        let target = min(max(frame, 0), frameCount)
        output.discard()
        failure = nil
        forgetComplaint()
        if firstNumber == nil { try learnFirstNumber() }
        if isFinished { try begin() }
        isUnbroken = false
        isAtEnd = target == frameCount
        position = target
        guard !isAtEnd else { return }
        let isThere = FLAC__stream_decoder_seek_absolute(decoder, UInt64(target + (firstNumber ?? 0))) != 0
        guard isThere, output.hasFramesAside, complaint == nil else {
            output.discard()
            FLAC__stream_decoder_flush(decoder)
            let error = unreadable(at: target)
            failure = error
            throw error
        }
    }
}

/// Beginning, stepping, ending.
extension FLACReader {
    /// Reads the header from the file's beginning.
    private func begin() throws {
        file.rewind()
        FLAC__stream_decoder_set_md5_checking(decoder, checksMD5 ? 1 : 0)
        let me = Unmanaged.passUnretained(self).toOpaque()
        let start = file.isOgg ? FLAC__stream_decoder_init_ogg_stream : FLAC__stream_decoder_init_stream
        let status = start(
            decoder, readFLAC, seekFLAC, tellFLAC, lengthFLAC, eofFLAC, writeFLAC, metadataFLAC, errorFLAC, me)
        if status == FLAC__STREAM_DECODER_INIT_STATUS_UNSUPPORTED_CONTAINER {
            throw CoreError.unsupported("\(file.path): this build of libFLAC does not read FLAC in Ogg files")
        }
        guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else {
            throw CoreError.ioError("\(file.path): libFLAC did not start (status \(status.rawValue))")
        }
        isFinished = false
        isUnbroken = true
        position = 0
        forgetComplaint()
        let isRead = FLAC__stream_decoder_process_until_end_of_metadata(decoder) != 0
        if file.readError != 0 { throw CoreError.opening(file.path, file.readError) }
        guard isRead, info.sampleRate > 0, !isStreamOver else {
            throw CoreError.decodeError("\(file.path): the FLAC header is damaged or incomplete")
        }
        // Bytes before the stream are complained of and do no harm.
        forgetComplaint()
    }

    /// Decodes the first block for its number alone: behind a jump it can no longer be told what the file calls its first
    /// frame. A damaged block counts as that of a whole stream.
    private func learnFirstNumber() throws {
        FLAC__stream_decoder_finish(decoder)
        try begin()
        isCounting = true
        _ = process()
        isCounting = false
        forgetComplaint()
        firstNumber = firstNumber ?? 0
    }

    /// Decodes everything once: the header of a file that was written to a pipe does not tell its length.
    private func countFrames() throws {
        isCounting = true
        frameCount = .max
        while process(), complaint == nil, !isStreamOver {}
        if file.readError != 0 { throw CoreError.opening(file.path, file.readError) }
        isCounting = false
        frameCount = position
        defectAtEnd = complaint
        FLAC__stream_decoder_finish(decoder)
        try begin()
    }

    /// Decodes one block and judges what happened.
    private func step() {
        var isDone = process()
        // Damage may be nothing but the rest of a frame before the file's end: see what follows.
        while isDone, complaint != nil, !goesOnAfterComplaint, !isStreamOver { isDone = process() }
        if file.readError != 0 {
            failure = .opening("\(file.path) at \(place(position))", file.readError)
        } else if position >= frameCount {
            finish()
        } else if let complaint, goesOnAfterComplaint {
            failure = .decodeError("\(file.path): \(complaint) at \(place(position))")
        } else if isStreamOver {
            failure = .decodeError(
                "\(file.path): the file is truncated: nothing can be decoded from \(place(position)) on, its length is "
                    + "announced as \(place(frameCount))")
        } else if !isDone {
            let reason = String(cString: FLAC__stream_decoder_get_resolved_state_string(decoder))
            failure = .decodeError("\(file.path): libFLAC stopped at \(place(position)) (\(reason))")
        }
    }

    private func process() -> Bool { FLAC__stream_decoder_process_single(decoder) != 0 }

    private var isStreamOver: Bool { FLAC__stream_decoder_get_state(decoder) == FLAC__STREAM_DECODER_END_OF_STREAM }

    /// Compares the checksum over all samples, which libFLAC can only do by finishing.
    private func finish() {
        isAtEnd = true
        if let defectAtEnd { failure = .decodeError("\(file.path): \(defectAtEnd) at \(place(frameCount))") }
        guard checksMD5, isUnbroken else { return }
        isFinished = true
        if FLAC__stream_decoder_finish(decoder) == 0 {
            failure = .decodeError(
                "\(file.path): the samples before \(place(frameCount)) differ from the file's MD5 checksum")
        }
    }

    private func unreadable(at frame: Int64) -> CoreError {
        if file.readError != 0 { return .opening("\(file.path) at \(place(frame))", file.readError) }
        return .decodeError("\(file.path): nothing can be decoded at \(place(frame)); the file is damaged or truncated")
    }

    private func forgetComplaint() {
        complaint = nil
        goesOnAfterComplaint = false
    }

    /// "1.500 s (frame 66150)".
    private func place(_ frame: Int64) -> String {
        let seconds = String(format: "%.3f", Double(frame) / info.sampleRate)
        return "\(seconds) s (frame \(frame))"
    }
}

/// What libFLAC reports.
extension FLACReader {
    /// Takes the shape of the stream.
    func take(_ header: FLAC__StreamMetadata_StreamInfo) {
        guard header.sample_rate > 0, (1...8).contains(header.channels), (4...32).contains(header.bits_per_sample)
        else {
            return
        }
        info.sampleRate = Double(header.sample_rate)
        info.channels = Int(header.channels)
        info.bitDepth = Int(header.bits_per_sample)
        if frameCount == 0 { frameCount = Int64(clamping: header.total_samples) }
        output.channels = info.channels
        output.scale = 1 / Float(sign: .plus, exponent: info.bitDepth - 1, significand: 1)
    }

    /// Takes a decoded block, unless something is wrong with it or was wrong before it.
    func take(_ header: FLAC__FrameHeader, _ planes: UnsafePointer<UnsafePointer<Int32>?>) {
        guard complaint == nil else {
            goesOnAfterComplaint = true
            return
        }
        guard header.sample_rate == UInt32(info.sampleRate), header.channels == UInt32(info.channels),
            header.bits_per_sample == UInt32(info.bitDepth)
        else { return stop("the stream changes its format") }
        let number = Int64(clamping: header.number.sample_number)
        let first = firstNumber ?? number
        firstNumber = first
        guard number - first == position else { return stop("frames are missing") }
        let frames = Int(min(Int64(header.blocksize), frameCount - position))
        if !isCounting { output.store(planes, frames: frames) }
        position += Int64(frames)
    }

    /// Complains of a block that could be decoded.
    private func stop(_ text: String) {
        complain(text)
        goesOnAfterComplaint = true
    }

    /// Remembers the first thing that is wrong.
    func complain(_ text: String) { complaint = complaint ?? text }
}
