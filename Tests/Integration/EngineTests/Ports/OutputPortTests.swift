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

    @Test(.timeLimit(.minutes(2))) func whatIsTakenBackIsReplacedWithoutAGap() async throws {
        let server = try PrivatePulseServer()
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let output = GStreamerOutput(destination: .pulse(server: server.address))
        #expect(output.rewinds)
        try output.configure(sampleRate: 48_000, channels: 2, framesPerBuffer: 4_096)
        try output.start()
        let (old, new) = (Self.ramp(from: 0), Self.ramp(from: 200_000))
        var rendered = try await render(old, to: output) { output.pendingFrames > 24_000 || $0 == old.frameCount }
        while rendered - output.pendingFrames < 12_000 { await Task.yield() }
        rendered -= output.takeBack()
        #expect((12_000..<48_000).contains(rendered))
        _ = try await render(new, to: output) { $0 >= 24_000 }
        while output.pendingFrames > 0 { await Task.yield() }
        try await recording.wait(frames: recording.frameCount + 24_000)
        output.stop()
        let runs = RampAnalysis.runs(in: SampleBuffer(stereo: await recording.stop())).filter { $0.kind != .silence }
        #expect(runs.count == 2, "\(runs)")
        #expect(runs.first?.length == rendered && runs.last?.at == (runs.first?.at ?? 0) + rendered, "\(runs)")
    }

    /// The rest of a queue that was taken back is not heard again where nothing follows, as while a decoder looks for another position.
    @Test(.timeLimit(.minutes(2))) func nothingIsHeardBehindWhatReplacesAQueue() async throws {
        let server = try PrivatePulseServer()
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let output = GStreamerOutput(destination: .pulse(server: server.address))
        try output.configure(sampleRate: 48_000, channels: 2, framesPerBuffer: 4_096)
        try output.start()
        let old = Self.ramp(from: 0)
        var rendered = try await render(old, to: output) { output.pendingFrames > 24_000 || $0 == old.frameCount }
        while rendered - output.pendingFrames < 12_000 { await Task.yield() }
        rendered -= output.takeBack()
        _ = try await render(Self.ramp(from: 200_000).slice(0..<480), to: output) { $0 == 480 }
        // As long as the queue was.
        try await recording.wait(frames: recording.frameCount + 36_000)
        output.stop()
        let runs = RampAnalysis.runs(in: SampleBuffer(stereo: await recording.stop())).filter { $0.kind != .silence }
        #expect(runs.map(\.length) == [rendered, 480], "\(runs)")
    }

    private static func ramp(from index: Int64) -> SampleBuffer {
        TestSignal.ramp(frames: 96_000, firstIndex: index, sampleRate: 48_000).samples()
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
