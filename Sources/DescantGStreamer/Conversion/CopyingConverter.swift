internal import DescantMixing

/// Converts nothing.
final class CopyingConverter: SampleConverter {
    let latency = 0
    private let channels: Int

    init(channels: Int) { self.channels = channels }

    func convert(_ input: UnsafePointer<Float>?, frames: Int, appendingTo output: inout [Float]) {
        guard let input else {
            output.append(contentsOf: repeatElement(0, count: frames * channels))
            return
        }
        output.append(contentsOf: UnsafeBufferPointer(start: input, count: frames * channels))
    }

    func reset() {}
}
