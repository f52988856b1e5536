internal import DescantCore

/// Fills a deck's buffer ahead of time. Lives on one queue; what it calls may block.
final class DeckFiller: @unchecked Sendable {
    // Safe to share: the reader and the buffers below are touched only by ``work()``, which runs on one serial queue; the
    // rest is immutable and sendable.
    private let reader: any FrameReader
    private let buffer: DeckBuffer
    private let name: String
    private let mix: PCMFormat
    private let mapping: (any SampleConverter)?
    private let tempo: any TempoChangerFactory
    private let watch: CallWatch
    private let limits: CallLimits

    private var changer: (any TempoChanger)?
    private var input: [Float]
    private var mapped: [Float] = []
    private var staged: [Float] = []
    private var stagedStart = 0
    /// The source frame that the reader gives next.
    private var readerFrame: Int64 = 0
    private var hasEnded = false
    private var isClosed = false

    private static let chunk = 4_096

    init(
        _ reader: any FrameReader, buffer: DeckBuffer, name: String, channels: Int,
        converters: any SampleConverterFactory,
        tempo: any TempoChangerFactory, watch: CallWatch, limits: CallLimits
    ) throws {
        self.reader = reader
        self.buffer = buffer
        self.name = name
        self.tempo = tempo
        self.watch = watch
        self.limits = limits
        mix = PCMFormat(sampleRate: reader.format.sampleRate, channels: channels)
        mapping = reader.format.channels == channels ? nil : try converters.makeConverter(from: reader.format, to: mix)
        input = [Float](repeating: 0, count: Self.chunk * reader.format.channels)
    }

    /// Works until there is nothing to do. On the queue.
    func work() {
        while !isClosed {
            switch buffer.nextJob() {
            case .seek(let target): seek(target)
            case .fill(let generation, _): fill(generation)
            case .close:
                isClosed = true
                watch.during("close", limit: limits.close) { reader.close() }
            case .rest: return
            }
        }
    }

    private func seek(_ target: DeckBuffer.Target) {
        staged.removeAll(keepingCapacity: true)
        stagedStart = 0
        hasEnded = false
        mapping?.reset()
        do {
            changer = target.rate == 1 ? nil : try tempo.makeTempoChanger(format: mix, rate: target.rate)
            try watch.during("seek", limit: limits.seek) { try reader.seek(toFrame: target.frame) }
            readerFrame = target.frame
            buffer.landed(target)
        } catch {
            fail(error, at: target.frame, generation: target.generation)
        }
    }

    private func fill(_ generation: UInt64) {
        if stagedStart == staged.count {
            staged.removeAll(keepingCapacity: true)
            stagedStart = 0
            guard !hasEnded else { return end(generation) }
            do { try readChunk() } catch { return fail(error, at: readerFrame, generation: generation) }
            buffer.add(reader.takeCues(), generation: generation)
        }
        stagedStart +=
            mix.channels
            * buffer.write(
                staged[stagedStart...], channels: mix.channels, generation: generation)
    }

    private func readChunk() throws {
        let frames = try watch.during("read", limit: limits.read) {
            try input.withUnsafeMutableBufferPointer { memory in
                try memory.baseAddress.map { try reader.read(into: $0, maxFrames: Self.chunk) } ?? 0
            }
        }
        guard (0...Self.chunk).contains(frames) else {
            throw CoreError.decodeError("a read of up to \(Self.chunk) frames gave \(frames), which is impossible")
        }
        guard frames > 0 else {
            hasEnded = true
            changer?.drain(appendingTo: &staged)
            return
        }
        readerFrame += Int64(frames)
        process(frames: frames)
    }

    private func process(frames: Int) {
        let samples: ArraySlice<Float>
        if let mapping {
            mapped.removeAll(keepingCapacity: true)
            input.withUnsafeBufferPointer { mapping.convert($0.baseAddress, frames: frames, appendingTo: &mapped) }
            samples = mapped[...]
        } else {
            samples = input[..<(frames * mix.channels)]
        }
        guard let changer else { return staged.append(contentsOf: samples) }
        samples.withUnsafeBufferPointer { memory in
            guard let base = memory.baseAddress else { return }
            changer.stretch(base, frames: memory.count / mix.channels, appendingTo: &staged)
        }
    }

    /// Behind the last frame; a stream that is shorter than announced is told.
    private func end(_ generation: UInt64) {
        guard let shortage = reader.shortage else { return buffer.end(.ended, generation: generation) }
        let error = PlacedError.error(shortage, name: name, seconds: mix.seconds(of: readerFrame))
        buffer.end(.truncated(error), generation: generation)
    }

    private func fail(_ error: any Error, at frame: Int64, generation: UInt64) {
        buffer.end(
            .failed(PlacedError.error(error, name: name, seconds: mix.seconds(of: frame))), generation: generation)
    }
}
