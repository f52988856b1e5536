internal import Descant
internal import Foundation
internal import Synchronization

/// Decodes DSF and DFF (DSDIFF) files: DSD64, DSD128 and DSD256 of 44.1 and 48 kHz, 1 to 6 channels, to Float32 PCM.
///
/// A bit is worth +1 or -1, so a tone of full modulation has the amplitude 1, and the 0 dB of a Super Audio CD, half of
/// that, lies at -6 dBFS.
final class DSDDecoder: DecoderPort, DecoderProbe, Sendable {
    private let streams = OpenStreams<DSDStream>()
    private let outputMultiple: Int?

    /// Creates a decoder.
    ///
    /// - Parameter outputMultiple: The rate of the PCM as a multiple of 44.1 or 48 kHz: 2, 4 or 8. `nil`: a 32nd of the
    ///   file's rate, so 88.2 kHz for DSD64, 176.4 kHz for DSD128 and 352.8 kHz for DSD256.
    init(outputMultiple: Int?) { self.outputMultiple = outputMultiple }

    func open(url: URL) throws -> DecodeHandle {
        guard url.isFileURL else {
            throw CoreError.unsupported("\(AudioSource.url(url).name): only files can be opened")
        }
        return streams.add(try DSDStream(url: url, outputMultiple: outputMultiple))
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
        let header = [UInt8](input.header.prefix(16))
        return DSFParser.recognises(header) || DFFParser.recognises(header) ? .content : .none
    }
}

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
