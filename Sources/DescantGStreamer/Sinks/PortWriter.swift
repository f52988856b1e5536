internal import DescantCore
internal import Foundation
internal import Synchronization

/// Writes the blocks of a mix to an output of a bundle or of the host's own.
///
/// The output is made and started by ``open()`` and written to by one thread. A block that it does not take at once is offered again
/// until it is taken or the session ends. A call that does not return is reported from another thread.
final class PortWriter: Sendable {
    /// The call of the output that is under way.
    private struct Watch {
        var call = ""
        /// Since when, on the monotonic clock; `nil` outside of calls.
        var began: UInt64?
        /// Whether somebody will look whether it has returned.
        var isArmed = false
    }

    private let plan: SessionPlan
    private let make: @Sendable () throws -> sending any AudioOutputPort
    private let failed: @Sendable (String) -> Void
    private let port = Mutex<(any AudioOutputPort)?>(nil)
    private let watch = Mutex(Watch())
    private let isAbandoned = Atomic(false)
    private let released = Promise<Void>()

    /// How long an output may take nothing, in nanoseconds.
    private static let longestStall: UInt64 = 2_000_000_000
    /// The pause before a block is offered again, in seconds.
    private static let pause = 0.005

    /// Prepares an output.
    ///
    /// - Parameters:
    ///   - make: Makes it.
    ///   - failed: Called when one of its calls has not returned for two seconds; on a thread that must not wait.
    init(
        plan: SessionPlan, make: @escaping @Sendable () throws -> sending any AudioOutputPort,
        failed: @escaping @Sendable (String) -> Void
    ) {
        self.plan = plan
        self.make = make
        self.failed = failed
    }

    /// Makes and starts the output; may wait.
    func open() throws {
        try port.withLock { port in
            // The start of the mix has a limit of its own, as a receiver on the network may take its time.
            try calling("start", isWatched: false) {
                let made = try make()
                try made.configure(
                    sampleRate: Double(plan.format.sampleRate), channels: plan.format.channels,
                    framesPerBuffer: plan.blockFrames)
                try made.start()
                port = made
            }
        }
    }

    /// Why no other output is to be made after this one: a call has not returned, and its thread may be lost. Waits two seconds at most until
    /// the output is released.
    func hang() async -> String? {
        guard await released.value(within: Double(Self.longestStall) / 1e9) == nil else { return nil }
        return watch.withLock { $0.began == nil ? nil : Self.hang(of: $0.call) }
    }

    private static func hang(of call: String) -> String {
        "it hangs: \(call) has not returned for \(longestStall / 1_000_000_000) s"
    }

    /// Carries out a call of the output, which may not return.
    private func calling<Result>(
        _ name: String, isWatched: Bool = true, _ body: () throws -> Result
    ) rethrows -> Result {
        let isFirst = watch.withLock { watch in
            (watch.call, watch.began) = (name, MonotonicClock().now())
            guard isWatched, !watch.isArmed else { return false }
            watch.isArmed = true
            return true
        }
        if isFirst { look(after: Self.longestStall) }
        defer { watch.withLock { $0.began = nil } }
        return try body()
    }

    /// Looks later whether the call that is then under way takes too long: once in two seconds of calls, not for each of them.
    private func look(after nanoseconds: UInt64) {
        DedicatedQueue.run(after: Double(nanoseconds) / 1e9) { [weak self] in
            guard let self else { return }
            let (left, call) = watch.withLock { watch -> (UInt64?, String) in
                guard let began = watch.began else {
                    watch.isArmed = false
                    return (nil, "")
                }
                let age = MonotonicClock().now() - began
                return (age < Self.longestStall ? Self.longestStall - age : 0, watch.call)
            }
            switch left {
            case nil: break
            // Armed for good: it is told once.
            case 0?: failed(Self.hang(of: call))
            case let left?: look(after: left)
            }
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
                    let taken = try calling("render") {
                        try port.render(start + written * channels, frameCount: left)
                    }
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
            calling("stop") { port?.stop() }
            port = nil
        }
        released.resolve(())
    }
}
