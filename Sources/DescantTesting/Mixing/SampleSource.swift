public import DescantCore
internal import Synchronization

/// Samples in memory as a source of PCM.
///
/// Callable from one thread at a time, like every `PCMSource`.
public final class SampleSource: PCMSource {
    /// The name of this source in errors.
    public let name: String
    private let content: SampleBuffer
    private let isSeekable: Bool
    private let next = Mutex(0)

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - content: The sound.
    ///   - name: The name in errors.
    ///   - isSeekable: Whether it can be repositioned.
    public init(_ content: SampleBuffer, name: String = "samples", isSeekable: Bool = true) {
        self.content = content
        self.name = name
        self.isSeekable = isSeekable
    }

    /// The format of the sound.
    public var format: PCMFormat { content.format }

    /// The length in frames.
    public var frameCount: Int64? { Int64(content.frameCount) }

    /// Copies the next frames.
    ///
    /// - Parameters:
    ///   - buffer: Room for `maxFrames` × channels samples.
    ///   - maxFrames: The maximum number of frames to write.
    /// - Returns: The number of frames written; 0 at the end.
    public func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) -> Int {
        next.withLock { next in
            let frames = min(maxFrames, content.frameCount - next)
            let channels = content.format.channels
            content.samples.withUnsafeBufferPointer { samples in
                for index in 0..<frames * channels { buffer[index] = samples[next * channels + index] }
            }
            next += frames
            return frames
        }
    }

    /// Moves to a frame.
    ///
    /// - Parameter frame: Frames from the beginning; clamped to the samples.
    /// - Throws: `CoreError.unsupported` when the source was made without seeking.
    public func seek(toFrame frame: Int64) throws {
        guard isSeekable else { throw CoreError.unsupported("\(name) cannot be repositioned") }
        next.withLock { $0 = Int(min(max(0, frame), Int64(content.frameCount))) }
    }
}
