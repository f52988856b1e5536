public import Foundation
internal import Glibc

/// An open stream inside a decoder.
public struct DecodeHandle: Hashable, Sendable {
    /// The handle's identity.
    public let id: UUID

    /// Creates a handle.
    ///
    /// - Parameter id: The handle's identity; a fresh one by default.
    public init(id: UUID = UUID()) { self.id = id }
}

/// Turns a file into interleaved Float32 PCM at the file's own sample rate and channel count.
///
/// One decoder serves any number of handles. Calls for one handle come from one thread at a time, calls for
/// different handles may come at the same time from different threads. Nothing may be called from a streaming
/// thread of the audio system: decoding blocks on the disk.
public protocol DecoderPort: AnyObject {
    /// Opens a file.
    ///
    /// ``CoreError/unsupported(_:)`` lets all other decoders try the file. After ``CoreError/decodeError(_:)`` from a decoder that has
    /// recognised the content, only those that have recognised it as well are tried.
    ///
    /// - Parameter url: A file URL, or any URL whose scheme the decoder declares.
    /// - Throws: ``CoreError/notFound(_:)``, ``CoreError/ioError(underlying:)``, ``CoreError/unsupported(_:)`` when
    ///   the format is not this decoder's, ``CoreError/decodeError(_:)`` when the header is damaged.
    func open(url: URL) throws -> DecodeHandle

    /// Decodes the next frames.
    ///
    /// - Parameters:
    ///   - handle: An open handle.
    ///   - buffer: Room for `maxFrames` × channels samples.
    ///   - maxFrames: The maximum number of frames to write; greater than 0.
    /// - Returns: The number of frames written; 0 at the end of the stream and from then on.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed handle, ``CoreError/decodeError(_:)`` with the
    ///   position for damaged or truncated data.
    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int

    /// Moves to a position, exact to the frame: the next frame read is the one nearest to the position.
    ///
    /// - Parameters:
    ///   - handle: An open handle.
    ///   - seconds: 0…duration, in seconds; the duration itself is legal and leads to the end.
    /// - Throws: ``CoreError/invalidArgument(_:)`` outside that range, ``CoreError/invalidState(_:)`` for a closed
    ///   handle, ``CoreError/unsupported(_:)`` when the stream cannot be repositioned.
    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws

    /// The shape and length of an open stream.
    ///
    /// - Parameter handle: An open handle.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed handle.
    func info(_ handle: DecodeHandle) throws -> StreamInfo

    /// Closes a handle; harmless on a closed one.
    ///
    /// - Parameter handle: The handle to close.
    func close(_ handle: DecodeHandle)
}

/// A decoder's confidence that it can decode a file.
///
/// The decoder with the maximum score is tried first.
public struct ProbeScore: Sendable, Hashable, Comparable, Codable {
    /// 0…100.
    public let value: Int

    /// Creates a score.
    ///
    /// - Parameter value: Clamped to 0…100.
    public init(_ value: Int) { self.value = min(max(value, 0), 100) }

    /// The decoder cannot decode the file.
    public static let none = ProbeScore(0)
    /// Only the file's extension matches.
    public static let fileExtension = ProbeScore(20)
    /// The MIME type matches.
    public static let mimeType = ProbeScore(40)
    /// The first bytes match.
    public static let content = ProbeScore(75)

    /// Orders by value.
    public static func < (lhs: ProbeScore, rhs: ProbeScore) -> Bool { lhs.value < rhs.value }
}

/// What is known of a file before it is opened.
public struct ProbeInput: Sendable, Hashable {
    /// The first bytes, up to 4,096; fewer for a shorter file, empty when they could not be read.
    ///
    /// When a registry chooses a decoder for a file that begins with ID3v2 tags, an empty one of 10 bytes stands for them: what follows is
    /// in the header however long they are.
    public var header: Data
    /// The file's extension in lower case, without its dot; empty when it has none.
    public var fileExtension: String
    /// The declared MIME type, if any.
    public var mimeType: String?

    /// Creates a probe's input.
    ///
    /// - Parameters:
    ///   - header: The first bytes of the file.
    ///   - fileExtension: The file's extension, in lower case, without its dot.
    ///   - mimeType: The declared MIME type, if any.
    public init(header: Data, fileExtension: String, mimeType: String? = nil) {
        self.header = header
        self.fileExtension = fileExtension
        self.mimeType = mimeType
    }
}

/// A decoder that can judge a file before opening it.
///
/// A decoder without this gets its score from the file types
/// in its manifest.
public protocol DecoderProbe {
    /// Scores a file. Quick, without side effects, from any thread.
    ///
    /// - Parameter input: The file's first bytes, extension and MIME type.
    func score(_ input: ProbeInput) -> ProbeScore
}

/// A decoder of many formats that can tell a file which it knows from one that it would only try.
package protocol ContentRecognizer: Sendable {
    /// Whether the content of a file is beyond doubt one of the formats. Reads the file.
    func recognises(_ url: URL) -> Bool
}

extension ProbeInput {
    /// How many bytes of a file are read for probing.
    public static let headerLength = 4096

    /// Reads the beginning of a file.
    ///
    /// - Parameters:
    ///   - url: A file URL. That of a file opened by a ``LocalFileAccess`` has the extension of the name that was asked for.
    ///   - mimeType: The declared MIME type, if any.
    /// - Throws: ``CoreError/notFound(_:)``; ``CoreError/ioError(underlying:)`` for a directory or without permission;
    ///   ``CoreError/decodeError(_:)`` for an empty file.
    public init(file url: URL, mimeType: String? = nil) throws {
        self.init(
            header: try LocalFile(path: url.path).readBeginning(Self.headerLength),
            fileExtension: OpenedFileNames.fileExtension(of: url), mimeType: mimeType)
    }

    /// The offset just behind an ID3v2 tag at the beginning; 0 without one.
    ///
    /// May lie beyond the header.
    public var endOfLeadingID3v2Tag: Int {
        let head = [UInt8](header.prefix(10))
        guard head.count == 10, head.starts(with: Array("ID3".utf8)), head[6...].allSatisfy({ $0 < 0x80 }) else {
            return 0
        }
        let size = head[6...].reduce(0) { $0 << 7 | Int($1) }
        let footer = head[5] & 0x10 == 0 ? 0 : 10
        return 10 + size + footer
    }
}

extension CoreError {
    /// The error for a file that the system would not open or read.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - code: The system's `errno`.
    public static func opening(_ path: String, _ code: Int32) -> CoreError {
        let reason = String(cString: strerror(code))
        switch code {
        case ENOENT, ENOTDIR: return .notFound("\(path) does not exist")
        case EACCES, EPERM: return .ioError("\(path) cannot be read: \(reason); check its permissions")
        default: return .ioError("\(path) cannot be read: \(reason)")
        }
    }
}
