public import DescantCore
internal import Foundation

/// What every output must hold; see `AudioOutputPort` for the rules in full.
///
/// ```swift
/// let contract = AudioOutputContract(formats: [PCMFormat(sampleRate: 48_000, channels: 2)]) {
///     .init(output: MyOutput()) { try what(cameOut) }
/// }
/// #expect(try contract.findings().isEmpty)
/// ```
public struct AudioOutputContract: Sendable {
    /// A fresh output, and a way to look at what came out of it.
    public struct Subject {
        /// The output.
        public var output: any AudioOutputPort
        /// Everything that came out, once the output is stopped; `nil` where nobody can look.
        public var collect: (() throws -> SampleBuffer)?

        /// Describes an output.
        ///
        /// - Parameters:
        ///   - output: The output.
        ///   - collect: Everything that came out, once it is stopped.
        public init(output: any AudioOutputPort, collect: (() throws -> SampleBuffer)? = nil) {
            self.output = output
            self.collect = collect
        }
    }

    /// Shapes that the output must take; at least one.
    public var formats: [PCMFormat]
    /// How many frames are rendered in each shape; an output that keeps the time takes as long as they last.
    public var frames: Int
    private let make: @Sendable () throws -> Subject

    /// Seconds after which an output that takes or plays nothing counts as hanging.
    private static let limit = 20.0

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - formats: Shapes that the output must take.
    ///   - frames: How many frames are rendered in each.
    ///   - make: Makes a fresh output.
    public init(formats: [PCMFormat], frames: Int = 24_000, make: @escaping @Sendable () throws -> Subject) {
        self.formats = formats
        self.frames = frames
        self.make = make
    }

    /// Runs every check. Blocks while sound is played.
    ///
    /// - Returns: What was broken; empty for an output that keeps the contract.
    /// - Throws: When a subject cannot be made.
    public func findings() throws -> [ContractFinding] {
        var collector = FindingCollector()
        collector.expect(!formats.isEmpty, "the contract needs a shape", seen: "none")
        try checkOrder(into: &collector)
        try checkShapes(into: &collector)
        for format in formats {
            do {
                try checkSound(format, into: &collector)
                try checkRestart(format, into: &collector)
            } catch {
                collector.expect(false, "\(format) can be rendered", seen: "\(error)")
            }
        }
        return collector.findings
    }

    // MARK: Order of calls

    private func checkOrder(into collector: inout FindingCollector) throws {
        guard let format = formats.first else { return }
        let output = try make().output
        let samples = [Float](repeating: 0, count: 16 * format.channels)
        output.stop()
        output.flush()
        collector.expectError(["invalidState"], "a start before configuration is refused") { try output.start() }
        collector.expectError(["invalidState"], "rendering before the start is refused") {
            try output.render(samples, frameCount: 16)
        }
        do {
            try configure(output, format)
            collector.expectError(["invalidState"], "rendering after configuration, before the start, is refused") {
                try output.render(samples, frameCount: 16)
            }
            try configure(output, format)
            try output.start()
            collector.expectError(["invalidState"], "configuration while started is refused") {
                try configure(output, format)
            }
            output.stop()
            output.stop()
            collector.expectError(["invalidState"], "rendering after the stop is refused") {
                try output.render(samples, frameCount: 16)
            }
        } catch {
            collector.expect(false, "configuring, starting and stopping works", seen: "\(error)")
        }
    }

    private func checkShapes(into collector: inout FindingCollector) throws {
        let output = try make().output
        let shapes: [(Double, Int, Int)] = [
            (0, 2, 512), (-48_000, 2, 512), (.nan, 2, 512), (.infinity, 2, 512), (48_000, 0, 512), (48_000, -1, 512),
            (48_000, 2, 0), (48_000, 2, -1),
        ]
        for (rate, channels, frames) in shapes {
            collector.expectError(
                ["invalidArgument", "unsupported"],
                "a shape of \(channels) channels at \(rate) Hz by \(frames) frames is refused"
            ) { try output.configure(sampleRate: rate, channels: channels, framesPerBuffer: frames) }
        }
    }

    // MARK: Sound

    private func checkSound(_ format: PCMFormat, into collector: inout FindingCollector) throws {
        let subject = try make()
        let sound = Self.sound(frames: frames, format)
        try configure(subject.output, format)
        try subject.output.start()
        try render(sound, to: subject.output, into: &collector)
        try waitUntilHeard(subject.output, into: &collector)
        subject.output.stop()
        collector.expectEqual(subject.output.pendingFrames, 0, "\(format): nothing that was heard counts as dropped")
        guard let collect = subject.collect else { return }
        let heard = try collect()
        collector.expectEqual(heard.frameCount, sound.frameCount, "\(format): every frame comes out once")
        let common = min(heard.samples.count, sound.samples.count)
        collector.expect(
            heard.samples[..<common].elementsEqual(sound.samples[..<common]),
            "\(format): samples come out as they went in", seen: "other samples")
    }

    /// After a stop everything begins anew.
    private func checkRestart(_ format: PCMFormat, into collector: inout FindingCollector) throws {
        let subject = try make()
        let output = subject.output
        try configure(output, format)
        try output.start()
        let short = Self.sound(frames: 1_000, format)
        try render(short, to: output, into: &collector)
        output.flush()
        collector.expect(
            (0...1_000).contains(output.pendingFrames), "\(format): a flush drops no more than was rendered",
            seen: "\(output.pendingFrames) of 1000 frames")
        try render(short, to: output, into: &collector)
        output.stop()
        collector.expect(
            (0...2_000).contains(output.pendingFrames), "\(format): a stop drops no more than was rendered",
            seen: "\(output.pendingFrames) of 2000 frames")
        try output.start()
        try render(short, to: output, into: &collector)
        output.stop()
    }

    private func render(
        _ sound: SampleBuffer, to output: any AudioOutputPort, into collector: inout FindingCollector
    ) throws {
        let channels = sound.format.channels
        var done = 0
        var patience = MonotonicClock().now()
        try sound.samples.withUnsafeBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            while done < sound.frameCount {
                let offered = min(1_024, sound.frameCount - done)
                let taken = try output.render(start + done * channels, frameCount: offered)
                guard (0...offered).contains(taken) else {
                    return collector.expect(
                        false, "no more is consumed than is offered", seen: "\(taken) of \(offered)")
                }
                done += taken
                let pending = output.pendingFrames
                collector.expect(pending >= 0, "what is pending is counted", seen: "\(pending) frames")
                if taken > 0 { patience = MonotonicClock().now() }
                guard Self.isPatient(patience) else {
                    return collector.expect(false, "a started output takes frames", seen: "none within 20 s")
                }
                if taken < offered { Self.letTimePass() }
            }
        }
    }

    private func waitUntilHeard(_ output: any AudioOutputPort, into collector: inout FindingCollector) throws {
        let start = MonotonicClock().now()
        while output.pendingFrames > 0 {
            guard Self.isPatient(start) else {
                return collector.expect(
                    false, "what was taken is heard", seen: "\(output.pendingFrames) frames still pending after 20 s")
            }
            Self.letTimePass()
        }
    }

    private func configure(_ output: any AudioOutputPort, _ format: PCMFormat) throws {
        try output.configure(sampleRate: Double(format.sampleRate), channels: format.channels, framesPerBuffer: 1_024)
    }

    private static func isPatient(_ start: UInt64) -> Bool {
        Double(MonotonicClock().now() - start) < limit * 1e9
    }

    /// An output has no way to say when it has room; whoever renders comes back later.
    private static func letTimePass() { Thread.sleep(forTimeInterval: 0.005) }

    private static func sound(frames: Int, _ format: PCMFormat) -> SampleBuffer {
        TestSignal(
            .noise(seed: 11, amplitude: 0.5), frames: frames, sampleRate: format.sampleRate,
            channels: format.channels, depth: .int16
        ).samples()
    }
}
