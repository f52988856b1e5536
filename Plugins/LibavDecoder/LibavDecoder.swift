internal import Descant
internal import Foundation
internal import Synchronization

/// Decodes MP3, AAC and ALAC in MP4, Ogg Vorbis and Ogg Opus with libavcodec: Float32 samples at the file's rate, without the
/// delay and padding of the encoder.
///
/// A file that is not read exactly, such as a fragmented MP4 or a chained Ogg, is `unsupported`, so that the host tries another decoder.
/// Packets that cannot be decoded are silent, and the error at the end names their places.
final class LibavDecoder: DecoderPort, DecoderProbe, Sendable {
    private let streams = OpenStreams<LibavStream>()

    func open(url: URL) throws -> DecodeHandle {
        guard url.isFileURL else {
            throw CoreError.unsupported("\(AudioSource.url(url).name): only files can be opened")
        }
        return streams.add(try LibavStream(url: url))
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

    func score(_ input: ProbeInput) -> ProbeScore { EncodedFormat.score(input) }
}

/// One open file.
///
/// Sendable without the compiler's proof: everything that changes is touched only while `lock` is held (libavcodec decodes on
/// the thread that called it), and `info` never changes after `init`.
final class LibavStream: @unchecked Sendable {
    /// The stream's shape and length.
    let info: StreamInfo

    private let lock = Mutex(())
    private let reader: LibavReader

    /// Opens a file and decodes its first packet.
    ///
    /// - Throws: `CoreError` naming the file.
    init(url: URL) throws {
        reader = try LibavReader(url: url)
        info = reader.info
    }

    /// Decodes the next frames; see `DecoderPort`.
    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try lock.withLock { _ in try reader.read(into: buffer, maxFrames: maxFrames) }
    }

    /// Moves to the frame nearest to a time; see `DecoderPort`.
    func seek(toSeconds seconds: Double) throws {
        guard seconds >= 0, seconds <= info.duration else {
            throw CoreError.invalidArgument("\(reader.path): \(seconds) s is outside 0 to \(info.duration) s")
        }
        try lock.withLock { _ in try reader.seek(toFrame: Int64((seconds * info.sampleRate).rounded())) }
    }
}
