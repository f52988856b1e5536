public import Foundation

/// The source of a deck's sound.
public enum AudioSource: Sendable {
    /// A file or a stream: `file:`, `http:`, `https:` and whatever schemes the engine knows.
    ///
    /// A temporal media fragment names a part of the sound, from one second up to another, exact to the frame: `#t=12.5,60`, or
    /// `#t=12.5` up to the end. The name that `&id=` gives the part is its title. Parts that follow each other join as the file itself.
    ///
    /// Headers and credentials for a server come from ``NetworkAccess``; a user name and password in the URL are used and
    /// never shown.
    case url(URL)
    /// A whole encoded file in memory. The name appears in errors and helps to recognise the format.
    case data(Data, name: String)
    /// Encoded bytes from the host: an archive, an encrypted store, a database.
    case bytes(any ByteSource)
    /// PCM made by the host.
    case pcm(any PCMSource)

    /// The name in errors and reports, without a user name or password.
    public var name: String {
        switch self {
        case .url(let url): url.isFileURL ? url.path : url.withoutSecrets.absoluteString
        case .data(_, let name): name
        case .bytes(let source): source.name
        case .pcm(let source): source.name
        }
    }
}

/// Encoded bytes provided by the host.
///
/// The engine calls it on a thread of its own, one call at a time, never on
/// a streaming thread; calls may block.
public protocol ByteSource: AnyObject, Sendable {
    /// The name in errors; an extension helps to recognise the format.
    var name: String { get }

    /// The length in bytes; `nil` when unknown, as for a live stream.
    var size: Int64? { get }

    /// Whether ``seek(to:)`` works.
    var isSeekable: Bool { get }

    /// Reads at the present position.
    ///
    /// - Parameter buffer: Where to write.
    /// - Returns: The number of bytes written; 0 at the end.
    /// - Throws: Any error; playback of this source ends with it.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// Moves the present position.
    ///
    /// - Parameter offset: Bytes from the beginning.
    /// - Throws: Any error; playback of this source ends with it.
    func seek(to offset: Int64) throws
}

/// PCM provided by the host.
///
/// The engine calls it on a thread of its own, ahead of time, never on a streaming thread; calls may block. A call that takes longer
/// than its limit in ``CallLimits`` is given up: the deck fails behind the frames read so far, and the source is not called any more.
/// A ``LivePCMSource`` is given as long as it takes.
public protocol PCMSource: AnyObject, Sendable {
    /// The name in errors.
    var name: String { get }

    /// The shape of the sound.
    var format: PCMFormat { get }

    /// The length in frames; `nil` when unknown or endless.
    var frameCount: Int64? { get }

    /// Makes the next frames.
    ///
    /// - Parameters:
    ///   - buffer: Room for `maxFrames` × channels interleaved samples.
    ///   - maxFrames: The maximum number of frames to write.
    /// - Returns: The number of frames written; 0 at the end.
    /// - Throws: Any error; playback of this source ends with it.
    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int

    /// Moves to a frame.
    ///
    /// - Parameter frame: Frames from the beginning.
    /// - Throws: ``CoreError/unsupported(_:)`` when the source cannot be repositioned.
    func seek(toFrame frame: Int64) throws

    /// Returns the cues within the frames of the reads so far; each one once.
    ///
    /// Called after every read, on the same thread. When a cue sounds, the mixer posts ``MixEvent/Kind-swift.enum/cue(_:number:)``.
    func takeCues() -> [PCMCue]
}

extension PCMSource {
    /// No cues.
    public func takeCues() -> [PCMCue] { [] }
}

/// PCM that is made while it is heard, such as that of a microphone or a voice.
///
/// Its reads may wait for the sound as long as it takes: a long call is reported and not given up.
public protocol LivePCMSource: PCMSource {}

/// A moment in the sound of a ``PCMSource``.
public struct PCMCue: Sendable, Hashable {
    /// Frames from the beginning of the source.
    public var frame: Int64
    /// A number of the source's own, which comes back with the event.
    public var number: UInt64

    /// Creates a cue.
    ///
    /// - Parameters:
    ///   - frame: Frames from the beginning of the source.
    ///   - number: A number of the source's own.
    public init(frame: Int64, number: UInt64) {
        self.frame = frame
        self.number = number
    }
}
