public import DescantCore
internal import DescantMixing
public import Foundation

/// Decodes all formats of the installed GStreamer: WAV, AIFF, FLAC, ALAC, WavPack, MP3, AAC, Vorbis, Opus and more.
///
/// Frames have the file's own sample rate and channels, in the order of WAVE files. Codec delay and padding are removed
/// where the file states them. Seeks are exact to the frame; <doc:PlayOneFile> explains the cost for each format.
///
/// Every open handle is a pipeline with threads of its own, which decode a little ahead and block while nothing is
/// read. Calls for one handle must not overlap; different handles are independent. A read that gets
/// nothing for ``timeLimit`` fails, from a server too, whatever `NetworkAccess.reconnectLimit` is; a seek that decodes
/// from the start takes as long as that does.
public final class GStreamerDecoder: DecoderPort, Sendable {
    /// The time limit of a read, and of opening a local file, in seconds; opening a network address takes 7 s at most.
    public static let timeLimit = GStreamerDecks.localTimeLimit

    private let streams = OpenStreams<DecoderStream>()
    private let network: @Sendable () -> NetworkAccess
    private let logger: any LoggerPort
    private let marksEstimates: Bool

    /// Creates a decoder; GStreamer is started by the first open.
    ///
    /// - Parameters:
    ///   - network: The credentials and headers for servers.
    ///   - logger: Logs files whose length is found by reading all of them.
    public convenience init(network: NetworkAccess = NetworkAccess(), logger: any LoggerPort = NoopLogger()) {
        self.init(network: { network }, logger: logger)
    }

    /// Creates a decoder for an environment, or for a host that compares lengths with what is read.
    ///
    /// - Parameters:
    ///   - network: Is asked for the credentials and headers for servers whenever a source is opened.
    ///   - marksEstimates: Whether an estimated duration is a quarter of a frame longer than a whole number of frames, which
    ///     shows that it was not counted.
    package init(
        network: @escaping @Sendable () -> NetworkAccess, logger: any LoggerPort, marksEstimates: Bool = false
    ) {
        self.network = network
        self.logger = logger
        self.marksEstimates = marksEstimates
    }

    /// Opens a file and waits for its first frame.
    ///
    /// - Parameter url: A file URL, or any URL that GStreamer has a source for.
    /// - Throws: `CoreError.notFound`; `CoreError.ioError` without permission, for a directory or after the time limit;
    ///   `CoreError.unsupported` for a file without sound or a missing decoder, naming its package;
    ///   `CoreError.decodeError` for a damaged file.
    public func open(url: URL) throws -> DecodeHandle {
        let stream = try DecoderStream(
            url: url, network: network, logger: logger, marksEstimates: marksEstimates)
        return streams.add(stream)
    }

    /// Decodes the next frames.
    ///
    /// - Parameters:
    ///   - handle: An open handle.
    ///   - buffer: Room for `maxFrames` × channels samples.
    ///   - maxFrames: The maximum number of frames to write; greater than 0.
    /// - Returns: The number of frames written; 0 at the end of the stream and from then on.
    /// - Throws: `CoreError.invalidState` for a closed handle, `CoreError.decodeError` with the position for damaged or
    ///   truncated data, `CoreError.ioError` when nothing comes within the time limit.
    public func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        guard maxFrames > 0 else { throw CoreError.invalidArgument("maxFrames is \(maxFrames); 1 or more is possible") }
        return try streams[handle].read(into: buffer, frames: maxFrames)
    }

    /// Moves to a position, exact to the frame.
    ///
    /// - Parameters:
    ///   - handle: An open handle.
    ///   - seconds: 0…duration, in seconds; the duration itself leads to the end.
    /// - Throws: `CoreError.invalidArgument` outside that range, `CoreError.invalidState` for a closed handle.
    public func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        try streams[handle].seek(toSeconds: seconds)
    }

    /// The shape and length of an open stream.
    ///
    /// - Parameter handle: An open handle.
    /// - Throws: `CoreError.invalidState` for a closed handle.
    public func info(_ handle: DecodeHandle) throws -> StreamInfo { try streams[handle].info }

    /// Closes a handle; harmless on a closed one.
    ///
    /// - Parameter handle: The handle to close.
    public func close(_ handle: DecodeHandle) {
        streams.remove(handle)?.close()
    }
}
