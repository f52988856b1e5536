public import DescantCore

/// Checks the rules that every adapter of a sound server must keep; see `AudioSessionPort` for the rules in full.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#session -->
/// ```swift
/// let contract = AudioSessionContract(port: MySession(), bench: myServer)
/// #expect(try await contract.findings() == [])
/// ```
public struct AudioSessionContract: Sendable {
    private let port: any AudioSessionPort
    private let bench: any AudioSessionBench
    private let clock: any ClockPort
    private let limit: Double

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - port: An adapter that was never activated, for a server without streams.
    ///   - bench: Controls that server.
    ///   - clock: Measures the limit.
    ///   - limit: The time after which an event that was not received counts as missing, in seconds.
    public init(
        port: any AudioSessionPort, bench: any AudioSessionBench, clock: any ClockPort = MonotonicClock(),
        limit: Double = 20
    ) {
        self.port = port
        self.bench = bench
        self.clock = clock
        self.limit = limit
    }

    /// Runs every check, one after the other. Afterwards the server is running and has no stream.
    ///
    /// - Returns: The broken rules; empty for an adapter that keeps the contract.
    /// - Throws: Only the errors of the bench.
    public func findings() async throws -> [ContractFinding] {
        var collector = FindingCollector()
        let events = await AudioSessionEvents(port.sessionEvents, clock: clock, limit: limit)
        await checkBefore(into: &collector)
        do {
            try await port.activate(AudioSessionConfiguration(role: .music))
            try await checkActive(into: &collector)
            try await checkOthers(events, into: &collector)
            try await checkRoutes(events, into: &collector)
            try await checkServer(events, into: &collector)
        } catch let error as CoreError {
            collector.expect(false, "an activation on a running server succeeds", seen: "\(error)")
        }
        await port.deactivate()
        await port.deactivate()
        try await checkRefusal(into: &collector)
        return collector.findings
    }

    private func checkBefore(into collector: inout FindingCollector) async {
        let situation = await port.situation
        collector.expectEqual(situation.ownStreamCount, 0, "there is no own stream before anything is played")
        await port.deactivate()
    }

    private func checkActive(into collector: inout FindingCollector) async throws {
        let situation = await port.situation
        collector.expect(situation.isServerAvailable, "an active session has a server", seen: "none")
        collector.expect(
            !situation.route.outputs.isEmpty, "the route is known when activation returns", seen: "no output")
        collector.expectEqual(situation.foreignStreams, [], "there is no other stream on the bench")
        collector.expectEqual(situation.ownStreamCount, 0, "activation alone creates no stream")
        try await port.activate(AudioSessionConfiguration(role: .music, options: .mixWithOthers))
        let again = await port.situation
        collector.expectEqual(again.route, situation.route, "activating again changes the options only")
    }

    private func checkOthers(_ events: AudioSessionEvents, into collector: inout FindingCollector) async throws {
        for role in [AudioRole.music, .phone] {
            try await bench.startOther(role)
            let began = await events.next {
                if case .streamBegan(let stream) = $0 { stream.role == role } else { false }
            }
            collector.expect(began != nil, "a \(role) stream of another program is reported", seen: "no event")
            let present = await port.situation
            collector.expect(
                present.foreignStreams.contains { $0.role == role }, "the situation includes a reported stream",
                seen: "\(present.foreignStreams)")
            collector.expect(
                present.secondaryAudioShouldBeSilencedHint, "a \(role) stream sets the hint to silence secondary audio",
                seen: "no hint")
            try await bench.stopOthers()
            let ended = await events.next {
                if case .streamEnded(let stream) = $0 { stream.role == role } else { false }
            }
            collector.expect(ended != nil, "the end of a \(role) stream is reported", seen: "no event")
            let after = await port.situation
            collector.expect(!after.isOtherAudioPlaying, "a stream that ended is gone", seen: "\(after.foreignStreams)")
        }
    }

    private func checkRoutes(_ events: AudioSessionEvents, into collector: inout FindingCollector) async throws {
        let before = await port.situation.route
        try await bench.changeDefaultDevice()
        let changed = await events.next { event in
            if case .routeChanged(let route, _) = event { route.outputs != before.outputs } else { false }
        }
        collector.expect(
            changed != nil, "a change of the default device is reported as a change of route", seen: "no event")
        let present = await port.situation.route
        collector.expect(present.outputs != before.outputs, "the situation has the new route", seen: "\(present)")
        try await bench.removeDevice()
        let gone = await events.next { event in
            if case .routeChanged(_, .oldDeviceUnavailable) = event { true } else { false }
        }
        collector.expect(gone != nil, "a removed device is reported as unavailable", seen: "no event")
    }

    private func checkServer(_ events: AudioSessionEvents, into collector: inout FindingCollector) async throws {
        try await bench.killServer()
        let lost = await events.next { if case .serverLost = $0 { true } else { false } }
        collector.expect(lost != nil, "the end of the server is reported", seen: "no event")
        collector.expect(
            await !port.situation.isServerAvailable, "the situation has no server after that", seen: "it has")
        try await bench.restartServer()
        var losses = 0
        let restored = await events.next { event in
            if case .serverLost = event { losses += 1 }
            return event == .serverRestored
        }
        collector.expect(restored != nil, "the return of the server is reported", seen: "no event")
        collector.expectEqual(losses, 0, "the loss of a server is reported once")
        let situation = await situation { $0.isServerAvailable && !$0.route.outputs.isEmpty }
        collector.expect(
            situation.isServerAvailable && !situation.route.outputs.isEmpty,
            "the situation is read again when the server is back", seen: "\(situation)")
    }

    /// Returns the first situation that meets a condition, because a server that has just started may get its devices later.
    /// Returns the last situation when none does in time.
    private func situation(where fits: (AudioSessionSnapshot) -> Bool) async -> AudioSessionSnapshot {
        let deadline = clock.now() + UInt64(limit * 1e9)
        var situation = await port.situation
        while !fits(situation), clock.now() < deadline {
            await Task.yield()
            situation = await port.situation
        }
        return situation
    }

    private func checkRefusal(into collector: inout FindingCollector) async throws {
        try await bench.killServer()
        await collector.expectError(["ioError"], "an activation without a server is an I/O error") {
            try await port.activate(AudioSessionConfiguration())
        }
        try await bench.restartServer()
        do {
            try await port.activate(AudioSessionConfiguration())
        } catch {
            collector.expect(false, "an activation succeeds after one was refused", seen: "\(error)")
        }
        await port.deactivate()
    }
}
