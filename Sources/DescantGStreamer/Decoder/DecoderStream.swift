internal import DescantCore
internal import DescantMixing
internal import Foundation
internal import Synchronization

/// One open file of a ``GStreamerDecoder``.
final class DecoderStream: Sendable {
    let info: StreamInfo
    private let name: String
    private let deck: any Deck
    private let frameCount: Int64?
    private let clock = MonotonicClock()

    /// Opens a file and waits for its first frame.
    init(url: URL, logger: any LoggerPort) throws {
        let opened = try DeckOpening(.url(url), channels: nil) { _ in }.runBlocking()
        name = opened.name
        deck = opened.deck
        frameCount = deck.frameCount
        let rate = Double(opened.sourceFormat.sampleRate)
        info = StreamInfo(
            duration: frameCount.map { Double($0) / rate } ?? .infinity, sampleRate: rate,
            channels: opened.sourceFormat.channels, bitDepth: opened.track.format.bitDepth ?? 32)
        try info.validate()
    }

    func close() { deck.close() }

    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) throws -> Int {
        let deadline = clock.now() + UInt64(GStreamerDecoder.timeLimit * 1e9)
        var written = 0
        while true {
            let read = deck.read(into: buffer + written * info.channels, frames: frames - written)
            written += read.frames
            switch read.condition {
            case .complete, .ended: return written
            case .starved:
                if deck.waitUntilReadable(deadline: deadline) { continue }
                if written > 0 { return written }
                throw CoreError.ioError(
                    "\(name) gave nothing at \(position(of: read)) s within \(Int(GStreamerDecoder.timeLimit)) s, the limit")
            case .truncated(let error), .failed(let error):
                // What was decoded before is to be heard; the next call throws.
                if written > 0 { return written }
                throw error
            }
        }
    }

    func seek(toSeconds seconds: Double) throws {
        guard seconds >= 0, seconds <= info.duration, seconds.isFinite else {
            throw CoreError.invalidArgument("\(name): \(seconds) s is not within 0…\(info.duration) s")
        }
        deck.seek(toFrame: Int64((seconds * info.sampleRate).rounded()))
    }

    private func position(of read: DeckRead) -> String {
        ErrorMapping.seconds(Double(read.position) / info.sampleRate)
    }
}
