/// Converts the sample rate of one continuous stream; the division into calls has no effect.
///
/// The first output frame belongs to the first input frame. A frame is output when ``latency`` further input frames are
/// there. After n input frames and `latency` frames of silence, ceil(n × output rate / input rate) frames were output.
package final class PolyphaseConverter: SampleConverter {
    private let filter: PolyphaseFilter
    private let channels: Int
    /// The input queue of every channel.
    private let planes: [PlanarInput]
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
        planes = (0..<channels).map { _ in PlanarInput(silence: filter.taps / 2 - 1) }
        workspace = Self.makeWorkspace(for: filter)
    }

    private init(copying other: PolyphaseConverter) {
        filter = other.filter
        channels = other.channels
        planes = other.planes.map(PlanarInput.init(copying:))
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
        for (channel, plane) in planes.enumerated() {
            plane.append(input.map { $0 + channel }, stride: channels, frames: frames)
        }
        let count = readyFrames
        guard count > 0 else { return }
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: count * channels))
        output.withUnsafeMutableBufferPointer { memory in
            guard let base = memory.baseAddress else { return }
            filter.run(
                planes.map(\.start), part: part, frames: count, into: base + start,
                workspace: workspace.assumingMemoryBound(to: Float.self))
        }
        let moved = part + count * filter.advance
        part = moved % filter.phases
        for plane in planes { plane.drop(moved / filter.phases) }
    }

    package func reset() {
        part = 0
        for plane in planes { plane.restart() }
    }

    /// The number of output frames whose input is complete.
    private var readyFrames: Int {
        let spare = planes[0].count - filter.taps
        guard spare >= 0 else { return 0 }
        return ((spare + 1) * filter.phases - part + filter.advance - 1) / filter.advance
    }
}

/// A queue of one channel's samples in contiguous memory, as a filter needs them. Keeps its memory.
final class PlanarInput {
    private let silence: Int
    private var capacity: Int
    private var memory: UnsafeMutablePointer<Float>
    private var head = 0

    /// The number of queued samples.
    private(set) var count = 0

    /// - Parameter silence: The number of zeros before the first sample.
    init(silence: Int) {
        self.silence = silence
        capacity = silence + 8_192
        memory = .allocate(capacity: capacity)
        restart()
    }

    init(copying other: PlanarInput) {
        silence = other.silence
        capacity = other.capacity
        count = other.count
        memory = .allocate(capacity: capacity)
        memory.update(from: other.start, count: count)
    }

    deinit { memory.deallocate() }

    /// The first sample.
    var start: UnsafePointer<Float> { UnsafePointer(memory + head) }

    /// Empties the queue and begins with silence.
    func restart() {
        head = 0
        count = silence
        memory.update(repeating: 0, count: silence)
    }

    /// Appends samples at a stride; `nil` appends zeros.
    func append(_ samples: UnsafePointer<Float>?, stride: Int, frames: Int) {
        makeRoom(frames)
        let target = memory + head + count
        if let samples {
            for frame in 0..<frames { target[frame] = samples[frame * stride] }
        } else {
            target.update(repeating: 0, count: frames)
        }
        count += frames
    }

    /// Removes samples from the front.
    func drop(_ frames: Int) {
        head += frames
        count -= frames
    }

    private func makeRoom(_ frames: Int) {
        guard head + count + frames > capacity else { return }
        let needed = count + frames
        if needed > capacity {
            let larger = UnsafeMutablePointer<Float>.allocate(capacity: 2 * needed)
            larger.update(from: memory + head, count: count)
            memory.deallocate()
            memory = larger
            capacity = 2 * needed
        } else {
            memory.update(from: memory + head, count: count)
        }
        head = 0
    }
}
