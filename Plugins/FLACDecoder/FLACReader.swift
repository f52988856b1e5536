internal import CFLAC
internal import Descant
internal import Foundation

/// Reads one FLAC file through libFLAC, on one thread at a time.
///
/// A damaged file plays as `flac --decode-through-errors` plays it: frames that cannot be decoded are silent, so that what
/// follows them keeps its time, and the end of the stream is an error that names every place.
final class FLACReader {
    let file: FLACFile
    /// The stream's shape and length.
    private(set) var info = StreamInfo(duration: 0, sampleRate: 0, channels: 0, bitDepth: 0)

    private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
    private let checksMD5: Bool
    let output = FrameOutput()
    /// The length, announced by the header or counted.
    private(set) var frameCount: Int64 = 0

    /// The next frame that libFLAC will decode.
    var position: Int64 = 0
    /// The number of the first frame; not 0 in a file that was cut out of another.
    var firstNumber: Int64?
    /// Whether the frame numbers restart within the file, so that libFLAC cannot find a frame by its number.
    var isRenumbered = false
    /// The number of frames of the first block.
    var firstBlockSize = 0
    /// The first frame to deliver; those before it are dropped.
    private var dropsUntil: Int64 = 0
    /// Whether decoded frames are only counted.
    private var isCounting = false
    /// The errors that libFLAC reported since the last block.
    var complaint: FLACComplaint?
    /// Blocks that libFLAC delivered within the present call.
    private var blocksInCall = 0
    /// The newest of several such blocks, not delivered yet.
    private var withheld: (number: Int64, frames: Int64)?
    /// The ranges that cannot be decoded or differ from the header.
    var defects = FLACDefects()
    /// The other format that the stream changes to.
    var otherFormat: String?
    /// The same, where counting ended with it.
    private var formatBehindEnd: String?

    /// More frames than 36 bits can announce.
    private static let unknownLength: Int64 = 1 << 40

    private var failure: CoreError?
    private var isAtEnd = false
    /// Whether all frames were decoded in order, so that the checksum over all samples counts.
    private var isUnbroken = true
    /// Whether libFLAC has finished and must be reset before it can seek.
    private var isFinished = true

    /// Opens a file, reads its header and decodes its first block.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - checksMD5: Whether all samples are compared with the file's checksum at its end.
    /// - Throws: `CoreError` naming the file; `CoreError.unsupported` when libFLAC can decode nothing of it, so that another
    ///   decoder is tried.
    init(url: URL, checksMD5: Bool) throws {
        self.checksMD5 = checksMD5
        file = try FLACFile(url)
        guard let decoder = FLAC__stream_decoder_new() else {
            throw CoreError.ioError("\(url.path): there is no memory for libFLAC")
        }
        self.decoder = decoder
        try begin()
        try decodeFirstBlock()
        if try headerIsWrong() { try countFrames() }
        info.duration = Double(frameCount) / info.sampleRate
    }

    deinit { FLAC__stream_decoder_delete(decoder) }

    /// Decodes the next frames.
    ///
    /// - Returns: The number of frames; 0 at the end.
    /// - Throws: `CoreError` at the end of a stream that is damaged, truncated or changes its format; every frame that can be
    ///   decoded is delivered first.
    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        output.begin(buffer, room: maxFrames)
        while output.room > 0, !isAtEnd, failure == nil { step() }
        let frames = output.end()
        if frames == 0, let failure { throw failure }
        return frames
    }

    /// Moves to a frame.
    ///
    /// - Throws: `CoreError.decodeError` when nothing can be decoded there or shortly after it.
    func seek(toFrame frame: Int64) throws {
        let target = min(max(frame, 0), frameCount)
        output.discard()
        (failure, complaint, otherFormat, defects) = (nil, nil, nil, FLACDefects())
        if isFinished || isRenumbered { try restart() }
        isUnbroken = false
        isAtEnd = target == frameCount
        guard !isAtEnd else {
            position = target
            return
        }
        if isRenumbered {
            dropsUntil = target
            return
        }
        guard isFound(target) else {
            let error = unreadable(at: target)
            failure = error
            throw error
        }
    }

    /// Lets libFLAC search for a frame, or for one behind it where that one is damaged: the frames between are silent.
    private func isFound(_ target: Int64) -> Bool {
        for distance: Int64 in [0, 4_096, 16_384, 65_536] where target + distance < frameCount {
            (position, complaint, blocksInCall, withheld) = (target, nil, 0, nil)
            let number = UInt64(target + distance + (firstNumber ?? 0))
            if FLAC__stream_decoder_seek_absolute(decoder, number) != 0, output.hasFramesAside, complaint == nil {
                return true
            }
            output.discard()
            FLAC__stream_decoder_flush(decoder)
            if file.readError != 0 { return false }
        }
        return false
    }
}

/// Opening.
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
        (position, dropsUntil) = (0, 0)
        let isRead = FLAC__stream_decoder_process_until_end_of_metadata(decoder) != 0
        if file.readError != 0 { throw CoreError.opening(file.path, file.readError) }
        guard isRead, info.sampleRate > 0, !isStreamOver else {
            throw CoreError.unsupported("\(file.path): libFLAC finds no whole header in this FLAC file; it is damaged")
        }
        // libFLAC reports bytes before the stream; they are harmless.
        complaint = nil
    }

    /// Restarts at the first frame.
    private func restart() throws {
        FLAC__stream_decoder_finish(decoder)
        output.discard()
        (firstNumber, otherFormat, withheld, defects) = (nil, nil, nil, FLACDefects())
        try begin()
    }

    /// Decodes up to the first whole block, which waits for the first read.
    private func decodeFirstBlock() throws {
        if frameCount == 0 { frameCount = Self.unknownLength }
        while position == 0, !isStreamOver, otherFormat == nil, process() {}
        if file.readError != 0 { throw CoreError.opening(file.path, file.readError) }
        guard output.hasFramesAside else {
            throw CoreError.unsupported("\(file.path): libFLAC can decode no frame of this FLAC file")
        }
    }

    /// Compares the header with the first block and with the last one, and corrects what libFLAC is shown of it.
    ///
    /// - Returns: Whether the frames must be counted.
    private func headerIsWrong() throws -> Bool {
        if file.isOgg { return frameCount == Self.unknownLength }
        guard let header = file.streamInfo else { return frameCount == Self.unknownLength }
        if header.hasOneBlockSize, header.blockSize != firstBlockSize {
            // libFLAC multiplies the numbers of blocks by this size.
            file.correct(blockSize: firstBlockSize)
        }
        guard frameCount < Self.unknownLength else { return true }
        let tail = FLACTail(sampleRate: Int(info.sampleRate), channels: info.channels, firstBlockSize: firstBlockSize)
        let end = try tail.endOfLastBlock(in: file.tail())
        let isCorrected = file.streamInfo?.isCorrected == true
        guard let end, let firstNumber, end - firstNumber != frameCount, !isCorrected else { return isCorrected }
        if end - firstNumber > frameCount { return true }
        // Truncated, or followed by another stream that is shorter: then the announced end is there.
        let lastFrame = UInt64(clamping: firstNumber + frameCount - 1)
        let isWhole =
            FLAC__stream_decoder_seek_absolute(decoder, lastFrame) != 0 && complaint == nil
            && otherFormat == nil
        try restart()
        try decodeFirstBlock()
        return isWhole
    }

    /// Decodes everything once, because the header does not tell the length or tells a wrong one.
    private func countFrames() throws {
        file.correct(frameCount: 0)
        frameCount = Self.unknownLength
        isCounting = true
        try restart()
        while process(), !isStreamOver, otherFormat == nil {}
        if file.readError != 0 { throw CoreError.opening(file.path, file.readError) }
        isCounting = false
        (frameCount, formatBehindEnd) = (position, otherFormat)
        try restart()
    }
}

/// Stepping and ending.
extension FLACReader {
    /// Decodes one block and handles the reported errors.
    private func step() {
        let isDone = process()
        if file.readError != 0 {
            failure = .opening("\(file.path) at \(place(position))", file.readError)
        } else if let otherFormat {
            failure = changed(to: otherFormat)
        } else if position >= frameCount {
            finish()
        } else if isStreamOver {
            failure = .decodeError(
                "\(file.path): the file is truncated: nothing can be decoded from \(place(position)) on, its length is "
                    + "announced as \(place(frameCount))" + defects.text(after: "; ", place))
        } else if !isDone {
            let reason = String(cString: FLAC__stream_decoder_get_resolved_state_string(decoder))
            failure = .decodeError("\(file.path): libFLAC stopped at \(place(position)) (\(reason))")
        }
    }

    /// Decodes one block.
    ///
    /// Where blocks are missing, libFLAC delivers silent ones in their place and silences the whole one behind them too. That one is
    /// decoded once more.
    private func process() -> Bool {
        (blocksInCall, complaint) = (0, nil)
        let isDone = FLAC__stream_decoder_process_single(decoder) != 0
        guard let (number, frames) = withheld else { return isDone }
        withheld = nil
        let (before, reason) = (position, complaint)
        (blocksInCall, complaint) = (0, nil)
        if isRenumbered || FLAC__stream_decoder_seek_absolute(decoder, UInt64(clamping: number)) == 0
            || position == before
        {
            if !isRenumbered { FLAC__stream_decoder_flush(decoder) }
            putOutSilence(frames, because: reason)
        }
        isUnbroken = false
        return isDone
    }

    private var isStreamOver: Bool { FLAC__stream_decoder_get_state(decoder) == FLAC__STREAM_DECODER_END_OF_STREAM }

    /// Throws for damage, and for a wrong checksum over all samples, which libFLAC compares when it finishes.
    private func finish() {
        isAtEnd = true
        if let formatBehindEnd {
            failure = changed(to: formatBehindEnd)
        } else if !defects.isEmpty {
            failure = .decodeError("\(file.path): the file is damaged: " + defects.text(after: "", place))
        } else if anotherStreamFollows {
            failure = .decodeError(
                "\(file.path): another FLAC stream follows at \(place(frameCount)); it is not played")
        }
        guard checksMD5, isUnbroken, defects.isEmpty else { return }
        isFinished = true
        if FLAC__stream_decoder_finish(decoder) == 0 {
            failure = .decodeError(
                "\(file.path): the samples before \(place(frameCount)) differ from the file's MD5 checksum")
        }
    }

    private var anotherStreamFollows: Bool {
        var offset: FLAC__uint64 = 0
        guard !file.isOgg, !isRenumbered, FLAC__stream_decoder_get_decode_position(decoder, &offset) != 0 else {
            return false
        }
        return file.hasMarker(at: Int(clamping: offset))
    }

    private func changed(to format: String) -> CoreError {
        .decodeError(
            "\(file.path): the stream changes to \(format) at \(place(position)); what follows is not played"
                + defects.text(after: "; ", place))
    }

    private func unreadable(at frame: Int64) -> CoreError {
        if file.readError != 0 { return .opening("\(file.path) at \(place(frame))", file.readError) }
        return .decodeError("\(file.path): nothing can be decoded at \(place(frame)); the file is damaged or truncated")
    }

    /// "1.500 s (frame 66150)".
    private func place(_ frame: Int64) -> String {
        let seconds = String(format: "%.3f", Double(frame) / info.sampleRate)
        return "\(seconds) s (frame \(frame))"
    }
}

/// The callbacks of libFLAC.
extension FLACReader {
    /// Stores the stream's format; that of a second stream in the file is compared with every block.
    func take(_ header: FLAC__StreamMetadata_StreamInfo) {
        guard header.sample_rate > 0, (1...8).contains(header.channels), (4...32).contains(header.bits_per_sample),
            info.sampleRate == 0
        else {
            return
        }
        info.sampleRate = Double(header.sample_rate)
        info.channels = Int(header.channels)
        info.bitDepth = Int(header.bits_per_sample)
        frameCount = Int64(clamping: header.total_samples)
        output.channels = info.channels
    }

    /// Receives a decoded block.
    func take(_ header: FLAC__FrameHeader, _ planes: UnsafePointer<UnsafePointer<Int32>?>) {
        guard otherFormat == nil, position < frameCount else { return }
        let (rate, channels) = (Int(header.sample_rate), Int(header.channels))
        guard rate == Int(info.sampleRate), channels == info.channels, (4...32).contains(header.bits_per_sample) else {
            otherFormat = "\(rate) Hz and \(channels) channels"
            return
        }
        if firstBlockSize == 0 { firstBlockSize = Int(header.blocksize) }
        let number = Int64(clamping: header.number.sample_number)
        blocksInCall += 1
        if blocksInCall > 1 { return withhold(number, Int64(header.blocksize)) }
        let gap = framesMissing(before: number)
        if gap > 0 { putOutSilence(gap, because: complaint) }
        let frames = min(Int64(header.blocksize), frameCount - position)
        if complaint == .wrongChecksum { defects.add(frames, at: position, complaint) }
        defer { position += frames }
        let dropped = max(0, dropsUntil - position)
        guard !isCounting, dropped < frames else { return }
        output.scale = 1 / Float(sign: .plus, exponent: Int(header.bits_per_sample) - 1, significand: 1)
        output.store(planes, from: Int(dropped), frames: Int(frames))
    }

    /// Receives a block after another one in the same call: those before the last are not in the file.
    private func withhold(_ number: Int64, _ frames: Int64) {
        if let withheld {
            putOutSilence(withheld.frames, because: complaint)
        } else if complaint != .wrongChecksum {
            let first = min(frames, position)
            defects.add(first, at: position - first, complaint)
        }
        withheld = (number, min(frames, frameCount - position))
    }

    private func putOutSilence(_ frames: Int64, because reason: FLACComplaint?) {
        let frames = min(frames, frameCount - position)
        defects.add(frames, at: position, reason)
        if !isCounting { output.skip(max(0, frames - max(0, dropsUntil - position))) }
        position += frames
    }

    /// The number of frames missing before a block, by its number. A block with an impossible number counts as the next.
    private func framesMissing(before number: Int64) -> Int64 {
        // Behind a damaged beginning the first block that is whole is not the first one.
        let isBeginningLost = complaint != nil && number < min(frameCount, Int64(info.sampleRate) * 60)
        let first = firstNumber ?? (isBeginningLost ? 0 : number)
        firstNumber = first
        let gap = number - first - position
        let limit = frameCount == Self.unknownLength ? Int64(info.sampleRate) * 60 : frameCount - position - 1
        if (0...max(0, limit)).contains(gap) { return gap }
        firstNumber = number - position
        isRenumbered = true
        return 0
    }
}
