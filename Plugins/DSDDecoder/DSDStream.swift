internal import Descant
internal import Foundation
internal import Synchronization

/// One open DSD file.
///
/// Sendable without the compiler's proof: `reader` is touched only while `lock` is held, everything else never changes
/// after `init`.
final class DSDStream: @unchecked Sendable {
    /// The stream's shape and length.
    let info: StreamInfo

    private let path: String
    private let lock = Mutex(())
    private let reader: DSDReader

    /// Opens a file and reads its header.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - outputMultiple: The rate of the PCM as a multiple of 44.1 or 48 kHz; `nil`: a 32nd of the file's.
    /// - Throws: `CoreError` naming the file.
    init(url: URL, outputMultiple: Int?) throws {
        reader = try DSDReader(url: url, outputMultiple: outputMultiple)
        info = reader.info
        path = url.path
    }

    /// Decodes the next frames; see `DecoderPort`.
    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try lock.withLock { _ in try reader.read(into: buffer, maxFrames: maxFrames) }
    }

    /// Moves to the frame nearest to a time; see `DecoderPort`.
    func seek(toSeconds seconds: Double) throws {
        guard seconds >= 0, seconds <= info.duration else {
            throw CoreError.invalidArgument("\(path): \(seconds) s is outside 0 to \(info.duration) s")
        }
        try lock.withLock { _ in try reader.seek(toFrame: Int((seconds * info.sampleRate).rounded())) }
    }
}
