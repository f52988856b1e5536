import DescantCore
import DescantTesting
import Foundation

@testable import DescantPlayback

/// A service on fakes, with a sound whose frames contain their own index.
struct ServiceFixture {
    let scripted = ScriptedDecoder()
    var decoder: MemoryDecoder { scripted.base }
    let output: MemoryOutput
    let clock = ManualClock()
    let logger = RecordingLogger()
    let service: DefaultPlaybackService
    let sound: SampleBuffer
    let url = URL(fileURLWithPath: "/music/ramp.mem")

    init(
        seconds: Double = 3, sampleRate: Int = 44_100, pacing: OutputPacing = .none, capacity: Int = 16_384,
        fault: MemoryDecoder.Fault = .init(), session: AudioSessionCoordinator? = nil
    ) {
        output = MemoryOutput(pacing: pacing, capacity: capacity)
        sound = TestSignal.ramp(frames: Int(seconds * Double(sampleRate)), sampleRate: sampleRate).samples()
        scripted.base.register(sound, for: url, fault: fault)
        service = DefaultPlaybackService(
            audio: output, decoder: scripted, clock: clock, logger: logger, fileAccess: nil, session: session,
            limits: .patient)
    }

    /// Calls the service on another thread, as a call that waits must not keep one that tasks share.
    func calling<Result: Sendable>(_ body: @escaping @Sendable (DefaultPlaybackService) throws -> Result) async throws
        -> Result
    {
        try await Self.calling { [service] in try body(service) }
    }

    static func calling<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DedicatedQueue.run("call") { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    /// Waits until the service is in a state.
    func wait(for state: PlaybackState) async throws {
        let updates = service.stateUpdates
        try await Self.within {
            for await present in updates where present == state { return }
        }
    }

    /// Waits until the output has taken frames.
    func wait(forFrames frames: Int) async throws {
        let output = output
        try await Self.within { await output.waitForFrames(frames) }
    }

    /// Plays the pending frames of the output repeatedly until the service is in a state.
    func playOut(until state: PlaybackState) async throws {
        let (service, output, clock) = (service, output, clock)
        try await Self.within {
            while service.state != state {
                try Task.checkCancellation()
                output.play(frames: .max)
                clock.advance(by: 20_000_000)
                await Task.yield()
            }
        }
    }

    static func within(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: .seconds(300))
                throw Overdue()
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// An operation did not end within the time limit.
    struct Overdue: Error {}
}

extension DecoderLimits {
    /// Limits for calls that wait for the test. A busy machine may delay the test for longer than a decoder may take.
    static var patient: DecoderLimits { DecoderLimits(open: 600, read: 600, seek: 600, close: 600) }
}
