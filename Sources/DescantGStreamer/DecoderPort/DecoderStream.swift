internal import DescantContainers
internal import DescantCore
internal import DescantMixing
internal import Foundation
internal import Synchronization

/// One open file of a ``GStreamerDecoder``.
final class DecoderStream: Sendable {
    let info: StreamInfo
    private let url: URL
    private let network: @Sendable () -> NetworkAccess
    private let name: String
    private let access: StreamAccess
    private let deck: Mutex<any Deck>
    private let clock = MonotonicClock()

    /// The frames that are skipped at a time.
    private static let skippedAtOnce = 16_384

    /// Opens a file and waits for its first frame.
    init(url: URL, network: @escaping @Sendable () -> NetworkAccess, logger: any LoggerPort, marksEstimates: Bool)
        throws
    {
        let opened = try Self.open(url, network)
        let format = opened.info.sourceFormat
        // Only lossless codecs have a bit depth.
        let isLossy = opened.info.track.format.bitDepth == nil
        access = StreamAccess(
            url: url, hasExactLength: opened.deck.isFrameCountExact, sampleRate: format.sampleRate, isLossy: isLossy)
        self.url = url
        self.network = network
        name = opened.info.name
        deck = Mutex(opened.deck)
        let frames = access.countedFrames ?? opened.deck.frameCount
        if access.countedFrames != nil { logger.debug("\(name): its blocks were counted to find its length") }
        let isCounted = access.countedFrames != nil || opened.deck.isFrameCountExact
        let mark = marksEstimates && !isCounted ? 0.25 : 0
        info = StreamInfo(
            duration: frames.map { (Double($0) + mark) / Double(format.sampleRate) } ?? .infinity,
            sampleRate: Double(format.sampleRate), channels: format.channels,
            bitDepth: opened.info.track.format.bitDepth ?? 32)
        try info.validate()
    }

    private static func open(_ url: URL, _ network: @escaping @Sendable () -> NetworkAccess) throws -> OpenedDeck {
        try PipelineOpening(.url(url), access: network, channels: nil) { _ in }.runBlocking()
    }

    func close() { deck.withLock { $0 }.close() }

    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) throws -> Int {
        let deck = deck.withLock { $0 }
        let deadline = clock.now() + UInt64(GStreamerDecoder.timeLimit * 1e9)
        var written = 0
        while true {
            let start = buffer + written * info.channels
            let read = deck.read(into: start, frames: frames - written)
            written += read.frames
            switch read.condition {
            case .complete, .ended: return written
            case .starved:
                if deck.waitUntilReadable(deadline: deadline) { continue }
                if written > 0 { return written }
                throw CoreError.ioError(
                    "\(name) gave nothing at \(seconds(at: read.position)) s within \(Int(GStreamerDecoder.timeLimit)) s, the limit"
                )
            case .truncated(let error), .failed(let error):
                // The frames before the error are returned; the next call throws.
                if written > 0 { return written }
                throw error
            }
        }
    }

    func seek(toSeconds seconds: Double) throws {
        guard seconds >= 0, seconds <= info.duration, seconds.isFinite else {
            throw CoreError.invalidArgument("\(name): \(seconds) s is not within 0…\(info.duration) s")
        }
        let frame = FrameCount(seconds: seconds, sampleRate: info.sampleRate).value
        let present = deck.withLock { $0 }
        // A seek to the end needs no decoding.
        if seconds == info.duration, let end = present.frameCount { return present.seek(toFrame: end) }
        guard access.seeking == .fromStart || seconds < access.startZone, url.isFileURL else {
            return present.seek(toFrame: frame)
        }
        let fresh = try Self.open(url, network).deck
        deck.withLock { deck in
            deck.close()
            deck = fresh
        }
        try skip(frame)
    }

    /// Passes frames over.
    private func skip(_ frames: Int64) throws {
        var left = frames
        var unheard = [Float](repeating: 0, count: Self.skippedAtOnce * info.channels)
        while left > 0 {
            let count = try unheard.withUnsafeMutableBufferPointer { buffer in
                try buffer.baseAddress.map { try read(into: $0, frames: Int(min(left, Int64(Self.skippedAtOnce)))) }
                    ?? 0
            }
            // A container may announce more frames than it has.
            if count == 0 { return }
            left -= Int64(count)
        }
    }

    private func seconds(at frame: Int64) -> String { ErrorMapping.seconds(Double(frame) / info.sampleRate) }
}

/// The way to exact positions and the length of a file.
struct StreamAccess {
    /// The way in which a seek is made.
    enum Seeking {
        /// A seek of the pipeline, exact to the frame.
        case direct
        /// Decoding from the start: the container's time stamps are too coarse, or its demuxer is not exact.
        case fromStart
    }

    var seeking: Seeking
    /// The length in frames at the decoder's rate, when the blocks were counted.
    var countedFrames: Int64?
    /// Positions before this one, in seconds, are reached from the start: after a seek, decoders of lossy formats keep
    /// state of what they decoded before.
    var startZone: Double

    /// Looks at a file.
    ///
    /// - Parameters:
    ///   - hasExactLength: Whether the headers give length and positions exactly.
    ///   - sampleRate: The decoder's rate.
    ///   - isLossy: Whether the codec is lossy.
    init(url: URL, hasExactLength: Bool, sampleRate: Int, isLossy: Bool) {
        startZone = isLossy ? 0.2 : 0
        seeking = .direct
        guard !hasExactLength, url.isFileURL, let file = FileBytes(path: url.path) else { return }
        let magic = file.bytes(at: ID3v2Header.end(in: file), count: 40)
        if Self.isExact(magic) { return }
        if let count = CodedFrameCount(file), sampleRate % count.sampleRate == 0 {
            // Blocks in front of the sound are counted, too.
            let lead = ExactLength.read(file)?.scaled(to: sampleRate)?.lead ?? 0
            countedFrames = max(0, count.frames * Int64(sampleRate / count.sampleRate) - lead)
            // AC-3 blocks overlap by more than the parser accounts for.
            seeking = magic.starts(with: [0x0B, 0x77]) ? .fromStart : .direct
            return
        }
        seeking = .fromStart
    }

    /// Whether the demuxer of the format is exact although no header was read here.
    private static func isExact(_ magic: [UInt8]) -> Bool {
        let names = ["FORM", "wvpk", "TTA1"]
        if names.contains(where: { magic.starts(with: Array($0.utf8)) }) { return true }
        // FLAC in Ogg, and MP4.
        let text = String(decoding: magic, as: UTF8.self)
        return magic.starts(with: Array("OggS".utf8))
            ? text.contains("FLAC") : magic.dropFirst(4).starts(with: Array("ftyp".utf8))
    }
}
