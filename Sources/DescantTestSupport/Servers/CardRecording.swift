internal import Foundation

/// What a ``SimulatedCard`` plays, from its creation on. Unlike a monitor it is never late, and nothing is missing in it.
public final class CardRecording: HeardRecording {
    private let file: URL
    private let start: Int

    /// Begins to record; there need be no server yet.
    public init(of card: SimulatedCard) {
        file = card.recordingFile
        start = Self.frames(in: card.recordingFile)
    }

    /// The number of frames recorded so far. A card that its server has closed plays none.
    public var frameCount: Int { Self.frames(in: file) - start }

    /// Waits until a number of frames is played.
    ///
    /// - Throws: `TestSupportError.failed` when the time has passed.
    public func wait(frames: Int, limit seconds: Double) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while frameCount < frames, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(1)) }
        guard frameCount < frames else { return }
        throw TestSupportError.failed(
            "the card has played \(frameCount) frames, \(frames) were awaited for \(seconds) s")
    }

    /// Ends the recording.
    ///
    /// - Returns: Interleaved stereo samples at 48 kHz.
    public func stop() async -> [Float] {
        let bytes = (try? Data(contentsOf: file))?.dropFirst(start * Self.frameBytes) ?? Data()
        let count = bytes.count / Self.frameBytes * 2
        return [Float](unsafeUninitializedCapacity: count) { memory, written in
            bytes.copyBytes(to: UnsafeMutableRawBufferPointer(memory), count: count * 4)
            written = count
        }
    }

    private static let frameBytes = 8

    private static func frames(in file: URL) -> Int {
        let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        return (size ?? 0) / frameBytes
    }
}
