import DescantCore
import DescantPlayback
import Foundation

/// What a ``ParityVector`` is played on.
protocol ParityStage: Sendable {
    /// What the ports and the format have.
    var abilities: Set<ParityVector.Requirement> { get }

    func makeService() throws -> DefaultPlaybackService
    func makeDecoder() throws -> any DecoderPort
    func makeTagReader() -> any TagReaderPort
    func makeTagWriter() -> any TagWriterPort

    /// Writes a fixture.
    ///
    /// - Returns: The file; one that does not exist for a path that names no sound.
    func file(_ name: String, _ fixture: ParityVector.Fixture, in folder: URL) throws -> URL

    /// What the decoder must give.
    func reference(of file: URL, _ sound: ParityVector.Sound) throws -> ParityReference
}

/// The decoded sound of a file.
struct ParityReference {
    /// Interleaved samples.
    var samples: [Float]
    /// Frames per second in Hz.
    var sampleRate: Int
    /// What the samples may differ more than a vector says, in steps of 16 bits.
    var tolerance: Float = 0
}

/// Plays a ``ParityVector`` on real or fake ports.
struct ParityRunner: Sendable {
    private let stage: any ParityStage
    private let folder: URL

    /// The time limit of a wait, in seconds.
    private static let limit = 60.0

    /// Prepares a runner.
    ///
    /// - Parameters:
    ///   - stage: The ports.
    ///   - folder: An empty folder for fixtures.
    init(_ stage: any ParityStage, in folder: URL) {
        (self.stage, self.folder) = (stage, folder)
    }

    /// Runs every case.
    ///
    /// - Parameter vector: The vector.
    /// - Returns: The failed assertions; empty for ports that keep parity.
    /// - Throws: When a service or a fixture cannot be made.
    func findings(of vector: ParityVector) async throws -> [String] {
        var collector = ParityFindings()
        collector.expectEqual(vector.version, "1.0", "\(vector.name): the form of the vector is known")
        for (number, test) in vector.testCases.enumerated() {
            let place = "\(vector.name), \(test.name)"
            if test.skipPlatform == "linux" {
                collector.expect(
                    test.skipReason?.isEmpty == false, "\(place): a skipped case has a reason", seen: "none")
            } else if stage.abilities.isSuperset(of: test.requires ?? []) {
                var found: ParityFindings?
                // On a busy machine an operation may come after the sound that it is meant for: in real time it is tried
                // again.
                for attempt in 0..<(stage.abilities.contains(.pacedOutput) ? 3 : 1) where found?.all != [] {
                    // Cases may change their files.
                    let folder = folder.appendingPathComponent("\(vector.name)-\(number)-\(attempt)")
                    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                    var findings = ParityFindings()
                    try await ParityCase(test, place, stage, vector.fixtures ?? [:], folder).run(into: &findings)
                    found = findings
                }
                if let found { collector.add(found) }
            }
        }
        return collector.all
    }

    fileprivate static func within(_ what: String, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: .seconds(limit))
                throw CoreError.ioError("\(what) did not come within \(Int(limit)) s")
            }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// One case of a vector, with a service of its own.
private final class ParityCase {
    private let test: ParityVector.TestCase
    private let place: String
    private let stage: any ParityStage
    private let fixtures: [String: ParityVector.Fixture]
    private let folder: URL
    private let service: DefaultPlaybackService
    private var files: [String: URL] = [:]
    private var loaded: String?
    private var errors: [Int: CoreError] = [:]

    init(
        _ test: ParityVector.TestCase, _ place: String, _ stage: any ParityStage,
        _ fixtures: [String: ParityVector.Fixture], _ folder: URL
    ) throws {
        (self.test, self.place, self.stage, self.fixtures, self.folder) = (test, place, stage, fixtures, folder)
        service = try stage.makeService()
    }

    func run(into collector: inout ParityFindings) async throws {
        defer { service.stop() }
        let throwing = test.assertions.filter { $0.type == "error_thrown" }.map(\.operation)
        var changes = service.stateUpdates.numbered
        for (index, operation) in test.operations.enumerated() {
            // A wait includes every change since the last operation that was not a wait.
            if !operation.action.hasPrefix("wait_") { changes = service.stateUpdates.numbered }
            do {
                try await perform(operation, changes)
            } catch let error as CoreError {
                errors[index] = error
                guard throwing.contains(index) || throwing.contains(nil) else {
                    // Later operations would test nothing more.
                    return collector.expect(
                        false, "\(place): operation \(index), \(operation.action), does not throw",
                        seen: Self.words(error))
                }
            }
        }
        for assertion in test.assertions { try check(assertion, into: &collector) }
    }

    // MARK: Files

    /// The fixture of an argument, and its file.
    private func fixture(_ argument: String) throws -> (fixture: ParityVector.Fixture, file: URL) {
        var (name, fixture) = ("path", ParityVector.Fixture.path(argument))
        if argument.hasPrefix("{"), argument.hasSuffix("}") {
            name = String(argument.dropFirst().dropLast())
            guard let listed = fixtures[name] else { throw ParityFormError(message: "no fixture is named \(name)") }
            fixture = listed
        }
        let file = try files[argument] ?? stage.file(name, fixture, in: folder)
        files[argument] = file
        return (fixture, file)
    }

    // MARK: Operations

    private func perform(
        _ operation: ParityVector.Operation, _ changes: AsyncStream<Numbered<PlaybackState>>
    ) async throws {
        let args = operation.args
        switch operation.action {
        case "load":
            let url = try need(args?.url, "url", operation)
            loaded = url
            try service.load(url: fixture(url).file)
        case "play": try service.play()
        case "pause": service.pause()
        case "stop": service.stop()
        case "seek": try service.seek(to: try need(args?.to, "to", operation))
        case "set_range":
            try service.setPlaybackRange(
                start: try need(args?.start, "start", operation), end: try need(args?.end, "end", operation))
        case "clear_range": service.clearPlaybackRange()
        case "set_volume": service.setVolume(try need(args?.volume, "volume", operation))
        case "wait_for_state": try await wait(for: try need(args?.state, "state", operation), changes)
        case "wait_for_position": try await wait(forPosition: try need(args?.target, "target", operation))
        case "write_tags":
            let file = try fixture(try need(args?.url, "url", operation)).file
            try stage.makeTagWriter().write(url: file, tags: try need(args?.tags, "tags", operation).bundle)
        default: throw ParityFormError(message: "the action \"\(operation.action)\" is not known")
        }
    }

    private func need<Value>(_ value: Value?, _ name: String, _ operation: ParityVector.Operation) throws -> Value {
        guard let value else { throw ParityFormError(message: "\(operation.action) needs \(name)") }
        return value
    }

    private func wait(for state: String, _ changes: AsyncStream<Numbered<PlaybackState>>) async throws {
        let service = service
        try await ParityRunner.within("the state \(state)") {
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
    private func wait(forPosition seconds: Double) async throws {
        let service = service
        try await ParityRunner.within("the position \(seconds) s") {
            while true {
                let rest = seconds - service.currentTime()
                guard rest > 0, ["playing", "buffering"].contains(Self.name(of: service.state)) else { return }
                try await Task.sleep(for: .seconds(max(0.001, rest)))
            }
        }
    }

    // MARK: Assertions

    private func check(_ assertion: ParityVector.Assertion, into collector: inout ParityFindings) throws {
        switch (assertion.type, assertion.expected) {
        case ("state_equals", .text(let state)):
            collector.expectEqual(Self.name(of: service.state), state, "\(place): the state")
        case ("error_thrown", _): checkError(assertion, into: &collector)
        case ("position_near", _):
            let (position, target) = (service.currentTime(), assertion.target ?? .nan)
            let tolerance = (assertion.toleranceMs ?? 1) / 1_000 + frame
            collector.expect(
                abs(position - target) <= tolerance, "\(place): the position",
                seen: "\(position) s instead of \(target) s")
        case ("duration_equals", .number(let expected)):
            let duration = service.duration()
            collector.expect(
                abs(duration - expected) <= frame, "\(place): the duration",
                seen: "\(duration) s instead of \(expected) s")
        case ("tags_equal", .tags(let expected)):
            let (_, file) = try fixture(try need(assertion.url ?? loaded, "url", assertion))
            var tags = try stage.makeTagReader().read(url: file)
            (tags.artworkData, tags.pictures, tags.technical) = (nil, nil, nil)
            collector.expectEqual(tags, expected.bundle, "\(place): the tags")
        case ("waveform_match", _):
            let (fixture, file) = try fixture(try need(assertion.url ?? loaded, "url", assertion))
            try checkSamples(
                of: file, try need(fixture.sound, "a fixture with sound", assertion), assertion, &collector)
        default: throw ParityFormError(message: "the assertion \"\(assertion.type)\" is not known, or expects nothing")
        }
    }

    private func need<Value>(_ value: Value?, _ name: String, _ assertion: ParityVector.Assertion) throws -> Value {
        guard let value else { throw ParityFormError(message: "\(assertion.type) needs \(name)") }
        return value
    }

    /// One frame of the file loaded last, in seconds.
    private var frame: Double {
        let rate = loaded.flatMap { try? fixture($0).fixture.sound?.sampleRate }
        return 1 / Double(rate ?? 44_100)
    }

    private func checkError(_ assertion: ParityVector.Assertion, into collector: inout ParityFindings) {
        let found = assertion.operation.map { index in errors[index].map { [$0] } ?? [] } ?? Array(errors.values)
        let (category, text) = (assertion.category ?? "", assertion.messageContains ?? "")
        collector.expect(
            found.contains { $0.code == category && (text.isEmpty || $0.message.contains(text)) },
            "\(place): the error\(assertion.operation.map { " of operation \($0)" } ?? "")",
            seen: "\(found.map(Self.words)) instead of \(category)\(text.isEmpty ? "" : " with \"\(text)\"")")
    }

    private func checkSamples(
        of file: URL, _ sound: ParityVector.Sound, _ assertion: ParityVector.Assertion,
        _ collector: inout ParityFindings
    ) throws {
        let reference = try stage.reference(of: file, sound)
        let (channels, rate) = (sound.channels, reference.sampleRate)
        let frames = Int((sound.duration * Double(rate)).rounded())
        let reader = try StreamReader(try stage.makeDecoder(), file)
        collector.expectEqual(reader.info.sampleRate, Double(rate), "\(place): the sample rate")
        collector.expectEqual(reader.info.channels, channels, "\(place): the channels")
        collector.expectEqual(
            Int((reader.info.duration * reader.info.sampleRate).rounded()), frames, "\(place): the announced frames")
        let first = Int(((assertion.from ?? 0) * Double(rate)).rounded())
        if assertion.from != nil { try reader.seek(Double(first) / Double(rate)) }
        let samples = try reader.readAll()
        collector.expectEqual(samples.count, (frames - first) * channels, "\(place): the samples from frame \(first)")
        let expected = reference.samples.dropFirst(first * channels)
        let difference = zip(samples, expected).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) } * 32_768
        collector.expect(
            difference <= (assertion.toleranceSamples ?? 1) + reference.tolerance,
            "\(place): the values from frame \(first)",
            seen: "a difference of \(difference) steps of 16 bits")
        // ffmpeg drops a part of the last block of Vorbis.
        collector.expect(
            expected.count + 2_048 * channels >= samples.count, "\(place): the reference is as long",
            seen: "\(expected.count) samples")
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

/// A vector that cannot be run as it is written.
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

    mutating func add(_ others: ParityFindings) { all += others.all }

    mutating func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, _ rule: String) {
        expect(value == expected, rule, seen: "\(value) instead of \(expected)")
    }
}
