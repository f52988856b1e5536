internal import DescantMixing

/// Brings channels to those of another shape and leaves the sample rate as it is; equal shapes are copied.
final class ChannelConverter: SampleConverter {
    let latency = 0
    private let map: ChannelMap

    init(_ map: ChannelMap) { self.map = map }

    func convert(_ input: UnsafePointer<Float>?, frames: Int, appendingTo output: inout [Float]) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: frames * map.outputs))
        guard let input else { return }
        output.withUnsafeMutableBufferPointer { memory in
            if let base = memory.baseAddress { map.apply(input, to: base + start, frames: frames) }
        }
    }

    func reset() {}
}
