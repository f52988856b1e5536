import DescantCore
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantGStreamer

/// The audible sound, recorded from a private server. Every frame contains its own index, so missing and repeated frames are
/// found.
@Suite("PulseAudio output", .serialized)
struct PulseOutputTests {
    let stereo = PCMFormat(sampleRate: 48_000, channels: 2)
    let server: PrivatePulseServer

    init() throws { server = try PrivatePulseServer() }

    private func rampSource() -> ScriptedMixSource {
        ScriptedMixSource(layers: [
            .init(1) { frame, channel in RampCode.sample(of: frame, channel: channel, channels: 2) }
        ])
    }

    private func makeOutput(
        _ source: ScriptedMixSource, _ events: EventRecorder<OutputEvent>, latency: Double = 0.1
    ) throws -> GStreamerMixOutput {
        let output = try GStreamerMixOutput(
            format: stereo, destination: .pulse(latency: latency, server: server.address))
        output.connect(source: source, onEvent: events.record)
        return output
    }

    /// The runs of the ramp in a recording, without the silence around it.
    private func heardRuns(_ recording: SampleBuffer) -> [RampRun] {
        RampAnalysis.runs(in: recording).filter { $0.kind != .silence }
    }

    @Test("The monitor records what was rendered, from its first frame on")
    func playsWhatWasRendered() async throws {
        // A busy server or its recorder may drop a few milliseconds, and a server that answers late counts as lost; the
        // test then tries again.
        for attempt in 1...6 {
            let heard = try await play()
            if !heard.isWhole, attempt < 6 { continue }
            #expect(heard.isWhole, "\(heard)")
            return
        }
    }

    /// The recorded frames of a stream, the number of those that were rendered, and the heard position at its end.
    private struct Playing {
        var runs: [RampRun]
        var rendered: Int64
        var heard: Int64
        var losses: Int

        var isWhole: Bool {
            runs.count == 1 && runs.first?.kind == .source(0) && runs.first?.length == Int(rendered)
                && heard == rendered && losses == 0
        }
    }

    private func play() async throws -> Playing {
        let source = rampSource()
        let events = EventRecorder<OutputEvent>()
        let output = try makeOutput(source, events, latency: 0.5)
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await output.start()
        try await recording.wait(frames: recording.frameCount + 96_000)
        await output.suspend()
        let (rendered, heard) = (source.renderedFrames, output.heardFrame)
        try await recording.wait(frames: recording.frameCount + 24_000)
        await output.shutdown()
        return Playing(
            runs: heardRuns(SampleBuffer(stereo: await recording.stop())), rendered: rendered, heard: heard,
            losses: events.lossCount)
    }

    @Test("After a start the queue is short, and grows as it is heard")
    func queueGrows() async throws {
        let source = rampSource()
        let output = try makeOutput(source, EventRecorder(), latency: 0.5)
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await output.start()
        let short = Int64(0.25 * 48_000)
        var ahead: Int64 = 0
        while ahead < 16_800 {
            let rendered = source.renderedFrames
            let heard = output.heardFrame
            #expect(rendered - heard <= short + heard)
            ahead = rendered - heard
            try await recording.wait(frames: recording.frameCount + 480)
        }
        await output.shutdown()
        _ = await recording.stop()
    }

    /// A change that acted while the device was opened would be taken back by the next one.
    @Test("No change acts before an earlier one, also while a device is opened and changed")
    func framesOfChangesNeverDecrease() async throws {
        let output = try makeOutput(rampSource(), EventRecorder(), latency: 0.5)
        let isOver = EventCount()
        let changes = Task.detached { () -> [Int64] in
            var frames: [Int64] = []
            while isOver.raises == 0 {
                frames.append(output.change { $0 ?? -1 })
                await Task.yield()
            }
            return frames
        }
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await output.start()
        try await recording.wait(frames: recording.frameCount + 24_000)
        try await output.selectDevice(PrivatePulseServer.otherSink)
        try await recording.wait(frames: recording.frameCount + 24_000)
        isOver.raise()
        let frames = await changes.value
        await output.shutdown()
        _ = await recording.stop()
        let fallsAt = zip(frames, frames.dropFirst()).first { $0 > $1 }
        #expect(fallsAt == nil, "\(frames.count) changes, one at \(fallsAt?.0 ?? 0), the next at \(fallsAt?.1 ?? 0)")
    }

    @Test("A server that dies is reported, and playback continues when it is back: nothing skipped or doubled")
    func serverDiesAndReturns() async throws {
        // Output and recorder reconnect at the same time. A recorder that is late has missed the beginning, and one that was
        // killed with much unread data lacks the end; the test then tries again.
        for attempt in 1...4 {
            let gap = try await dieAndReturn()
            // Half a second was rendered ahead. The sink shows its monitor whole blocks before they are heard, the client
            // guesses the server's time between its reports, and the recorder loses its own buffer with the server.
            let isTight = (-4_800...9_600).contains(gap.start - gap.end)
            if gap.start > gap.lostAt + 1 || !isTight || gap.losses != 1, attempt < 4 { continue }
            #expect(gap.losses == 1)
            #expect(abs(gap.start - gap.lostAt) <= 1, "the new device begins where the listener was")
            #expect(isTight, "\(gap)")
            return
        }
    }

    /// The frames of a recording around the death and return of a server.
    private struct Gap {
        /// The heard position according to the output.
        var lostAt: Int64
        /// The last frame of the recording, and the first of the next one.
        var end: Int64
        var start: Int64
        /// One, unless a busy server was taken for one that hangs.
        var losses: Int
    }

    private func dieAndReturn() async throws -> Gap {
        let source = rampSource()
        let events = EventRecorder<OutputEvent>()
        let output = try makeOutput(source, events, latency: 0.5)
        let before = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await output.start()
        try await before.wait(frames: before.frameCount + 72_000)
        server.kill()
        let reason = try await events.first { if case .lost(let reason) = $0 { reason } else { nil } }
        #expect(reason.contains(server.address))
        let lostAt = output.heardFrame
        let heardBefore = heardRuns(SampleBuffer(stereo: await before.stop()))
        try server.start()
        let after = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        _ = try await events.first { if case .restored = $0 { true } else { nil } }
        try await after.wait(frames: after.frameCount + 48_000)
        #expect(output.heardFrame > lostAt)
        await output.shutdown()
        let heardAfter = heardRuns(SampleBuffer(stereo: await after.stop()))
        guard case .source(let start)? = heardAfter.first?.kind else {
            throw CoreError.invalidState("nothing was heard after the server returned: \(heardAfter)")
        }
        return Gap(
            lostAt: lostAt, end: try #require(heardBefore.last?.sourceEnd), start: start, losses: events.lossCount)
    }

    @Test("An output that was suspended while its server was away continues there when started again")
    func suspendedWhileLost() async throws {
        // A recorder may drop the first milliseconds; the test then tries again.
        for attempt in 1...4 {
            let (lostAt, runs) = try await suspendWhileLost()
            if runs.first?.kind != .source(lostAt), attempt < 4 { continue }
            #expect(runs.first?.kind == .source(lostAt))
            return
        }
    }

    /// - Returns: The heard position at the loss of the server, and the sound after its return.
    private func suspendWhileLost() async throws -> (lostAt: Int64, runs: [RampRun]) {
        let source = rampSource()
        let events = EventRecorder<OutputEvent>()
        let output = try makeOutput(source, events)
        try await output.start()
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await recording.wait(frames: recording.frameCount + 24_000)
        server.kill()
        _ = try await events.first { if case .lost(let reason) = $0 { reason } else { nil } }
        await output.suspend()
        let (heard, rendered) = (output.heardFrame, source.renderedFrames)
        await #expect(throws: CoreError.self) { try await output.start() }
        #expect(source.renderedFrames == rendered)
        try server.start()
        let after = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await output.start()
        _ = try await events.first { if case .restored = $0 { true } else { nil } }
        try await after.wait(frames: after.frameCount + 24_000)
        await output.shutdown()
        return (heard, heardRuns(SampleBuffer(stereo: await after.stop())))
    }

    @Test("An engine that is dropped while its server is away stops its attempts and releases everything")
    func droppedWhileLost() async throws {
        let events = EventRecorder<OutputEvent>()
        var output: GStreamerMixOutput? = try makeOutput(rampSource(), events)
        weak let dropped = output
        try await output?.start()
        #expect(Self.hasPulseThread)
        server.kill()
        _ = try await events.first { if case .lost(let reason) = $0 { reason } else { nil } }
        output = nil
        // An attempt that is running may end first. Its limit is 3 s.
        let limit = ContinuousClock.now + .seconds(120)
        while dropped != nil || Self.hasPulseThread, ContinuousClock.now < limit { await Task.yield() }
        #expect(dropped == nil)
        #expect(!Self.hasPulseThread)
    }

    /// Whether a connection to a sound server has a thread in this process.
    private static var hasPulseThread: Bool {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.contains { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8))?.hasPrefix("descant-pulse")
                == true
        }
    }

    @Test("A frozen server is detected, blocks no caller, and gets its sound when it is back")
    func frozenServer() async throws {
        let source = rampSource()
        let events = EventRecorder<OutputEvent>()
        let output = try makeOutput(source, events)
        try await output.start()
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await recording.wait(frames: recording.frameCount + 24_000)
        server.freeze()
        let clock = MonotonicClock()
        let called = clock.now()
        output.setVolume(0.5)
        output.setVolume(1)
        _ = output.heardFrame
        output.setMetering(levels: true, tap: false)
        output.setMetering(levels: false, tap: false)
        // A call that waits for the server would wait until the output gives it up, after 2 s.
        #expect(clock.now() - called < 2_000_000_000)
        _ = try await events.first { if case .lost(let reason) = $0 { reason } else { nil } }
        let rendered = source.renderedFrames
        server.thaw()
        _ = try await events.first { if case .restored = $0 { true } else { nil } }
        try await recording.wait(frames: recording.frameCount + 48_000)
        #expect(source.renderedFrames > rendered)
        await output.shutdown()
    }

    @Test("Stopping does not wait for a frozen server")
    func stoppingWhileFrozen() async throws {
        let events = EventRecorder<OutputEvent>()
        let output = try makeOutput(rampSource(), events)
        try await output.start()
        server.freeze()
        await output.suspend()
        await output.shutdown()
        server.thaw()
    }

    @Test("Starting on a frozen server ends with an error that names it")
    func startingWhileFrozen() async throws {
        let output = try makeOutput(rampSource(), EventRecorder())
        server.freeze()
        let error = await #expect(throws: CoreError.self) { try await output.start() }
        #expect(error?.message.contains(server.address) == true)
        await output.shutdown()
        server.thaw()
    }

    @Test("Sound moves to another device without losing a rendered sample")
    func switchesDevice() async throws {
        // A busy recorder may drop a few milliseconds at the beginning or the end, and a server that answers late
        // counts as lost; the test then tries again.
        for attempt in 1...4 {
            let heard = try await switchDevice()
            if !heard.isWhole, attempt < 4 { continue }
            #expect(heard.isWhole, "\(heard)")
            return
        }
    }

    /// The recorded frames of a stream that moved from one device to another, and their number.
    private struct Move {
        var first: [RampRun]
        var second: [RampRun]
        var rendered: Int64
        var losses: Int

        var isWhole: Bool {
            guard case .source(let start)? = second.first?.kind, let end = first.last?.sourceEnd else { return false }
            // Half a second was rendered ahead. What the first sink plays until it is closed is heard on both.
            return first.first?.kind == .source(0) && (-9_600...0).contains(start - end)
                && second.last?.sourceEnd == rendered && losses == 0
        }
    }

    private func switchDevice() async throws -> Move {
        let source = rampSource()
        let events = EventRecorder<OutputEvent>()
        let output = try makeOutput(source, events, latency: 0.5)
        let devices = try await output.devices()
        #expect(Set(devices.map(\.identifier)) == [PrivatePulseServer.defaultSink, PrivatePulseServer.otherSink])
        #expect(devices.filter(\.isDefault).map(\.identifier) == [PrivatePulseServer.defaultSink])
        let speakers = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let headphones = try await MonitorRecording(of: PrivatePulseServer.otherSink, on: server)
        try await output.start()
        try await speakers.wait(frames: speakers.frameCount + 48_000)
        try await output.selectDevice(PrivatePulseServer.otherSink)
        let device = try await events.first { if case .deviceChanged(let name) = $0 { name } else { nil } }
        #expect(device == PrivatePulseServer.otherSink)
        try await headphones.wait(frames: headphones.frameCount + 48_000)
        await output.suspend()
        let rendered = source.renderedFrames
        try await headphones.wait(frames: headphones.frameCount + 24_000)
        await output.shutdown()
        return Move(
            first: heardRuns(SampleBuffer(stereo: await speakers.stop())),
            second: heardRuns(SampleBuffer(stereo: await headphones.stop())), rendered: rendered,
            losses: events.lossCount)
    }

    @Test("A stream that follows the default moves with it")
    func followsDefault() async throws {
        let events = EventRecorder<OutputEvent>()
        let output = try makeOutput(rampSource(), events)
        try await output.start()
        // The first known device is not a change.
        let limit = ContinuousClock.now + .seconds(20)
        while output.state.withLock({ $0.deviceName }) == nil, ContinuousClock.now < limit { await Task.yield() }
        try server.setDefaultSink(PrivatePulseServer.otherSink)
        let device = try await events.first { if case .deviceChanged(let name) = $0 { name } else { nil } }
        #expect(device == PrivatePulseServer.otherSink)
        #expect(try await output.devices().first(where: \.isDefault)?.identifier == PrivatePulseServer.otherSink)
        await output.shutdown()
    }

    @Test("The server is told the speakers of the mix")
    func tellsItsSpeakers() async throws {
        let quad = PCMFormat(sampleRate: 48_000, channels: 4)
        let output = try GStreamerMixOutput(
            format: quad, destination: .pulse(latency: 0.1, server: server.address))
        output.connect(source: ScriptedMixSource(channels: 4, layers: [.init(1) { _, _ in 0.25 }])) { _ in }
        try await output.start()
        #expect(try await channelMaps() == ["front-left,front-right,rear-left,rear-right"])
        await output.shutdown()
    }

    /// The channel maps of the server's streams.
    private func channelMaps() async throws -> [String] {
        let pactl = Process()
        pactl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        pactl.arguments = [
            "LC_ALL=C.UTF-8", "pactl", "--server=\(server.address)", "--format=json", "list", "sink-inputs",
        ]
        let answer = Pipe()
        pactl.standardOutput = answer
        try pactl.run()
        let list = await answer.fileHandleForReading.allBytes()
        pactl.waitUntilExit()
        let streams = try JSONSerialization.jsonObject(with: list) as? [[String: Any]] ?? []
        return streams.compactMap { $0["channel_map"] as? String }
    }

    @Test("A missing device is refused, and playback continues")
    func unknownDevice() async throws {
        let events = EventRecorder<OutputEvent>()
        let output = try makeOutput(rampSource(), events)
        try await output.start()
        let error = await #expect(throws: CoreError.self) { try await output.selectDevice("moon") }
        #expect(error?.code == "notFound")
        #expect(events.lossCount == 0)
        await output.shutdown()
    }

    @Test("Without a server the error names it and a remedy")
    func noServer() async throws {
        server.kill()
        let output = try makeOutput(rampSource(), EventRecorder())
        let error = await #expect(throws: CoreError.self) { try await output.start() }
        #expect(error?.code == "ioError")
        #expect(error?.message.contains(server.address) == true)
        #expect(error?.message.contains("pulseaudio --start") == true)
        await #expect(throws: CoreError.self) { _ = try await output.devices() }
        await output.shutdown()
    }
}

extension EventRecorder<OutputEvent> {
    fileprivate var lossCount: Int { all.count { if case .lost = $0 { true } else { false } } }
}
