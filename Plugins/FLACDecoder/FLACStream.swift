internal import CFLAC
internal import Descant
internal import Foundation
internal import Synchronization

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
