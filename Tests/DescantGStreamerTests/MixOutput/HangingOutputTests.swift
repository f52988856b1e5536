import DescantCore
import DescantMixing
import DescantTestSupport
import DescantTesting
import Dispatch
import Synchronization
import Testing

@testable import DescantGStreamer

@Suite("Outputs of bundles that hang", .timeLimit(.minutes(5)))
struct HangingOutputTests {
    private static let stereo = PCMFormat(sampleRate: 48_000, channels: 2)

    /// An output that plays a constant tone to outputs of which the first one hangs.
    private static func output(
        _ stuck: StuckOutputs, _ events: EventRecorder<OutputEvent>
    ) throws -> GStreamerMixOutput {
        let output = try GStreamerMixOutput(
            format: stereo, destination: .port(name: "Tape", make: { try stuck.make() }))
        output.connect(source: ScriptedMixSource(layers: [.init(1) { _, _ in 0.25 }]), onEvent: events.record)
        return output
    }

    @Test("A render that hangs is a loss with a name; no other output is made before it returns, and then it plays on")
    func renderThatHangs() async throws {
        let (stuck, events) = (StuckOutputs(in: .render), EventRecorder<OutputEvent>())
        defer { stuck.release() }
        let output = try Self.output(stuck, events)
        try await output.start()
        let reason = try await events.first { if case .lost(let reason) = $0 { reason } else { nil } }
        #expect(reason == "Tape: it hangs: render has not returned for 2 s")
        let frame = output.heardFrame
        // Each attempt to go on would lose another thread.
        await #expect(throws: CoreError.ioError(reason)) { try await output.start() }
        #expect(stuck.made == 1)
        #expect(output.heardFrame == frame)
        stuck.release()
        _ = try await events.first { if case .restored = $0 { true } else { nil } }
        #expect(stuck.made == 2)
        await output.shutdown()
    }

    @Test("A start that hangs has its limit, and no other output is made before it returns")
    func startThatHangs() async throws {
        let (stuck, events) = (StuckOutputs(in: .start), EventRecorder<OutputEvent>())
        defer { stuck.release() }
        let output = try Self.output(stuck, events)
        await #expect(throws: CoreError.ioError("Tape: no answer within 5.0 s")) { try await output.start() }
        await #expect(throws: CoreError.ioError("Tape: it hangs: start has not returned for 2 s")) {
            try await output.start()
        }
        #expect(stuck.made == 1)
        await output.shutdown()
    }

    @Test("A stop that hangs keeps neither a release nor a shutdown, and no other output is made beside it")
    func stopThatHangs() async throws {
        let (stuck, events) = (StuckOutputs(in: .stop), EventRecorder<OutputEvent>())
        defer { stuck.release() }
        let output = try Self.output(stuck, events)
        try await output.start()
        await stuck.waitForSound()
        await output.suspend()
        // The release waits no longer than a second, in which a busy machine may not come to the stop.
        await stuck.waitUntilStuck()
        await #expect(throws: CoreError.ioError("Tape: it hangs: stop has not returned for 2 s")) {
            try await output.start()
        }
        #expect(stuck.made == 1)
        await output.shutdown()
        #expect(stuck.isStuck)
    }
}

/// Makes outputs of which the first one hangs in one of its calls until it is released.
private final class StuckOutputs: Sendable {
    enum Call { case start, render, stop }

    private struct State {
        var made = 0
        var isStuck = false
        var isReleased = false
    }

    private let call: Call
    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)
    private let sound = Promise<Void>()
    private let hang = Promise<Void>()

    init(in call: Call) { self.call = call }

    var made: Int { state.withLock(\.made) }
    /// Whether the call hangs now.
    var isStuck: Bool { state.withLock(\.isStuck) }

    func make() throws -> sending any AudioOutputPort {
        state.withLock { $0.made += 1 }
        return Output(self)
    }

    /// Waits until an output has got frames.
    func waitForSound() async { await sound.value }

    /// Waits until the call hangs.
    func waitUntilStuck() async { await hang.value }

    /// Lets the call return, and every later one.
    func release() {
        let isFirst = state.withLock { state in
            defer { state.isReleased = true }
            return !state.isReleased
        }
        if isFirst { gate.signal() }
    }

    private func enter(_ call: Call) {
        if call == .render { sound.resolve(()) }
        let hangs = state.withLock { state in
            state.isStuck = call == self.call && !state.isReleased
            return state.isStuck
        }
        guard hangs else { return }
        hang.resolve(())
        gate.wait()
        state.withLock { $0.isStuck = false }
    }

    private final class Output: AudioOutputPort {
        private let outputs: StuckOutputs

        init(_ outputs: StuckOutputs) { self.outputs = outputs }

        func configure(sampleRate: Double, channels: Int, framesPerBuffer: Int) {}
        func start() { outputs.enter(.start) }
        func stop() { outputs.enter(.stop) }

        func render(_ buffer: UnsafePointer<Float>, frameCount: Int) -> Int {
            outputs.enter(.render)
            return frameCount
        }
    }
}
