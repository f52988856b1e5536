internal import DescantCore
internal import Foundation
internal import Synchronization

/// Writes the blocks of a mix to an output of a bundle or of the host's own.
///
/// The output is made and started by ``open()`` and written to by one thread. A block that it does not take at once is offered again
/// until it is taken or the session ends.
final class PortWriter: Sendable {
    private let plan: SessionPlan
    private let make: @Sendable () throws -> sending any AudioOutputPort
    private let port = Mutex<(any AudioOutputPort)?>(nil)
    private let isAbandoned = Atomic(false)

    /// How long an output may take nothing, in nanoseconds.
    private static let longestStall: UInt64 = 2_000_000_000
    /// The pause before a block is offered again, in seconds.
    private static let pause = 0.005

    init(plan: SessionPlan, make: @escaping @Sendable () throws -> sending any AudioOutputPort) {
        self.plan = plan
        self.make = make
    }

    /// Makes and starts the output; may wait.
    func open() throws {
        try port.withLock { port in
            let made = try make()
            try made.configure(
                sampleRate: Double(plan.format.sampleRate), channels: plan.format.channels,
                framesPerBuffer: plan.blockFrames)
            try made.start()
            port = made
        }
    }

    /// Writes a block; waits while the output takes nothing.
    ///
    /// - Throws: What the output throws, or `CoreError.ioError` after two seconds in which it took nothing.
    func write(_ block: PCMBlock) throws {
        let channels = block.format.channels
        var written = 0
        var progress = MonotonicClock().now()
        while written < block.samples.count / channels, !isAbandoned.load(ordering: .acquiring) {
            let taken = try port.withLock { port in
                try block.samples.withUnsafeBufferPointer { samples in
                    guard let port, let start = samples.baseAddress else { return 0 }
                    let left = samples.count / channels - written
                    let taken = try port.render(start + written * channels, frameCount: left)
                    guard (0...left).contains(taken) else {
                        throw CoreError.ioError("it says that it took \(taken) of \(left) frames")
                    }
                    return taken
                }
            }
            written += taken
            let now = MonotonicClock().now()
            if taken > 0 {
                progress = now
            } else if now - progress < Self.longestStall {
                Thread.sleep(forTimeInterval: Self.pause)
            } else {
                throw CoreError.ioError("it takes no sound any more")
            }
        }
    }

    /// Ends a write that waits.
    func abandon() { isAbandoned.store(true, ordering: .releasing) }

    /// Stops and releases the output; may wait.
    func close() {
        port.withLock { port in
            port?.stop()
            port = nil
        }
    }
}
