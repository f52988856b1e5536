import DescantCore
import DescantPlayback
import Foundation

/// Plays a ``ParityVector`` on real or fake ports.
struct ParityRunner: Sendable {
    private let makeService: @Sendable () throws -> DefaultPlaybackService
    private let locate: @Sendable (String, ParityVector.Fixture) throws -> URL
    private let keepsTime: Bool

    /// The time limit of a wait, in seconds.
    private static let limit = 60.0

    /// Prepares a runner.
    ///
    /// - Parameters:
    ///   - keepsTime: Whether the output paces playback; otherwise cases that need it are skipped.
    ///   - locate: Provides the file of a fixture.
    ///   - makeService: Makes a service for every case.
    init(
        keepsTime: Bool, locate: @escaping @Sendable (String, ParityVector.Fixture) throws -> URL,
        makeService: @escaping @Sendable () throws -> DefaultPlaybackService
    ) {
        self.keepsTime = keepsTime
        self.locate = locate
        self.makeService = makeService
    }

    /// Runs every case.
    ///
    /// - Parameter vector: The vector.
    /// - Returns: The failed assertions; empty for ports that keep parity.
    /// - Throws: When a service or a fixture cannot be made.
    func findings(of vector: ParityVector) async throws -> [String] {
        var collector = ParityFindings()
        collector.expectEqual(vector.version, 1, "\(vector.name): the form of the vector is known")
        for test in vector.testCases where keepsTime || test.realTime != true {
            try await run(test, of: vector, into: &collector)
        }
        return collector.all
    }

    private func run(
        _ test: ParityVector.TestCase, of vector: ParityVector, into collector: inout ParityFindings
    ) async throws {
        let service = try makeService()
        defer { service.stop() }
        let expected = test.assertions.filter { $0.type == "error_thrown" }.map(\.operation)
        let place = "\(vector.name), \(test.name)"
        var errors: [Int: CoreError] = [:]
        var rate = 44_100.0
        var changes = service.stateUpdates.numbered
        for (index, operation) in test.operations.enumerated() {
            if let name = operation.args?.fixture, let fixture = vector.fixtures[name] {
                rate = Double(fixture.sampleRate)
            }
            // A wait includes every change since the last operation that was not a wait.
            if !operation.action.hasPrefix("wait_") { changes = service.stateUpdates.numbered }
            do {
                try await perform(operation, on: service, vector, changes)
            } catch let error as CoreError {
                errors[index] = error
                guard expected.contains(index) else {
                    // Later operations would test nothing more.
                    return collector.expect(
                        false, "\(place): operation \(index), \(operation.action), does not throw",
                        seen: Self.words(error))
                }
            }
        }
        for assertion in test.assertions {
            check(assertion, service, errors: errors, frame: 1 / rate, place, into: &collector)
        }
    }

    // MARK: Operations

    private func perform(
        _ operation: ParityVector.Operation, on service: DefaultPlaybackService, _ vector: ParityVector,
        _ changes: AsyncStream<Numbered<PlaybackState>>
    ) async throws {
        let args = operation.args
        switch operation.action {
        case "load":
            let name = try need(args?.fixture, "fixture", operation)
            let missing = URL(fileURLWithPath: "/nonexistent/\(name)")
            try service.load(url: try vector.fixtures[name].map { try locate(name, $0) } ?? missing)
        case "play": try service.play()
        case "pause": service.pause()
        case "stop": service.stop()
        case "seek": try service.seek(to: try need(args?.seconds, "seconds", operation))
        case "set_range":
            try service.setPlaybackRange(
                start: try need(args?.start, "start", operation), end: try need(args?.end, "end", operation))
        case "clear_range": service.clearPlaybackRange()
        case "set_volume": service.setVolume(try need(args?.volume, "volume", operation))
        case "wait_for_state": try await wait(for: try need(args?.state, "state", operation), service, changes)
        case "wait_for_position": try await wait(forPosition: try need(args?.seconds, "seconds", operation), service)
        default: throw ParityFormError(message: "the action \"\(operation.action)\" is not known")
        }
    }

    private func need<Value>(_ value: Value?, _ name: String, _ operation: ParityVector.Operation) throws -> Value {
        guard let value else { throw ParityFormError(message: "\(operation.action) needs \(name)") }
        return value
    }

    private func wait(
        for state: String, _ service: DefaultPlaybackService, _ changes: AsyncStream<Numbered<PlaybackState>>
    ) async throws {
        try await within("the state \(state)") {
            guard Self.name(of: service.state) != state else { return }
            for await change in changes where !change.isSnapshot {
                if Self.name(of: change.event) == state { return }
                // No state follows an error without a command.
                if case .error(let error) = change.event { throw error }
            }
        }
    }

    /// Positions are not events: after the time that the rest takes, the service is asked again. The end of the sound ends the
    /// wait as well.
    private func wait(forPosition seconds: Double, _ service: DefaultPlaybackService) async throws {
        try await within("the position \(seconds) s") {
            while true {
                let rest = seconds - service.currentTime()
                guard rest > 0, ["playing", "buffering"].contains(Self.name(of: service.state)) else { return }
                try await Task.sleep(for: .seconds(max(0.001, rest)))
            }
        }
    }

    private func within(_ what: String, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: .seconds(Self.limit))
                throw CoreError.ioError("\(what) did not come within \(Int(Self.limit)) s")
            }
            try await group.next()
            group.cancelAll()
        }
    }

    // MARK: Assertions

    private func check(
        _ assertion: ParityVector.Assertion, _ service: DefaultPlaybackService, errors: [Int: CoreError],
        frame: Double, _ place: String, into collector: inout ParityFindings
    ) {
        let tolerance = (assertion.tolerance ?? 0) + frame
        switch assertion.type {
        case "state_equals":
            collector.expectEqual(Self.name(of: service.state), assertion.state ?? "", "\(place): the state")
        case "error_thrown":
            let index = assertion.operation ?? -1
            let error = errors[index]
            collector.expect(
                error?.code == assertion.code ?? "", "\(place): the error of operation \(index)",
                seen: "\(error.map(Self.words) ?? "no error") instead of \(assertion.code ?? "")")
        case "position_near":
            let position = service.currentTime()
            collector.expect(
                abs(position - (assertion.seconds ?? .nan)) <= tolerance, "\(place): the position",
                seen: "\(position) s instead of \(assertion.seconds ?? .nan) s")
        case "duration_equals":
            let duration = service.duration()
            collector.expect(
                abs(duration - (assertion.seconds ?? .nan)) <= tolerance, "\(place): the duration",
                seen: "\(duration) s instead of \(assertion.seconds ?? .nan) s")
        default: collector.expect(false, "\(place): the assertion is known", seen: assertion.type)
        }
    }

    /// The text of an error for findings.
    private static func words(_ error: CoreError) -> String { "\(error.code): \(error.message)" }

    private static func name(of state: PlaybackState) -> String {
        switch state {
        case .stopped: "stopped"
        case .playing: "playing"
        case .paused: "paused"
        case .buffering: "buffering"
        case .error: "error"
        }
    }
}

/// A vector with an unknown operation.
struct ParityFormError: Error, CustomStringConvertible {
    var message: String
    var description: String { message }
}

/// The failed assertions.
struct ParityFindings {
    private(set) var all: [String] = []

    mutating func expect(_ condition: Bool, _ rule: String, seen: @autoclosure () -> String) {
        if !condition { all.append("\(rule): \(seen())") }
    }

    mutating func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, _ rule: String) {
        expect(value == expected, rule, seen: "\(value) instead of \(expected)")
    }
}
