internal import Descant
internal import Foundation

/// Reads one DSD file and filters it down to PCM, on one thread at a time.
///
/// A frame depends only on the bits around it, so a seek only changes the position.
final class DSDReader {
    /// The stream's shape and length.
    let info: StreamInfo

    private let file: DSDFile
    private let layout: DSDLayout
    private let filter: DecimationFilter
    /// The distance of two frames in bytes of a channel.
    private let step: Int
    private let frameCount: Int
    /// The number of frames for which the file has every bit.
    private let readableFrames: Int

    private var position = 0
    /// The last bytes read, one array for each channel.
    private var planes: [[UInt8]]
    private var planeRange = 0..<0

    /// Opens a file and reads its header.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - outputMultiple: The rate of the PCM as a multiple of 44.1 or 48 kHz; `nil`: a 32nd of the file's.
    /// - Throws: `CoreError` naming the file.
    init(url: URL, outputMultiple: Int?) throws {
        file = try DSDFile(url)
        layout = try Self.layout(of: file)
        let multiple = try layout.rateMultiple(of: file.path)
        let ratio = multiple / (outputMultiple ?? multiple / 32)
        // In DSD64 the band above 44.1 kHz contains only noise of the modulator, in DSD128 that above 88.2 kHz. It is
        // removed even if the sample rate of the PCM could represent it.
        filter = DecimationFilter.shared(period: max(ratio, 32), bitOrder: layout.bitOrder)
        step = ratio / 8
        frameCount = (layout.sampleCount + ratio - 1) / ratio
        let announced = (layout.sampleCount + 7) / 8
        let isWhole = layout.bytesPresent >= announced
        let lastWhole = layout.bytesPresent - filter.byteCount / 2
        readableFrames = isWhole ? frameCount : min(frameCount, max(0, lastWhole >= 0 ? lastWhole / step + 1 : 0))
        guard readableFrames > 0 else {
            throw CoreError.decodeError(
                "\(file.path) holds no sound: \(layout.dataLength) bytes of \(layout.sampleCount) bits a channel")
        }
        let rate = Double(layout.sampleRate / ratio)
        planes = layout.channelOrder.map { _ in [] }
        info = StreamInfo(
            duration: Double(frameCount) / rate, sampleRate: rate, channels: layout.channels, bitDepth: 1)
    }

    /// Decodes the next frames.
    ///
    /// - Returns: The number of frames; 0 at the end.
    /// - Throws: `CoreError.decodeError` with the position where the file is truncated; every frame before it is
    ///   delivered first.
    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        guard position < frameCount else { return 0 }
        guard position < readableFrames else { throw truncated() }
        let wanted = min(maxFrames, readableFrames - position)
        var written = 0
        while written < wanted {
            let frames = position..<position + min(wanted - written, Self.framesAtOnce)
            try load(frames)
            for channel in 0..<layout.channels {
                filter.apply(
                    planes[channel], from: planeRange.lowerBound, frames: frames, step: step,
                    to: buffer + written * layout.channels + channel, stride: layout.channels)
            }
            position = frames.upperBound
            written += frames.count
        }
        return written
    }

    /// Moves to a frame.
    ///
    /// - Throws: `CoreError.decodeError` when the file is truncated before it.
    func seek(toFrame frame: Int) throws {
        position = min(max(frame, 0), frameCount)
        if position < frameCount, position >= readableFrames { throw truncated() }
    }

    private static let framesAtOnce = 4096
    private static let bytesAtOnce = 1 << 16

    private static func layout(of file: DSDFile) throws -> DSDLayout {
        let header = try file.bytes(at: 0, count: 16)
        let layout: DSDLayout
        if DSFParser.recognises(header) {
            layout = try DSFParser.layout(of: file)
        } else if DFFParser.recognises(header) {
            layout = try DFFParser.layout(of: file)
        } else {
            throw CoreError.unsupported("\(file.path) is neither a DSF nor a DFF file")
        }
        try layout.validate(of: file.path)
        return layout
    }

    private func truncated() -> CoreError {
        .decodeError(
            "\(file.path): the file is truncated: nothing can be decoded from \(place(readableFrames)) on, its length is "
                + "announced as \(place(frameCount))")
    }

    /// "1.500 s (frame 132300)".
    private func place(_ frame: Int) -> String {
        "\(String(format: "%.3f", Double(frame) / info.sampleRate)) s (frame \(frame))"
    }
}

/// The bytes of the channels.
extension DSDReader {
    /// Fills `planes` with all bytes that the frames depend on.
    private func load(_ frames: Range<Int>) throws {
        let half = filter.byteCount / 2
        let end = min(layout.bytesPresent, (layout.sampleCount + 7) / 8)
        let first = max(0, frames.lowerBound * step - half)
        let last = min(end, (frames.upperBound - 1) * step + half)
        guard first < planeRange.lowerBound || last > planeRange.upperBound || planeRange.isEmpty else { return }
        planeRange = first..<max(last, min(end, first + Self.bytesAtOnce))
        try fillPlanes()
    }

    private func fillPlanes() throws {
        let (size, channels) = (layout.blockSize, layout.channels)
        let firstGroup = planeRange.lowerBound / size
        let groupCount = (planeRange.upperBound + size - 1) / size - firstGroup
        let wanted = min(groupCount * size * channels, layout.dataLength - firstGroup * size * channels)
        let bytes = try file.bytes(at: layout.dataOffset + firstGroup * size * channels, count: wanted)
        guard bytes.count == wanted else {
            planeRange = 0..<0
            throw CoreError.decodeError("\(file.path) became shorter after \(place(position)) while it was read")
        }
        for (channel, place) in layout.channelOrder.enumerated() {
            planes[channel] = Self.gather(
                bytes, planeRange.lowerBound - firstGroup * size, count: planeRange.count, place: place, size: size,
                channels: channels)
        }
    }

    /// Collects the bytes of one channel.
    ///
    /// - Parameters:
    ///   - bytes: Groups of one block a channel.
    ///   - skipped: The number of bytes of the channel to leave out.
    ///   - place: The channel's index in a group.
    private static func gather(
        _ bytes: [UInt8], _ skipped: Int, count: Int, place: Int, size: Int, channels: Int
    ) -> [UInt8] {
        bytes.withUnsafeBufferPointer { bytes in
            [UInt8](unsafeUninitializedCapacity: count) { plane, filled in
                while filled < count {
                    let group = (skipped + filled) / size
                    let within = (skipped + filled) % size
                    let start = (group * channels + place) * size + within
                    let length = min(size - within, count - filled, bytes.count - start)
                    guard length > 0 else { break }
                    for offset in 0..<length { plane[filled + offset] = bytes[start + offset] }
                    filled += length
                }
            }
        }
    }
}
