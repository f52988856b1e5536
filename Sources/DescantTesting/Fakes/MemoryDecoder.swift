public import DescantCore
public import Foundation
internal import Synchronization

/// A decoder that plays samples given in memory.
///
/// Its files are registered and begin with ``fileHeader``; the rest of their content on disk does not matter. Callable
/// from any thread.
public final class MemoryDecoder: DecoderPort, DecoderProbe, Sendable {
    /// The first bytes by which ``score(_:)`` recognises a file of this decoder.
    public static let fileHeader = Data("DESCANT-MEMORY".utf8)

    /// The faults of a stream; none by default.
    public struct Fault: Sendable {
        /// Opening throws this.
        public var openError: CoreError?
        /// Reading throws this error at this frame.
        public var failure: (frame: Int, error: CoreError)?
        /// Whether repositioning is refused.
        public var refusesSeek = false

        /// Creates a description without faults.
        public init() {}
    }

    private struct Sound {
        var content: SampleBuffer
        var bitDepth: Int
        var fault: Fault
    }

    private struct Stream {
        var name: String
        var sound: Sound
        var position = 0
    }

    private struct State {
        var sounds: [URL: Sound] = [:]
        var streams: [DecodeHandle: Stream] = [:]
    }

    private let state = Mutex(State())

    /// Creates a decoder without sounds.
    public init() {}

    /// Makes a sound available.
    ///
    /// - Parameters:
    ///   - content: The sound.
    ///   - url: The URL of the sound; need not exist.
    ///   - bitDepth: The bit depth that ``info(_:)`` reports.
    ///   - fault: The faults of its streams.
    public func register(_ content: SampleBuffer, for url: URL, bitDepth: Int = 24, fault: Fault = Fault()) {
        state.withLock {
            $0.sounds[url.standardizedFileURL] = Sound(content: content, bitDepth: bitDepth, fault: fault)
        }
    }

    /// The number of open handles.
    public var openHandleCount: Int { state.withLock { $0.streams.count } }

    /// Opens a registered sound.
    ///
    /// - Parameter url: The registered URL, or that of a symbolic link to it.
    /// - Throws: `CoreError.notFound` when there is neither a sound nor a file, `CoreError.unsupported` for another
    ///   file, `CoreError.ioError` for a directory.
    public func open(url: URL) throws -> DecodeHandle {
        try state.withLock { state in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path)
            let named = target.map { URL(fileURLWithPath: $0, relativeTo: url.deletingLastPathComponent()) } ?? url
            guard let sound = state.sounds[url.standardizedFileURL] ?? state.sounds[named.standardizedFileURL] else {
                throw Self.missing(url)
            }
            if let error = sound.fault.openError { throw error }
            let handle = DecodeHandle()
            state.streams[handle] = Stream(name: url.path, sound: sound)
            return handle
        }
    }

    private static func missing(_ url: URL) -> CoreError {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            return .notFound(url.path)
        }
        return isDirectory.boolValue
            ? .ioError("\(url.path) is a directory")
            : .unsupported("\(url.path): no sound was registered for this file")
    }

    /// Copies the next frames.
    ///
    /// - Parameters:
    ///   - handle: An open handle.
    ///   - buffer: Room for `maxFrames` × channels samples.
    ///   - maxFrames: The maximum number of frames to write.
    /// - Returns: The number of frames written; 0 at the end.
    /// - Throws: `CoreError.invalidState` for a closed handle, and the stream's fault.
    public func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try withStream(handle) { stream in
            let content = stream.sound.content
            var end = content.frameCount
            if let failure = stream.sound.fault.failure {
                if stream.position >= failure.frame { throw failure.error }
                end = min(end, failure.frame)
            }
            let frames = max(0, min(maxFrames, end - stream.position))
            let channels = content.format.channels
            content.samples.withUnsafeBufferPointer { samples in
                for index in 0..<frames * channels { buffer[index] = samples[stream.position * channels + index] }
            }
            stream.position += frames
            return frames
        }
    }

    /// Moves to a position.
    ///
    /// - Parameters:
    ///   - handle: An open handle.
    ///   - seconds: 0…duration, in seconds.
    /// - Throws: `CoreError.invalidArgument` outside that range, `CoreError.invalidState` for a closed handle,
    ///   `CoreError.unsupported` for a stream with ``Fault/refusesSeek``.
    public func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        try withStream(handle) { stream in
            if stream.sound.fault.refusesSeek { throw CoreError.unsupported("\(stream.name) cannot be repositioned") }
            guard seconds >= 0, seconds <= stream.sound.content.duration else {
                throw CoreError.invalidArgument("\(stream.name): \(seconds) s is not within the stream")
            }
            stream.position = Int(stream.sound.content.format.frames(in: seconds))
        }
    }

    /// The shape and length of a stream.
    ///
    /// - Parameter handle: An open handle.
    /// - Throws: `CoreError.invalidState` for a closed handle.
    public func info(_ handle: DecodeHandle) throws -> StreamInfo {
        try withStream(handle) { stream in
            StreamInfo(
                duration: stream.sound.content.duration, sampleRate: Double(stream.sound.content.format.sampleRate),
                channels: stream.sound.content.format.channels, bitDepth: stream.sound.bitDepth)
        }
    }

    /// Closes a handle; harmless on a closed one.
    ///
    /// - Parameter handle: The handle to close.
    public func close(_ handle: DecodeHandle) { state.withLock { $0.streams[handle] = nil } }

    /// Scores a file by its first bytes.
    ///
    /// - Parameter input: The file's first bytes, extension and MIME type.
    public func score(_ input: ProbeInput) -> ProbeScore {
        input.header.starts(with: Self.fileHeader) ? .content : .none
    }

    private func withStream<Result>(_ handle: DecodeHandle, _ body: (inout Stream) throws -> Result) throws -> Result {
        try state.withLock { state in
            guard var stream = state.streams[handle] else {
                throw CoreError.invalidState("the handle \(handle.id) is not open")
            }
            defer { if state.streams[handle] != nil { state.streams[handle] = stream } }
            return try body(&stream)
        }
    }
}
