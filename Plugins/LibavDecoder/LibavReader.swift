internal import Descant
internal import Foundation

/// Reads the sound of one file, on one thread at a time: the packets of its container through a decoder of libavcodec, without the
/// frames before and behind the sound.
///
/// Packets that cannot be decoded are silent, so that what follows them keeps its time, and the end of the stream is an error that
/// names their places.
final class LibavReader {
    let path: String
    /// The stream's shape and length.
    let info: StreamInfo

    private let source: any PacketSource
    private let codec: AudioCodec
    private let stream: EncodedStream

    /// The next frame of the sound to deliver.
    private var position: Int64 = 0
    /// The container's position of the next frame that the decoder returns.
    private var clock: Int64 = 0
    /// Decoded frames that are not delivered yet, with the position of the first one.
    private var pending: (frames: DecodedFrames, start: Int64)?
    /// Whether the decoder was told that nothing follows.
    private var isDrained = false
    private var failure: CoreError?
    private var defects = Defects()

    /// The number of packets that are tried until one can be decoded.
    private static let packetsTried = 32

    /// Opens a file, reads its headers and decodes its first packet.
    ///
    /// - Throws: `CoreError` naming the file; `CoreError.unsupported` for a file that this decoder does not read exactly, so that
    ///   another one is tried.
    init(url: URL) throws {
        path = url.path
        let source = try EncodedFormat.open(url)
        guard let codec = AudioCodec(source.stream) else {
            throw CoreError.unsupported(
                "\(url.path): this build of libavcodec has no usable decoder '\(source.stream.codec.rawValue)' for the file"
            )
        }
        (self.source, self.codec) = (source, codec)
        let first = try Self.firstFrames(source, codec)
        guard let first, (1...8).contains(first.channels) else {
            throw CoreError.unsupported("\(url.path): libavcodec can decode none of the first packets")
        }
        if let expected = source.stream.framesPerPacket, source.stream.frames > expected,
            Int64(first.count) * Int64(source.stream.sampleRate) != expected * Int64(first.sampleRate)
        {
            throw CoreError.unsupported(
                "\(url.path): libavcodec decodes \(first.count) frames where the tables announce \(expected)")
        }
        guard let stream = source.stream.decoded(at: first.sampleRate) else {
            throw CoreError.unsupported(
                "\(url.path): libavcodec decodes \(first.sampleRate) Hz where the header announces \(source.stream.sampleRate) Hz"
            )
        }
        self.stream = stream
        info = StreamInfo(
            duration: Double(stream.frames) / Double(stream.sampleRate), sampleRate: Double(stream.sampleRate),
            channels: first.channels, bitDepth: codec.bitDepth)
        try seek(toFrame: 0)
    }

    private static func firstFrames(_ source: any PacketSource, _ codec: AudioCodec) throws -> DecodedFrames? {
        for _ in 0..<packetsTried {
            guard try source.next({ _ = codec.send($1) }) else {
                codec.finish()
                return codec.receive()
            }
            if let frames = codec.receive() { return frames }
        }
        return nil
    }

    /// Decodes the next frames.
    ///
    /// - Returns: The number of frames; 0 at the end.
    /// - Throws: `CoreError` at the end of a stream that is damaged or truncated; every frame that can be decoded is delivered first.
    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        var written = 0
        while written < maxFrames, position < stream.frames, failure == nil {
            let room = Int(min(Int64(maxFrames - written), stream.frames - position))
            let copied = deliver(into: buffer + written * info.channels, room)
            written += copied
            position += Int64(copied)
            if copied == 0 { decode() }
        }
        if written == 0, let failure { throw failure }
        if written == 0, position == stream.frames, stream.isTruncated {
            throw CoreError.decodeError(
                "\(path): the file is truncated: nothing can be decoded from \(place(position)) on"
                    + (defects.isEmpty ? "" : "; " + defects.text(at: place)))
        }
        if written == 0, !defects.isEmpty {
            throw CoreError.decodeError("\(path): the file is damaged: " + defects.text(at: place))
        }
        return written
    }

    /// Moves to a frame.
    func seek(toFrame frame: Int64) throws {
        position = min(max(frame, 0), stream.frames)
        (pending, failure, defects, isDrained) = (nil, nil, Defects(), false)
        guard position < stream.frames else { return }
        codec.flush()
        try source.seek(to: (stream.lead + position) / factor)
        clock = 0
    }

    /// The number of decoded frames in a unit of the container's times: 2 where spectral band replication is not announced.
    private var factor: Int64 { Int64(stream.sampleRate / source.stream.sampleRate) }

    // MARK: Decoding

    /// Delivers frames that are decoded, and silence in the place of those before them that are missing.
    private func deliver(into buffer: UnsafeMutablePointer<Float>, _ room: Int) -> Int {
        guard let (frames, start) = pending else { return 0 }
        let wanted = stream.lead + position
        if start > wanted {
            let missing = Int(min(Int64(room), start - wanted))
            buffer.update(repeating: 0, count: missing * info.channels)
            return missing
        }
        let (first, end) = (wanted - start, Int64(frames.count))
        guard first < end else {
            pending = nil
            return 0
        }
        let count = min(room, Int(end - first))
        if Int(first) + count == frames.count { pending = nil }
        guard frames.copy(Int(first)..<Int(first) + count, to: buffer, channels: info.channels) else {
            failure = .decodeError(
                "\(path): the stream changes to \(frames.channels) channels at \(place(position)); what follows is not played"
            )
            return 0
        }
        return count
    }

    /// Decodes until there are frames, a defect or the end.
    private func decode() {
        if let frames = codec.receive() { return take(frames) }
        guard !isDrained else {
            failure = .decodeError(
                "\(path): the file is truncated: nothing can be decoded from \(place(position)) on, its length is "
                    + "announced as \(place(stream.frames))" + (defects.isEmpty ? "" : "; " + defects.text(at: place)))
            return
        }
        do {
            let isRead = try source.next { packet, bytes in
                if packet.isInterrupted { codec.flush() }
                if let start = packet.position { clock = start * factor }
                if !codec.send(bytes) { lose(packet.duration * factor) }
            }
            guard !isRead else { return }
            isDrained = true
            codec.finish()
        } catch let error as CoreError {
            failure = error.withPlace(place(position))
        } catch {
            failure = .ioError("\(path) at \(place(position)): \(error)")
        }
    }

    private func take(_ frames: DecodedFrames) {
        guard frames.sampleRate == stream.sampleRate else {
            failure = .decodeError(
                "\(path): the stream changes to \(frames.sampleRate) Hz at \(place(position)); what follows is not played"
            )
            return
        }
        pending = (frames, clock)
        clock += Int64(frames.count)
    }

    /// Notes a packet that cannot be decoded. Its frames become silent when those behind it are delivered.
    private func lose(_ frames: Int64) {
        let first = max(0, clock - stream.lead)
        clock += frames
        let end = min(clock - stream.lead, stream.frames)
        if end > max(first, position) { defects.add(end - first, at: first) }
    }

    /// "1.500 s (frame 66150)".
    private func place(_ frame: Int64) -> String {
        let seconds = String(format: "%.3f", Double(frame) / info.sampleRate)
        return "\(seconds) s (frame \(frame))"
    }
}

extension CoreError {
    /// The same error with a position in front.
    fileprivate func withPlace(_ place: String) -> CoreError {
        guard case .ioError(let text) = self else { return self }
        return .ioError("\(text), at \(place)")
    }
}

/// The ranges of frames that could not be decoded, for the error at the end of the stream.
private struct Defects {
    private var places: [(start: Int64, frames: Int64)] = []
    private var unnamed = 0
    private var total: Int64 = 0

    private static let limit = 5

    var isEmpty: Bool { total == 0 }

    /// Adds frames; consecutive ones become one range.
    mutating func add(_ frames: Int64, at start: Int64) {
        total += frames
        if let last = places.last, last.start + last.frames == start {
            places[places.count - 1].frames += frames
        } else if places.count < Self.limit {
            places.append((start, frames))
        } else {
            unnamed += 1
        }
    }

    /// "1152 frames are missing and silent: 1152 at 1.500 s (frame 66150)".
    func text(at name: (Int64) -> String) -> String {
        "\(total) frames are missing and silent: "
            + places.map { "\($0.frames) at \(name($0.start))" }.joined(separator: "; ")
            + (unnamed > 0 ? "; and \(unnamed) more places" : "")
    }
}
