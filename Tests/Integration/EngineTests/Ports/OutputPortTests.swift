import AllocationCounter
import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

/// `GStreamerOutput` under the contract of outputs, on files, on nothing and on a sound server, and what it costs to render.
struct OutputPortTests {
    private static let shapes = [(44_100, 2), (8_000, 1), (96_000, 6), (384_000, 8)].map {
        PCMFormat(sampleRate: $0.0, channels: $0.1)
    }

    @Test func fileOutputKeepsTheContractBitExactly() throws {
        let directory = try TemporaryDirectory(label: "descant-port")
        let contract = AudioOutputContract(formats: Self.shapes) {
            let file = directory.file("\(UUID().uuidString).wav")
            return .init(output: GStreamerOutput(destination: .wav(file, .f32))) {
                try WAVFile(contentsOf: file).content
            }
        }
        #expect(try contract.findings() == [])
    }

    @Test func nullOutputKeepsTheContract() throws {
        let contract = AudioOutputContract(formats: [PCMFormat(sampleRate: 48_000, channels: 2)], frames: 12_000) {
            .init(output: GStreamerOutput(destination: .null))
        }
        #expect(try contract.findings() == [])
    }

    @Test func equalizerKeepsTheContract() {
        #expect(EqualizerContract { GStreamerOutput(destination: .null) }.findings() == [])
    }

    @Test func cardOutputKeepsTheContract() throws {
        let card = try SimulatedCard(library: TestProgram.named("libSimulatedCard.so"))
        let contract = AudioOutputContract(formats: [PCMFormat(sampleRate: 48_000, channels: 2)], frames: 12_000) {
            .init(output: GStreamerOutput(destination: .alsa(device: card.directDevice)))
        }
        #expect(try contract.findings() == [])
    }

    @Test func pulseOutputKeepsTheContract() throws {
        let server = try PrivatePulseServer()
        let address = server.address
        let contract = AudioOutputContract(formats: [PCMFormat(sampleRate: 48_000, channels: 2)], frames: 12_000) {
            .init(output: GStreamerOutput(destination: .pulse(server: address)))
        }
        #expect(try contract.findings() == [])
        let wide = GStreamerOutput(destination: .pulse(server: address))
        #expect { try wide.configure(sampleRate: 768_000, channels: 2, framesPerBuffer: 4_096) } throws: {
            ($0 as? CoreError)?.code == "unsupported" && "\($0)".contains("768000 Hz")
        }
    }

    /// Frames of each ramp of a test that replaces one by the next.
    private static let rampFrames = 60_000

    /// Each ramp is heard up to the frame from which on it was taken back, and the next one follows.
    @Test(.timeLimit(.minutes(5))) func whatIsTakenBackIsReplacedWithoutAGap() async throws {
        var problems = ["not tried"]
        // On a busy machine a replacement may come too late for its first frames, and the server may drop some
        // milliseconds by itself: more tries are allowed.
        for _ in 0..<5 where !problems.isEmpty { problems = try await problemsOfReplacements() }
        #expect(problems.isEmpty, "\(problems)")
    }

    private func problemsOfReplacements() async throws -> [String] {
        let server = try PrivatePulseServer()
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let output = try startedOutput(on: server)
        var ends: [Int64] = []
        for number in 0..<8 {
            let first = number * Self.rampFrames
            let rendered = try await renderAhead(Self.ramp(from: first), to: output)
            ends.append(Int64(first + rendered - output.takeBack()))
        }
        output.stop()
        let runs = RampAnalysis.runs(in: SampleBuffer(stereo: await recording.stop())).filter { $0.kind != .silence }
        let spans = runs.compactMap { run in
            if case .source(let first) = run.kind {
                (at: run.at, indices: first..<first + Int64(run.length))
            } else {
                nil
            }
        }
        guard spans.count == runs.count else { return ["other samples than those of the ramps: \(runs)"] }
        var joins = 0
        // Behind the last ramp nothing was rendered.
        for end in ends.dropLast() {
            guard let index = spans.lastIndex(where: { $0.indices.lowerBound < end }), index + 1 < spans.count else {
                return ["nothing follows frame \(end) in \(runs)"]
            }
            let (old, next) = (spans[index], spans[index + 1])
            // As much as a busy machine may be late.
            guard (end...end + 9_600).contains(old.indices.upperBound) else {
                return ["taken back from frame \(end) on, heard up to \(old.indices.upperBound) in \(runs)"]
            }
            let late = old.indices.upperBound - end
            let isWhole = next.indices.lowerBound % Int64(Self.rampFrames) == late
            if isWhole, next.at == old.at + old.indices.count { joins += 1 }
        }
        return joins > 0 ? [] : ["no join without a gap at \(ends) in \(runs)"]
    }

    private func startedOutput(on server: PrivatePulseServer) throws -> GStreamerOutput {
        let output = GStreamerOutput(destination: .pulse(server: server.address))
        #expect(output.rewinds)
        try output.configure(sampleRate: 48_000, channels: 2, framesPerBuffer: 4_096)
        try output.start()
        return output
    }

    private static func ramp(from index: Int) -> SampleBuffer {
        TestSignal.ramp(frames: rampFrames, firstIndex: Int64(index), sampleRate: 48_000).samples()
    }

    /// Renders until 20,000 frames wait and 12,000 were heard.
    private func renderAhead(_ sound: SampleBuffer, to output: GStreamerOutput) async throws -> Int {
        let rendered = try await render(sound, to: output) { output.pendingFrames > 20_000 || $0 == sound.frameCount }
        while rendered - output.pendingFrames < 12_000 { await Task.yield() }
        return rendered
    }

    /// Renders until a condition holds of the frames that were taken.
    private func render(
        _ sound: SampleBuffer, to output: GStreamerOutput, until isEnough: (Int) -> Bool
    ) async throws -> Int {
        var done = 0
        while !isEnough(done) {
            done += try sound.samples.withUnsafeBufferPointer { samples in
                let start = try #require(samples.baseAddress)
                return try output.render(start + 2 * done, frameCount: min(1_024, sound.frameCount - done))
            }
            await Task.yield()
        }
        return done
    }

    /// The rest of a queue that was taken back is not heard again where nothing follows, as while a decoder looks for another position.
    @Test(.timeLimit(.minutes(5))) func nothingIsHeardBehindWhatReplacesAQueue() async throws {
        var problem: String? = "not tried"
        // A busy machine may replace the queue late: more tries are allowed.
        for _ in 0..<4 where problem != nil { problem = try await whatIsHeardBehindAReplacement() }
        #expect(problem == nil)
    }

    /// - Returns: What was heard too late, if anything was.
    private func whatIsHeardBehindAReplacement() async throws -> String? {
        let server = try PrivatePulseServer()
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let output = try startedOutput(on: server)
        let end = try await renderAhead(Self.ramp(from: 0), to: output) - output.takeBack()
        _ = try await render(Self.ramp(from: Self.rampFrames).slice(0..<480), to: output) { $0 == 480 }
        // As long as the queue was.
        try await recording.wait(frames: recording.frameCount + 36_000)
        output.stop()
        let runs = RampAnalysis.runs(in: SampleBuffer(stereo: await recording.stop())).filter { $0.kind != .silence }
        // As much as a busy machine may be late.
        let last = (runs.first?.at ?? 0) + end + 480 + 4_800
        return runs.allSatisfy { $0.at + $0.length <= last } ? nil : "heard behind frame \(last) of \(runs)"
    }

    @Test func startErrorWithoutServerNamesTheAddress() throws {
        let output = GStreamerOutput(destination: .pulse(server: "unix:/nonexistent/native"))
        try output.configure(sampleRate: 48_000, channels: 2, framesPerBuffer: 4_096)
        #expect { try output.start() } throws: {
            ($0 as? CoreError)?.code == "ioError" && "\($0)".contains("/nonexistent/native")
        }
        let file = GStreamerOutput(destination: .wav(URL(fileURLWithPath: "/nonexistent/a.wav"), .f32))
        try file.configure(sampleRate: 48_000, channels: 2, framesPerBuffer: 4_096)
        #expect { try file.start() } throws: { "\($0)".contains("/nonexistent/a.wav") }
    }

    @Test func renderingAllocatesNothing() throws {
        let output = GStreamerOutput(destination: .null)
        try output.configure(sampleRate: 48_000, channels: 2, framesPerBuffer: 4_096)
        try output.start()
        defer { output.stop() }
        let samples = [Float](repeating: 0.1, count: 2 * 512)
        // Allocations of the first call, which initialises the runtime, do not count.
        _ = try output.render(samples, frameCount: 512)
        var taken = 0
        var refused = 0
        let count = try samples.withUnsafeBufferPointer { samples -> Int64 in
            let start = try #require(samples.baseAddress)
            descant_begin_counting_allocations()
            // More than fits: the full ring is the same path.
            for _ in 0..<400 {
                let frames = try output.render(start, frameCount: 512)
                taken += frames
                if frames < 512 { refused += 1 }
            }
            return descant_end_counting_allocations()
        }
        #expect(count <= 0, "\(count) allocations; -1 is a sanitizer's build, whose allocator cannot be watched")
        #expect(taken > 4_096 && refused > 0)
    }

    @Test func allocationCounterDetectsAllocations() {
        descant_begin_counting_allocations()
        let block = UnsafeMutableRawPointer.allocate(byteCount: 100_000, alignment: 16)
        let count = descant_end_counting_allocations()
        block.deallocate()
        #expect(count != 0)
    }

    @Test func equalizerChangesTheOutput() throws {
        let directory = try TemporaryDirectory(label: "descant-port")
        let tone = TestSignal.sine(1_000, amplitude: 0.1, seconds: 0.5, depth: .float).samples()
        func played(_ prepare: (GStreamerOutput) -> Void) throws -> SampleBuffer {
            let file = directory.file("\(UUID().uuidString).wav")
            let output = GStreamerOutput(destination: .wav(file, .f32))
            prepare(output)
            try output.configure(sampleRate: 48_000, channels: 2, framesPerBuffer: 4_096)
            try output.start()
            var done = 0
            try tone.samples.withUnsafeBufferPointer { samples in
                let start = try #require(samples.baseAddress)
                while done < tone.frameCount {
                    done += try output.render(start + 2 * done, frameCount: min(4_096, tone.frameCount - done))
                }
            }
            output.stop()
            #expect(output.failure == nil)
            return try WAVFile(contentsOf: file).content
        }
        #expect(try played { $0.bandGains = [6] } == tone, "switched off, not a bit changes")
        let raised = try played { output in
            output.isEnabled = true
            output.bandGains = [0, 0, 0, 0, 0, 6]
        }
        let ratio = try #require(raised.slice(12_000..<24_000).samples.map(abs).max()) / 0.1
        #expect(abs(20 * log10(ratio) - 6) < 0.1)
    }

    /// What was played before a stop does not ring on in what is played behind it.
    @Test func aStartBeginsWithTheEqualizerAtRest() async throws {
        let directory = try TemporaryDirectory(label: "descant-port")
        let file = directory.file("a.wav")
        let output = GStreamerOutput(destination: .wav(file, .f32))
        output.bandGains = [12]
        output.isEnabled = true
        try output.configure(sampleRate: 48_000, channels: 2, framesPerBuffer: 4_096)
        let tone = TestSignal.sine(32, amplitude: 0.2, seconds: 0.26, depth: .float).samples()
        let silence = SampleBuffer(stereo: [Float](repeating: 0, count: 9_600))
        var played: [SampleBuffer] = []
        for sound in [tone, silence] {
            try output.start()
            _ = try await render(sound, to: output) { $0 == sound.frameCount }
            output.stop()
            #expect(output.failure == nil)
            played.append(try WAVFile(contentsOf: file).content)
        }
        #expect(played[0].samples.contains { $0 > 0.3 }, "the lowest band is raised")
        #expect(played[1] == silence)
    }

    /// A server that hangs holds up the start, and nobody who asks meanwhile: the server goes on before the start gives up.
    @Test func positionIsToldWhileADeviceIsOpened() async throws {
        let server = try PrivateSoundServer(.pulseAudio)
        let output = GStreamerOutput(destination: .pulse(server: server.address))
        try output.configure(sampleRate: 48_000, channels: 2, framesPerBuffer: 960)
        server.freeze()
        let hasBegun = Atomic(false)
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let start = Thread {
            hasBegun.store(true, ordering: .releasing)
            let result = Result { try output.start() }
            outcome.withLock { $0 = result }
        }
        start.start()
        while !hasBegun.load(ordering: .acquiring) { await Task.yield() }
        // Longer than the thread needs to reach the server.
        for _ in 0..<100_000 where output.pendingFrames != 0 || output.failure != nil {
            Issue.record("frames or a failure of an output that is not started")
        }
        server.thaw()
        while outcome.withLock({ $0 == nil }) { await Task.yield() }
        #expect(throws: Never.self) { try outcome.withLock { try $0?.get() } }
        output.stop()
    }
}
