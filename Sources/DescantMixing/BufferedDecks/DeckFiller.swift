internal import DescantCore
internal import Dispatch

/// Fills a deck's buffer ahead of time, on a queue of its own, where calls may block.
final class DeckFiller: @unchecked Sendable {
    // Safe to share: the reader and the buffers below are used only by ``work()``, which runs on one serial queue. The
    // dispatch source may be used from any thread. The rest is immutable and sendable.
    private let reader: any FrameReader
    private let buffer: DeckBuffer
    private let name: String
    private let mix: PCMFormat
    private let mapping: (any SampleConverter)?
    private let tempo: any TempoChangerFactory
    private let watch: CallWatch
    private let limits: CallLimits
    private let source: any DispatchSourceUserDataAdd

    private var changer: (any TempoChanger)?
    private var input: [Float]
    private var mapped: [Float] = []
    private var staged: [Float] = []
    private var stagedStart = 0
    /// The source frame that the reader delivers next.
    private var readerFrame: Int64 = 0
    private var hasEnded = false
    private var isClosed = false

    private static let chunk = 4_096

    init(
        _ reader: any FrameReader, buffer: DeckBuffer, name: String, channels: Int,
        converters: any SampleConverterFactory, tempo: any TempoChangerFactory, watch: CallWatch, limits: CallLimits,
        queue: DispatchQueue
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
        source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler { [self] in work() }
        // Runs once after ``finish()``, behind the present work, and releases the reader.
        source.setCancelHandler { [self] in work() }
        source.activate()
    }

    /// Wakes the filler. Allocates nothing, unlike dispatching a block, so the rendering thread may call it.
    func wake() { source.add(data: 1) }

    /// Ends the filler, whose deck is closed.
    func finish() { source.cancel() }

    /// Fills until there is nothing to do. Runs on the queue.
    private func work() {
        while !isClosed {
            switch buffer.nextJob() {
            case .seek(let target): seek(target)
            case .fill(let generation): fill(generation)
            case .close:
                isClosed = true
                watch.during("close", limit: limits.close) { reader.close() }
            case .sleep: return
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
            let limit = limits.seekLimit(to: mix.seconds(of: target.frame))
            try watch.during("seek", limit: limit) { try reader.seek(toFrame: target.frame) }
            readerFrame = target.frame
            buffer.completeSeek(target)
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

    /// Ends the stream behind its last frame; one that is shorter than announced ends with an error.
    private func end(_ generation: UInt64) {
        guard let shortage = reader.shortage else { return buffer.end(.ended, generation: generation) }
        buffer.end(.truncated(located(shortage, at: readerFrame)), generation: generation)
    }

    private func fail(_ error: any Error, at frame: Int64, generation: UInt64) {
        buffer.end(.failed(located(error, at: frame)), generation: generation)
    }

    /// The error with the source's name and a position in front; the kind of error stays.
    private func located(_ error: any Error, at frame: Int64) -> CoreError {
        let place = "\(name) at \((mix.seconds(of: frame) * 1_000).rounded() / 1_000) s"
        guard let known = error as? CoreError else { return .decodeError("\(place): \(error)") }
        return known.withMessage("\(place): \(known.reason(about: name))")
    }
}
