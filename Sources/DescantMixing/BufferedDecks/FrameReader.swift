internal import DescantCore

/// Where a buffered deck gets its frames. Used on one queue only; calls may block.
protocol FrameReader: AnyObject {
    /// The shape of what it delivers.
    var format: PCMFormat { get }

    /// Reads the next frames; 0 at the end.
    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int

    /// The cues within the frames that were read, each once.
    func takeCues() -> [PCMCue]

    /// What is missing of the announced length, once a read has given 0; `nil` when nothing is.
    var shortage: CoreError? { get }

    /// Moves to a frame.
    func seek(toFrame frame: Int64) throws

    /// Releases everything.
    func close()
}

extension FrameReader {
    func takeCues() -> [PCMCue] { [] }
    var shortage: CoreError? { nil }
}
