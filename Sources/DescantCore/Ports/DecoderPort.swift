public import Foundation

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

/// How sure a decoder is that a file is its own.
///
/// Compare scores of several decoders; the maximum wins.
public struct ProbeScore: Sendable, Hashable, Comparable, Codable {
    /// 0…100.
    public let value: Int

    /// Creates a score.
    ///
    /// - Parameter value: Clamped to 0…100.
    public init(_ value: Int) { self.value = min(max(value, 0), 100) }

    /// Not this decoder's.
    public static let none = ProbeScore(0)
    /// Only the file's extension speaks for it.
    public static let fileExtension = ProbeScore(20)
    /// The MIME type speaks for it.
    public static let mimeType = ProbeScore(40)
    /// The first bytes show the format.
    public static let content = ProbeScore(75)

    /// Orders by value.
    public static func < (lhs: ProbeScore, rhs: ProbeScore) -> Bool { lhs.value < rhs.value }
}

/// What is known of a file before it is opened.
public struct ProbeInput: Sendable, Hashable {
    /// The first bytes, up to 4,096; fewer for a shorter file, empty when they could not be read.
    public var header: Data
    /// The file's extension in lower case, without its dot; empty when it has none.
    public var fileExtension: String
    /// The MIME type, if somebody declared one.
    public var mimeType: String?

    /// Creates a probe's input.
    ///
    /// - Parameters:
    ///   - header: The first bytes of the file.
    ///   - fileExtension: The file's extension, in lower case, without its dot.
    ///   - mimeType: The MIME type, if somebody declared one.
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
