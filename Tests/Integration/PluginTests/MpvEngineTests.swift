import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// The engine on libmpv as listeners hear it, on a PulseAudio server of the test's own.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MpvEngineTests {
    private let server: PrivatePulseServer
    private let directory: TemporaryDirectory
    private let registry: PluginRegistry

    init() throws {
        server = try PrivatePulseServer()
        directory = try TemporaryDirectory()
        registry = try SpeechBundle("MpvEngine").registry
    }

    private func makeEngine(
        on device: String? = PrivatePulseServer.defaultSink, server address: String? = nil
    ) async throws -> any DeviceEngine {
        let engine = try #require(try registry.makeEngine("mpv") as? any DeviceEngine)
        try await engine.setOutput(.pulse(device: device, latency: 0.1, server: address ?? server.address))
        return engine
    }

    /// A ramp whose frames hold their own number.
    private func ramp(_ name: String, seconds: Int, from first: Int64 = 0) throws -> MediaContent {
        .url(
            try FixtureEncoder().encode(
                TestSignal.ramp(frames: 48_000 * seconds, firstIndex: first).samples(), as: .flac(bits: 16),
                to: directory.file("\(name).flac")))
    }

    private func wait(for engine: any MediaEngine, _ isIt: (EngineState) -> Bool) async {
        for await state in engine.stateUpdates where isIt(state) { return }
    }

    /// The sounds of a recording without the silence around them.
    private func sounds(_ samples: [Float]) -> [RampRun] {
        RampAnalysis.runs(in: SampleBuffer(stereo: samples)).filter { $0.kind != .silence }
    }

    // MARK: Sound

    /// Tries a few times to hear something unbroken: a busy server may drop some milliseconds, and mpv may be late with
    /// its sound.
    ///
    /// - Parameter body: Returns what was wrong, if anything was.
    private func retry(_ body: () async throws -> String?) async throws {
        var problem: String? = "not tried"
        for _ in 0..<4 where problem != nil {
            problem = try await body()
            // Engines end behind their release.
            try await settle { try server.control.streams().isEmpty }
        }
        #expect(problem == nil)
    }

    @Test func everySampleIsHeardOnce() async throws { try await retry(playToTheEnd) }

    private func playToTheEnd() async throws -> String? {
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let engine = try await makeEngine()
        try await engine.loadContent(ramp("ramp", seconds: 3))
        #expect(try server.control.streams().isEmpty, "no device is open before the first start")
        try await engine.play()
        await wait(for: engine) { $0 == .finished }
        #expect(abs(await engine.currentTime - 3) < 0.01)
        let heard = sounds(await recording.stop())
        // The recorder may be behind the end by its own latency.
        let length = heard.map(\.length).reduce(0, +)
        let isWhole = heard.first?.kind == .source(0) && heard.count == 1 && (139_200...144_000).contains(length)
        return isWhole ? nil : "\(heard.prefix(5))"
    }

    @Test func aPauseContinuesAtTheNextFrameAndASeekIsExact() async throws { try await retry(pauseAndSeek) }

    private func pauseAndSeek() async throws -> String? {
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let engine = try await makeEngine()
        try await engine.loadContent(ramp("ramp", seconds: 30))
        try await engine.play()
        try await recording.wait(frames: recording.frameCount + 48_000)
        await engine.pause()
        #expect(try server.control.streams().map(\.isCorked) == [true])
        let frozen = await engine.currentTime
        try await recording.wait(frames: recording.frameCount + 24_000)
        #expect(await engine.currentTime == frozen)
        try await engine.play()
        try await recording.wait(frames: recording.frameCount + 48_000)
        try await engine.seek(to: .time(20))
        try await recording.wait(frames: recording.frameCount + 48_000)
        await engine.stop()
        let runs = sounds(await recording.stop()).filter { $0.length > 480 }
        let starts = runs.map { run -> Int64 in if case .source(let frame) = run.kind { frame } else { -1 } }
        guard runs.count == 3, starts[0] == 0 else { return "\(runs)" }
        guard starts[1] == runs[0].sourceEnd else { return "the sound does not go on at the next frame: \(runs)" }
        guard abs(starts[2] - 960_000) <= 2 else { return "\(runs)" }
        return abs(frozen - Double(starts[1]) / 48_000) < 0.05 ? nil : "paused at \(frozen): \(runs)"
    }

    @Test func theNextContentFollowsOnTheOtherDevice() async throws { try await retry(playTwoOnTheOtherDevice) }

    private func playTwoOnTheOtherDevice() async throws -> String? {
        let recording = try await MonitorRecording(of: PrivatePulseServer.otherSink, on: server)
        let engine = try await makeEngine(on: PrivatePulseServer.otherSink)
        for number in 0..<2 {
            try await engine.loadContent(ramp("ramp\(number)", seconds: 1, from: Int64(number) * 100_000))
            try await engine.play()
            await wait(for: engine) { $0 == .finished }
        }
        try await recording.wait(frames: recording.frameCount + 9_600)
        let runs = sounds(await recording.stop())
        let isWhole = runs.map(\.kind) == [.source(0), .source(100_000)] && runs.map(\.length) == [48_000, 48_000]
        return isWhole ? nil : "\(runs)"
    }

    /// mpv closes the file while seeks to its end are under way, or wait for one another.
    @Test func seeksToTheEndFinish() async throws {
        let engine = try await makeEngine()
        try await engine.loadContent(ramp("ramp", seconds: 30))
        for _ in 0..<5 {
            try await engine.play()
            await withTaskGroup(of: Void.self) { group in
                // A seek of a file that has just ended may be refused.
                for _ in 0..<2 { group.addTask { try? await engine.seek(to: .fraction(1)) } }
            }
            await wait(for: engine) { $0 == .finished }
            #expect(abs(await engine.currentTime - 30) < 0.01)
            await engine.stop()
        }
    }

    @Test func aStartAtTheEndFinishes() async throws {
        let engine = try await makeEngine()
        try await engine.loadContent(ramp("ramp", seconds: 30))
        try await engine.play()
        await engine.pause()
        try await engine.seek(to: .fraction(1))
        #expect(await engine.engineState == .paused)
        try await engine.play()
        await wait(for: engine) { $0 == .finished }
    }

    @Test func theGainIsLinear() async throws {
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let engine = try await makeEngine()
        await engine.setGain(0.25)
        await engine.setGain(.nan)
        let tone = try FixtureEncoder().make(
            .sine(440, amplitude: 0.8, seconds: 2), as: .flac(bits: 16), named: "tone", in: directory)
        try await engine.loadContent(.url(tone))
        try await engine.play()
        await wait(for: engine) { $0 == .finished }
        let peak = await recording.stop().map(abs).max() ?? 0
        #expect(abs(peak - 0.2) < 0.002, "\(peak)")
    }

    @Test func webAddressesPlayAndSeek() async throws { try await retry(playFromTheWeb) }

    private func playFromTheWeb() async throws -> String? {
        guard case .url(let file) = try ramp("ramp", seconds: 30) else { return nil }
        let content = try Data(contentsOf: file)
        let web = try LoopbackWebServer { .file(content, for: $0, type: "audio/flac") }
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let engine = try await makeEngine()
        try await engine.loadContent(.url(web.url("/ramp.flac")))
        try await engine.seek(to: .fraction(0.5))
        #expect(abs(await engine.currentTime - 15) < 0.01)
        try await engine.play()
        try await recording.wait(frames: recording.frameCount + 48_000)
        await engine.stop()
        let runs = sounds(await recording.stop())
        // mpv computes positions in microseconds.
        if case .source(719_998...720_002)? = runs.first?.kind { return nil }
        return "\(runs.prefix(3))"
    }

    // MARK: Faults

    @Test func aMissingServerIsNamedAndPlaybackStartsWhenItIsThere() async throws {
        server.kill()
        let engine = try await makeEngine()
        try await engine.loadContent(ramp("ramp", seconds: 2))
        let error = await #expect(throws: CoreError.self) { try await engine.play() }
        #expect(error?.code == "ioError")
        #expect(error?.message.contains(server.address) == true, "\(String(describing: error))")
        #expect(await engine.engineState == .ready)
        try server.start()
        try await engine.play()
        await wait(for: engine) { $0 == .finished }
    }

    @Test func aKilledServerFailsAndTheEngineContinuesWhereItWas() async throws {
        let engine = try await makeEngine()
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await engine.loadContent(ramp("ramp", seconds: 30))
        try await engine.play()
        try await recording.wait(frames: recording.frameCount + 72_000)
        server.kill()
        await wait(for: engine) { if case .failed = $0 { true } else { false } }
        let last = try #require(sounds(await recording.stop()).compactMap(\.sourceEnd).max())
        let place = await engine.currentTime
        // When the server ends, the recorder loses its buffer and the data on the way to it.
        #expect((-0.1...0.3).contains(place - Double(last) / 48_000), "\(place) s, heard up to frame \(last)")
        try server.start()
        try await engine.play()
        #expect(await engine.engineState == .playing)
        #expect(await engine.currentTime >= place - 0.01)
    }

    @Test func aFrozenServerBlocksNoCallForLong() async throws {
        let engine = try await makeEngine()
        try await engine.loadContent(ramp("ramp", seconds: 30))
        try await engine.play()
        server.freeze()
        await engine.pause()
        #expect(await engine.engineState == .paused)
        await engine.stop()
        #expect(await engine.engineState == .idle)
        // Another core takes over, and the frozen one ends with its server.
        try await engine.setOutput(.null)
        try await engine.loadContent(ramp("short", seconds: 1))
        try await engine.play()
        await wait(for: engine) { $0 == .finished }
        server.thaw()
    }

    @Test func badInputIsNamedWithTheReason() async throws {
        let engine = try await makeEngine()
        let web = try LoopbackWebServer { _ in WebAnswer(status: 404) }
        let closed = try LoopbackWebServer { _ in WebAnswer(status: 404) }
        closed.stop()
        let whole = try Data(
            contentsOf: FixtureEncoder().make(
                .noise(seed: 3, seconds: 3), as: .flac(bits: 16), named: "whole", in: directory))
        let inputs: [(URL, code: String, words: [String])] = [
            (directory.file("missing.flac"), "notFound", ["missing.flac", "does not exist"]),
            (directory.url, "ioError", [directory.url.lastPathComponent]),
            (try directory.write(Data("text".utf8), to: "note.txt"), "unsupported", ["note.txt", "format"]),
            (
                try directory.write(Data("#EXTM3U\n\(directory.file("whole.flac").path)\n".utf8), to: "list.m3u"),
                "unsupported", ["list.m3u"]
            ),
            (try directory.write(Data(), to: "empty.flac"), "unsupported", ["empty.flac"]),
            (try directory.write(whole.prefix(40), to: "header.flac"), "", ["header.flac"]),
            (web.url("/gone.flac", userInfo: "me:secret"), "notFound", ["/gone.flac", "404"]),
            (closed.url("/x.flac", userInfo: "me:secret"), "ioError", ["/x.flac", "Connection refused"]),
            (try #require(URL(string: "smb://host/x.flac")), "unsupported", ["smb://host/x.flac"]),
        ]
        for (url, code, words) in inputs {
            let error = await #expect(throws: CoreError.self) { try await engine.loadContent(.url(url)) }
            let message = error?.message ?? ""
            #expect(code.isEmpty || error?.code == code, "\(url): \(String(describing: error))")
            for word in words { #expect(message.contains(word), "\(url): \(message)") }
            #expect(!message.contains("secret"), "\(message)")
        }
        // What can be decoded is played; then the error names the position.
        let cut = try directory.write(
            whole.prefix(whole.count / 2) + Data(repeating: 0x55, count: 50_000), to: "cut.flac")
        try await engine.loadContent(.url(cut))
        try await engine.play()
        var failure: CoreError?
        for await state in engine.stateUpdates {
            if case .failed(let error) = state {
                failure = error
                break
            }
            if state == .finished { break }
        }
        #expect(
            failure?.code == "decodeError" && failure?.message.contains("cut.flac") == true,
            "\(String(describing: failure))")
    }

    // MARK: Life

    @Test func manyEnginesLeaveNothingBehind() async throws {
        func threads() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count }
        let content = try ramp("ramp", seconds: 10)
        func live() async throws {
            let engine = try await makeEngine()
            try await engine.loadContent(content)
            try await engine.play()
            #expect(await engine.isPlaying)
        }
        for _ in 0..<5 { try await live() }
        try await settle { try server.control.streams().isEmpty }
        let before = (try ProcessUsage().descriptors, try threads())
        for _ in 0..<60 { try await live() }
        // Engines end behind their release. Forty-five descriptors and threads are left to the tests that run beside
        // this one, which may have more for a while; one of each engine would be sixty.
        var after = before
        try await settle(within: 150) {
            after = (try ProcessUsage().descriptors, try threads())
            return try server.control.streams().isEmpty && after.0 <= before.0 + 45 && after.1 <= before.1 + 45
        }
        #expect(after.0 <= before.0 + 45, "descriptors: \(before.0), then \(after.0)")
        #expect(after.1 <= before.1 + 45, "threads: \(before.1), then \(after.1)")
    }

    private func settle(within seconds: Double = 30, _ isTrue: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while try !isTrue(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
    }

    // MARK: The controller

    @Test func theControllerHandsOverBetweenEngines() async throws { try await retry(handOver) }

    private func handOver() async throws -> String? {
        let environment = AudioEnvironment(plugins: registry)
        let output = OutputDestination.pulse(
            device: PrivatePulseServer.defaultSink, latency: 0.1, server: server.address)
        let controller = environment.makeController(output: output)
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let music = try ramp("ramp", seconds: 60)
        try await controller.selectEngine("gstreamer")
        try await controller.loadContent(music)
        try await controller.play()
        try await recording.wait(frames: recording.frameCount + 72_000)
        try await controller.selectEngine("mpv")
        #expect(await controller.state.activity == .playing)
        #expect(await controller.state.capabilities.contains(.mixes) == false)
        let place = await controller.progress.position
        #expect((1...20).contains(place), "\(place)")
        try await recording.wait(frames: recording.frameCount + 72_000)

        await #expect(throws: CoreError.self) {
            try await controller.loadContent(.text("One two three.", language: "en"))
        }
        try await controller.selectEngine("flite")
        try await controller.play()
        for await state in controller.updates where state.activity == .finished { break }

        await #expect(throws: CoreError.self) { try await controller.loadContent(music) }
        try await controller.selectEngine("mpv")
        try await controller.seek(to: .time(40))
        try await controller.play()
        try await recording.wait(frames: recording.frameCount + 72_000)
        await controller.stop()
        #expect(await controller.madeEngines == ["flite", "gstreamer", "mpv"])
        let runs = sounds(await recording.stop()).filter { $0.length > 4_800 }
        let frames = runs.compactMap { run -> Int64? in if case .source(let frame) = run.kind { frame } else { nil } }
        // On a busy machine each of them may break off for a while.
        let behindSeek = frames.first { $0 > 1_500_000 }
        guard frames.first == 0, abs((behindSeek ?? 0) - 1_920_000) <= 2 else { return "\(runs)" }
        // The first engine was left within the first twenty seconds, and the second one begins there.
        let handOver = try #require(frames.dropFirst().first { $0 > 0 })
        let left = try #require(runs.first?.sourceEnd)
        return abs(handOver - left) < 9_600 ? nil : "left at frame \(left), went on at \(handOver): \(runs)"
    }

    @Test func whatOnlyAMixerCanIsRefusedInWords() async throws {
        let environment = AudioEnvironment(plugins: registry)
        let controller = environment.makeController(output: .wav(directory.file("out.wav"), .f32))
        let error = await #expect(throws: (any Error).self) { try await controller.selectEngine("mpv") }
        #expect(
            "\(String(describing: error))".contains("mpv plays to sound devices only"), "\(String(describing: error))")
    }
}
