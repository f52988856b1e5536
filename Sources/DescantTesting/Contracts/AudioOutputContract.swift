public import DescantCore
internal import Foundation

/// Checks the rules that every audio output must keep; see `AudioOutputPort` for the rules in full.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#output -->
/// ```swift
/// let contract = AudioOutputContract(formats: [PCMFormat(sampleRate: 48_000, channels: 2)]) {
///     .init(output: MyOutput()) { try recordedSamples() }
/// }
/// #expect(try contract.findings() == [])
/// ```
public struct AudioOutputContract: Sendable {
    /// A fresh output, and a function that returns the sound that it played.
    public struct Subject {
        /// The output.
        public var output: any AudioOutputPort
        /// Returns everything that was played, after the output was stopped; `nil` when the sound cannot be captured.
        public var collect: (() throws -> SampleBuffer)?

        /// Describes an output.
        ///
        /// - Parameters:
        ///   - output: The output.
        ///   - collect: Returns everything that was played, after the output was stopped.
        public init(output: any AudioOutputPort, collect: (() throws -> SampleBuffer)? = nil) {
            self.output = output
            self.collect = collect
        }
    }

    /// Formats that the output must accept; at least one.
    public var formats: [PCMFormat]
    /// The number of frames rendered in each format. An output that paces playback takes as long as they last.
    public var frames: Int
    private let make: @Sendable () throws -> Subject

    /// The time after which an output that accepts or plays nothing counts as hanging, in seconds.
    private static let limit = 20.0

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - formats: Formats that the output must accept.
    ///   - frames: The number of frames rendered in each format.
    ///   - make: Makes a fresh output.
    public init(formats: [PCMFormat], frames: Int = 24_000, make: @escaping @Sendable () throws -> Subject) {
        self.formats = formats
        self.frames = frames
        self.make = make
    }

    /// Runs every check. Blocks while sound is played.
    ///
    /// - Returns: The broken rules; empty for an output that keeps the contract.
    /// - Throws: When a subject cannot be made.
    public func findings() throws -> [ContractFinding] {
        var collector = FindingCollector()
        collector.expect(!formats.isEmpty, "the contract needs a format", seen: "none")
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
                "\(channels) channels at \(rate) Hz with buffers of \(frames) frames are refused"
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
        collector.expectEqual(subject.output.pendingFrames, 0, "\(format): no heard frame counts as dropped")
        guard let collect = subject.collect else { return }
        let heard = try collect()
        collector.expectEqual(heard.frameCount, sound.frameCount, "\(format): every frame is played once")
        let common = min(heard.samples.count, sound.samples.count)
        collector.expect(
            heard.samples[..<common].elementsEqual(sound.samples[..<common]),
            "\(format): samples are played unchanged", seen: "other samples")
    }

    /// A stopped output can be started again, and a flush or stop drops only pending frames.
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
                collector.expect(
                    pending >= 0, "the number of pending frames is not negative", seen: "\(pending) frames")
                if taken > 0 { patience = MonotonicClock().now() }
                guard Self.isPatient(patience) else {
                    return collector.expect(false, "a started output accepts frames", seen: "none within 20 s")
                }
                if taken < offered { Self.pauseBeforeRetry() }
            }
        }
    }

    private func waitUntilHeard(_ output: any AudioOutputPort, into collector: inout FindingCollector) throws {
        let start = MonotonicClock().now()
        while output.pendingFrames > 0 {
            guard Self.isPatient(start) else {
                return collector.expect(
                    false, "accepted frames are heard", seen: "\(output.pendingFrames) frames still pending after 20 s")
            }
            Self.pauseBeforeRetry()
        }
    }

    private func configure(_ output: any AudioOutputPort, _ format: PCMFormat) throws {
        try output.configure(sampleRate: Double(format.sampleRate), channels: format.channels, framesPerBuffer: 1_024)
    }

    private static func isPatient(_ start: UInt64) -> Bool {
        Double(MonotonicClock().now() - start) < limit * 1e9
    }

    /// An output does not report when it has room, so the check tries again after a pause.
    private static func pauseBeforeRetry() { Thread.sleep(forTimeInterval: 0.005) }

    private static func sound(frames: Int, _ format: PCMFormat) -> SampleBuffer {
        TestSignal(
            .noise(seed: 11, amplitude: 0.5), frames: frames, sampleRate: format.sampleRate,
            channels: format.channels, depth: .int16
        ).samples()
    }
}
