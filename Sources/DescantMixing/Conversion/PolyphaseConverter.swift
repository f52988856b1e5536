/// Converts the sample rate of one continuous stream; the division into calls has no effect.
///
/// The first output frame belongs to the first input frame. A frame is output when ``latency`` further input frames are
/// there. After n input frames and `latency` frames of silence, ceil(n × output rate / input rate) frames were output.
package final class PolyphaseConverter: SampleConverter {
    private let filter: PolyphaseFilter
    private let channels: Int
    private let queue: ConverterInput
    /// The position of the next output frame between two input frames, in phases.
    private var part = 0
    /// The memory in which the filter works.
    private let workspace: UnsafeMutableRawPointer

    /// Creates a converter; `nil` when the rates have no small ratio.
    ///
    /// - Parameters:
    ///   - input: The input sample rate in Hz.
    ///   - output: The output sample rate in Hz.
    ///   - channels: The channels of input and output.
    package init?(from input: Int, to output: Int, channels: Int) {
        guard channels > 0, let filter = PolyphaseFilter.filter(from: input, to: output) else { return nil }
        self.filter = filter
        self.channels = channels
        queue = ConverterInput(silence: filter.taps / 2 - 1, channels: channels)
        workspace = Self.makeWorkspace(for: filter)
    }

    private init(copying other: PolyphaseConverter) {
        filter = other.filter
        channels = other.channels
        queue = ConverterInput(copying: other.queue)
        part = other.part
        workspace = Self.makeWorkspace(for: filter)
    }

    deinit { workspace.deallocate() }

    private static func makeWorkspace(for filter: PolyphaseFilter) -> UnsafeMutableRawPointer {
        let count = filter.workspaceCount
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
        memory.bindMemory(to: Float.self, capacity: count)
        return memory
    }

    package func copy() -> (any SampleConverter)? { PolyphaseConverter(copying: self) }

    package var latency: Int { filter.taps / 2 }

    package func convert(_ input: UnsafePointer<Float>?, frames: Int, appendingTo output: inout [Float]) {
        guard frames > 0 else { return }
        queue.append(input, frames: frames)
        let count = readyFrames
        guard count > 0 else { return }
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: count * channels))
        output.withUnsafeMutableBufferPointer { memory in
            guard let base = memory.baseAddress else { return }
            filter.run(
                queue.start, channels: channels, part: part, frames: count, into: base + start,
                workspace: workspace.assumingMemoryBound(to: Float.self))
        }
        let moved = part + count * filter.advance
        part = moved % filter.phases
        queue.drop(moved / filter.phases)
    }

    package func reset() {
        part = 0
        queue.restart()
    }

    /// The number of output frames whose input is complete.
    private var readyFrames: Int {
        let spare = queue.frames - filter.taps
        guard spare >= 0 else { return 0 }
        return ((spare + 1) * filter.phases - part + filter.advance - 1) / filter.advance
    }
}

/// A queue of interleaved frames in contiguous memory, as a filter needs them. Keeps its memory.
final class ConverterInput {
    private let silence: Int
    private let channels: Int
    /// In frames.
    private var capacity: Int
    private var memory: UnsafeMutablePointer<Float>
    /// The first frame.
    private var head = 0

    /// The number of queued frames.
    private(set) var frames = 0

    /// - Parameters:
    ///   - silence: The number of silent frames before the first one.
    ///   - channels: The samples of a frame.
    init(silence: Int, channels: Int) {
        self.silence = silence
        self.channels = channels
        capacity = silence + 8_192
        memory = .allocate(capacity: capacity * channels)
        restart()
    }

    init(copying other: ConverterInput) {
        silence = other.silence
        channels = other.channels
        capacity = other.capacity
        frames = other.frames
        memory = .allocate(capacity: capacity * channels)
        memory.update(from: other.start, count: frames * channels)
    }

    deinit { memory.deallocate() }

    /// The first sample.
    var start: UnsafePointer<Float> { UnsafePointer(memory + head * channels) }

    /// Empties the queue and begins with silence.
    func restart() {
        head = 0
        frames = silence
        memory.update(repeating: 0, count: silence * channels)
    }

    /// Appends frames; `nil` appends silent ones.
    func append(_ samples: UnsafePointer<Float>?, frames added: Int) {
        makeRoom(added)
        let target = memory + (head + frames) * channels
        if let samples {
            target.update(from: samples, count: added * channels)
        } else {
            target.update(repeating: 0, count: added * channels)
        }
        frames += added
    }

    /// Removes frames from the front.
    func drop(_ removed: Int) {
        head += removed
        frames -= removed
    }

    private func makeRoom(_ added: Int) {
        guard head + frames + added > capacity else { return }
        let needed = frames + added
        if needed > capacity {
            let larger = UnsafeMutablePointer<Float>.allocate(capacity: 2 * needed * channels)
            larger.update(from: start, count: frames * channels)
            memory.deallocate()
            memory = larger
            capacity = 2 * needed
        } else {
            memory.update(from: start, count: frames * channels)
        }
        head = 0
    }
}
