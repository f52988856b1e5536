internal import CFLAC
internal import Descant
internal import Foundation
internal import Synchronization

/// Decodes FLAC files, bare or in Ogg, with libFLAC: 4 to 32 bits, up to 8 channels, Float32 samples that are exact up to 24 bits.
///
/// Damaged files play to their end: frames that cannot be decoded are silent, and the error at the end names their places. Where the
/// header announces a wrong length or block size, the frames decide. A file of which nothing can be decoded is `unsupported`, so that
/// the host tries another decoder.
final class FLACDecoder: DecoderPort, DecoderProbe, Sendable {
    private let streams = OpenStreams<FLACStream>()
    private let checksMD5: Bool

    /// Creates a decoder.
    ///
    /// - Parameter checksMD5: Whether a file that was read from its beginning to its end is compared with the checksum
    ///   over all its samples. The checksum of each frame is always checked.
    init(checksMD5: Bool) { self.checksMD5 = checksMD5 }

    func open(url: URL) throws -> DecodeHandle {
        guard url.isFileURL else {
            throw CoreError.unsupported("\(AudioSource.url(url).name): only files can be opened")
        }
        return streams.add(try FLACStream(url: url, checksMD5: checksMD5))
    }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        guard maxFrames > 0 else { throw CoreError.invalidArgument("maxFrames is \(maxFrames); 1 or more is possible") }
        return try streams[handle].read(into: buffer, maxFrames: maxFrames)
    }

    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        try streams[handle].seek(toSeconds: seconds)
    }

    func info(_ handle: DecodeHandle) throws -> StreamInfo { try streams[handle].info }

    func close(_ handle: DecodeHandle) {
        // The stream closes its file when the last call on it has returned.
        streams.remove(handle)
    }

    func score(_ input: ProbeInput) -> ProbeScore {
        if FLACFile.isOgg(input.header) { return .content }
        let start = input.endOfLeadingID3v2Tag
        if input.header.dropFirst(start).starts(with: FLACFile.marker) { return .content }
        // The first bytes may be only a long tag or other bytes before the marker; then the file extension decides.
        let isPossible = start >= input.header.count || Data(input.header).range(of: Data(FLACFile.marker)) != nil
        return isPossible && ["flac", "fla"].contains(input.fileExtension) ? .fileExtension : .none
    }
}

/// One open FLAC file.
///
/// Sendable without the compiler's proof: everything that changes is touched only while `lock` is held (libFLAC calls
/// back on the thread that called it, within that call), and `info` never changes after `init`.
final class FLACStream: @unchecked Sendable {
    /// The stream's shape and length.
    let info: StreamInfo

    private let lock = Mutex(())
    private let reader: FLACReader

    /// Opens a file and reads its header.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - checksMD5: Whether all samples are compared with the file's checksum at its end.
    /// - Throws: `CoreError` naming the file.
    init(url: URL, checksMD5: Bool) throws {
        reader = try FLACReader(url: url, checksMD5: checksMD5)
        info = reader.info
    }

    /// Decodes the next frames; see `DecoderPort`.
    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try lock.withLock { _ in try reader.read(into: buffer, maxFrames: maxFrames) }
    }

    /// Moves to the frame nearest to a time; see `DecoderPort`.
    func seek(toSeconds seconds: Double) throws {
        guard seconds >= 0, seconds <= info.duration else {
            throw CoreError.invalidArgument("\(reader.file.path): \(seconds) s is outside 0 to \(info.duration) s")
        }
        try lock.withLock { _ in try reader.seek(toFrame: Int64((seconds * info.sampleRate).rounded())) }
    }
}
