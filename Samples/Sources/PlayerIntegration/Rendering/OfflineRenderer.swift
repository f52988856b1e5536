public import Descant
internal import Foundation

/// Plays a playlist into a file, as fast as the machine can.
public struct OfflineRenderer: Sendable {
    private let environment: AudioEnvironment

    /// Creates a renderer.
    ///
    /// - Parameter environment: Which plugins and decoders there are.
    public init(environment: AudioEnvironment) { self.environment = environment }

    /// Renders.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - progress: Receives the seconds rendered so far, a few times a second.
    /// - Returns: What was rendered. The output is renamed to its name when it is complete; until then an existing file
    ///   is kept.
    /// - Throws: ``RenderFailure``, `CancellationError`, `ConfigurationError` for options outside their ranges, `CoreError` when the output cannot
    ///   be made or written.
    public func render(_ request: RenderRequest, progress: @Sendable (Double) -> Void = { _ in }) async throws
        -> RenderReport
    {
        let began = ContinuousClock.now
        try check(request)
        let inspected = try await inspect(request.inputs)
        guard let first = inspected.infos.first?.sourceFormat else {
            throw RenderFailure.noInput(emptyReport(request, errors: inspected.failures))
        }
        let isMono = inspected.infos.allSatisfy { $0.sourceFormat.channels == 1 }
        let format = PCMFormat(
            sampleRate: request.sampleRate ?? Self.mixRate(of: first.sampleRate),
            channels: request.channels ?? (isMono ? 1 : 2))
        try request.checkRoom(for: inspected.infos, in: format)
        let file = try Self.output { try PendingFile(request.output, followsLinks: request.followsLinks) }
        var finished = false
        defer { if !finished { file.discard() } }
        let engine = try environment.makeEngine(output: request.destination(file.partial), format: format)
        let session = RenderSession(engine: engine, environment: environment, request: request, tracks: inspected.urls)
        do {
            try await session.run(progress: progress)
        } catch {
            await engine.shutdown()
            throw file.named(error)
        }
        await engine.shutdown()
        var report = emptyReport(request, errors: inspected.failures + session.failures)
        guard session.rendered > 0 else {
            for url in inspected.urls where !report.errors.contains(where: { $0.url == url.shownAddress }) {
                report.errors.append(Self.silence(url))
            }
            throw RenderFailure.noInput(report)
        }
        report.sampleRate = format.sampleRate
        report.channels = format.channels
        report.frames = session.rendered
        report.seconds = format.seconds(of: session.rendered)
        report.tracks = session.log.tracks
        report.transitions = session.log.transitions
        report.events = session.log.events
        do {
            let measurement =
                try await request.writesFLAC
                ? FileMeasurement(decoding: file.partial, format: format) : FileMeasurement(of: file.partial)
            measurement.fill(&report)
        } catch {
            throw file.named(error)
        }
        try Self.output { try file.keep() }
        finished = true
        report.wallSeconds = (ContinuousClock.now - began) / .seconds(1)
        return report
    }

    /// The rate at which a source is mixed: its own, or the smallest multiple of it that a mix can have.
    private static func mixRate(of rate: Int) -> Int {
        rate < 8_000 ? (8_000 + rate - 1) / rate * rate : min(rate, 768_000)
    }

    private static func output<Value>(_ work: () throws -> Value) throws -> Value {
        do { return try work() } catch let error as InputError { throw CoreError.ioError(error.description) }
    }

    private static func silence(_ url: URL) -> RenderReport.Failure {
        let error = CoreError.decodeError("\(url.shownAddress) opens, but not one frame of it can be decoded")
        return .init(url: url.shownAddress, code: error.code, message: error.description)
    }

    private func check(_ request: RenderRequest) throws {
        try request.options.configuration.validate()
        guard (0.5...3).contains(request.options.rate) else {
            throw RenderFailure.usage("rate \(request.options.rate): use 0.5 to 3")
        }
        guard !request.options.isEndless else {
            throw RenderFailure.usage("this render would never end: say how often to repeat, or when to stop")
        }
        let sources = request.inputs + request.options.filesBeside
        let output = request.output.resolvingSymlinksInPath().path
        if let same = sources.first(where: { $0.isFileURL && $0.resolvingSymlinksInPath().path == output }) {
            throw RenderFailure.usage("the output \(same.path) is one of the inputs; it would be overwritten")
        }
    }

    /// Opens every input once, because the output's format depends on all of them. Inputs that cannot be opened are skipped.
    private func inspect(_ urls: [URL]) async throws -> (
        urls: [URL], infos: [DeckInfo], failures: [RenderReport.Failure]
    ) {
        let inspector = try StreamInspector(environment: environment)
        var good: [URL] = []
        var infos: [DeckInfo] = []
        var failures: [RenderReport.Failure] = []
        for url in urls {
            do {
                infos.append(try await inspector.inspect(url))
                good.append(url)
            } catch let error as CoreError {
                failures.append(.init(url: url.shownAddress, code: error.code, message: error.description))
            }
        }
        await inspector.close()
        return (good, infos, failures)
    }

    private func emptyReport(_ request: RenderRequest, errors: [RenderReport.Failure]) -> RenderReport {
        RenderReport(
            output: request.output.path, sampleRate: request.sampleRate ?? 0, channels: request.channels ?? 0,
            frames: 0,
            peak: nil, tracks: [], transitions: [], events: [], errors: errors, seconds: 0, loudnessLUFS: nil,
            wallSeconds: 0)
    }
}
