internal import DescantCore

/// Frames that the host makes.
final class PCMSourceReader: FrameReader {
    let format: PCMFormat
    private let source: any PCMSource

    init(_ source: any PCMSource) {
        self.source = source
        format = source.format
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try source.read(into: buffer, maxFrames: maxFrames)
    }

    func takeCues() -> [PCMCue] { source.takeCues() }

    func seek(toFrame frame: Int64) throws { try source.seek(toFrame: frame) }

    func close() {}
}
