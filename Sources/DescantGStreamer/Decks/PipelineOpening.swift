internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Opens a source: runs a pipeline until its first sample, an error, its end or a time limit.
///
/// Calls that may block run on queues; the caller waits in a continuation, or blocks.
final class PipelineOpening: Sendable {
    typealias Receiver = @Sendable (Result<OpenedDeck, any Error>) -> Void

    /// What is known about a link of a chained Ogg file.
    struct Link: Sendable {
        var length: ExactLength
        /// The format of the chain; `nil` for the first link, which determines it.
        var format: PCMFormat?
    }

    private struct Candidate {
        var deck: PlaybinDeck
        var description: TrackDescription
        var shape: PlaybinPipeline.SourceShape
    }

    private struct State {
        var receiver: Receiver?
        var pipelines: [PlaybinPipeline] = []
        /// The pipelines whose error was answered with another attempt. They may still win, but fail no more.
        var replaced: [PlaybinPipeline] = []
        /// The deck of a pipeline with a sample, until it has its first frame.
        var candidate: Candidate?
        /// The opening of the first link of a chain.
        var firstLink: PipelineOpening?
        var isResolved = false
        /// Whether the semaphore has to be released.
        var isInside = false
        /// The number of redirections.
        var redirections = 0

        func isReplaced(_ pipeline: PlaybinPipeline) -> Bool { replaced.contains { $0 === pipeline } }
    }

    private let source: AudioSource
    private let access: @Sendable () -> NetworkAccess
    private let channels: Int?
    private let link: Link?
    private let checkDelays: [Double]
    private let timeLimit: Double
    private let onEvent: @Sendable (DeckEvent) -> Void
    private let state = Mutex(State())

    private static let preparation = "descant.deck.preparation"

    /// Limits concurrent openings of local sources. Network sources do not count: a slow server must not delay a file.
    private static let openings = AsyncSemaphore(limit: max(4, ProcessInfo.processInfo.activeProcessorCount))

    /// - Parameters:
    ///   - source: What to open.
    ///   - access: The credentials and headers of network sources.
    ///   - channels: The channels of the deck; `nil` for those of the source.
    ///   - link: What is known when the source is a link of a chain.
    ///   - checkDelays: Seconds before each check of a pipeline without a sample or an error; the last value repeats.
    ///   - onEvent: Receives what becomes known later.
    init(
        _ source: AudioSource, access: @escaping @Sendable () -> NetworkAccess, channels: Int?, link: Link? = nil,
        checkDelays: [Double] = PipelineOpening.checkDelays, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) {
        self.source = source
        self.access = access
        self.channels = channels
        self.link = link
        self.checkDelays = checkDelays
        self.onEvent = onEvent
        if case .url(let url) = source, !url.isFileURL {
            timeLimit = GStreamerDecks.networkTimeLimit
        } else {
            timeLimit = GStreamerDecks.localTimeLimit
        }
    }

    /// Opens and waits for the first sample.
    ///
    /// - Throws: `CoreError` naming the source; `CancellationError` when the task was cancelled.
    func run() async throws -> OpenedDeck {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin { continuation.resume(with: $0) }
            }
        } onCancel: {
            self.resolve(.failure(CancellationError()))
        }
    }

    /// As ``run()``, but blocks the calling thread.
    func runBlocking() throws -> OpenedDeck {
        let outcome = Mutex<Result<OpenedDeck, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        begin { result in
            outcome.withLock { $0 = result }
            isDone.signal()
        }
        isDone.wait()
        guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }

    /// Opens in the background.
    ///
    /// - Parameter receiver: Receives the result on any thread.
    func begin(_ receiver: @escaping Receiver) {
        let wasCancelled = state.withLock { state in
            if !state.isResolved { state.receiver = receiver }
            return state.isResolved
        }
        if wasCancelled { return receiver(.failure(CancellationError())) }
        if isGated { Self.openings.acquire { [self] in passGate() } } else { launch() }
    }

    /// Ends the opening; nobody receives a result any more.
    func abandon() {
        state.withLock { $0.receiver = nil }
        resolve(.failure(CancellationError()))
    }

    private func passGate() {
        let isWanted = state.withLock { state in
            state.isInside = !state.isResolved
            return state.isInside
        }
        if isWanted { launch() } else { Self.openings.release() }
    }

    private func launch() {
        DedicatedQueue.run(Self.preparation) { [self] in prepare() }
        // On another queue than that of the work, which may be stuck.
        DedicatedQueue.run(after: timeLimit) { [weak self] in self?.timeIsUp() }
    }

    /// Whether the opening counts towards the limit. Hosts' bytes and servers may be slow and do not; the opening of a chain counts
    /// for its first link.
    private var isGated: Bool {
        switch source {
        case .url, .data: !isOnNetwork && link == nil
        case .bytes, .pcm: false
        }
    }

    private var isOnNetwork: Bool {
        if case .url(let url) = source { !url.isFileURL } else { false }
    }

    /// Resolves the source and builds the pipeline.
    private func prepare(at address: URL? = nil, isHeldBack: Bool = false) {
        guard !state.withLock({ $0.isResolved }) else { return }
        do {
            try GStreamerRuntime.start()
            var resolved = try ResolvedSource(source, access: access(), address: address)
            resolved.network?.isHeldBack = isHeldBack
            resolved.exactLength = link?.length ?? resolved.exactLength
            if openChain(resolved) { return }
            let pipeline = try PlaybinPipeline(resolved, channels: channels, as: link?.format)
            let isWanted = state.withLock { state in
                if !state.isResolved { state.pipelines.append(pipeline) }
                return !state.isResolved
            }
            guard isWanted else { return pipeline.tearDown() }
            pipeline.queue.async { [self, resolved] in start(pipeline, resolved) }
        } catch {
            resolve(.failure(error))
        }
    }

    /// Reads the headers of fed bytes, then starts the pipeline. Runs on the pipeline's queue.
    private func start(_ pipeline: PlaybinPipeline, _ resolved: ResolvedSource) {
        if let problem = pipeline.problemOfStream {
            return resolve(.failure(ErrorMapping.coreError(.refused(problem), name: resolved.name, position: nil)))
        }
        var resolved = resolved
        resolved.exactLength = resolved.exactLength ?? pipeline.readStreamLength()
        // Nothing observes the pipeline yet, and no later error of it is told when there was one.
        if let failure = pipeline.monitor.failure {
            return resolve(.failure(ErrorMapping.coreError(failure, name: resolved.name, position: nil)))
        }
        guard !state.withLock({ $0.isResolved }), !openChain(resolved) else { return }
        pipeline.monitor.observe { [self, resolved] in receive($0, in: $1, pipeline, resolved) }
        pipeline.start()
        // Checks begin here: the reading of headers may take long and is not a stall.
        if !isOnNetwork { check(pipeline, 0) }
    }

    private func timeIsUp() {
        resolve(
            .failure(
                CoreError.ioError("\(source.name) gave no sound within \(Int(timeLimit)) s, the limit for opening")))
    }

    /// Ends the opening once. The pipelines that are not used are torn down in the background.
    private func resolve(_ result: Result<OpenedDeck, any Error>, winner: PlaybinPipeline? = nil) {
        let before = state.withLock { state in
            defer { state = State(isResolved: true) }
            return state
        }
        guard !before.isResolved else {
            // A deck that comes too late.
            if case .success(let opened) = result { opened.deck.close() }
            return
        }
        before.firstLink?.abandon()
        for pipeline in before.pipelines where pipeline !== winner {
            pipeline.interrupt()
            pipeline.queue.async { pipeline.tearDown() }
        }
        if before.isInside { Self.openings.release() }
        before.receiver?(result)
    }

    /// Opens a chained Ogg file by its first link.
    ///
    /// - Returns: Whether the source is a chain.
    private func openChain(_ resolved: ResolvedSource) -> Bool {
        guard let links = resolved.exactLength?.links, !links.isEmpty else { return false }
        do {
            let chain = ChainOpening(try ChainBytes(source), links, channels: channels)
            let first = chain.open(0, as: nil)
            let isWanted = state.withLock { state in
                if !state.isResolved { state.firstLink = first }
                return !state.isResolved
            }
            if isWanted { first.begin { [self] in resolve(chain.join(first: $0, onEvent: onEvent)) } }
        } catch {
            resolve(.failure(error))
        }
        return true
    }
}

// MARK: Stalled pipelines

extension PipelineOpening {
    /// Seconds before each check of a pipeline without a sample or an error; the last value repeats.
    ///
    /// GStreamer 1.22 loses errors while decodebin is connecting a demuxer, such as that of an MP4 file without an index. The demuxer
    /// then stops, and the pipeline would wait for ever. A second start takes another path.
    static let checkDelays = [0.04, 0.06, 0.1, 0.2, 0.4, 0.7]

    /// The time between two equal snapshots of a stalled pipeline, in seconds. A short file that was read and is not
    /// decoded yet looks stalled, too. GStreamer 1.22 fails or crashes when it is restarted while a decoder is being
    /// connected.
    private static let snapshotInterval = 0.04

    /// How often a pipeline is restarted at least before the file counts as damaged: a slow start uses up checks without a restart.
    private static let neededRestarts = 3

    private func check(_ pipeline: PlaybinPipeline, _ index: Int) {
        DedicatedQueue.run(after: checkDelays[min(index, checkDelays.count - 1)]) { [weak self, weak pipeline] in
            guard let self, let pipeline, !state.withLock({ $0.isResolved }) else { return }
            guard let snapshot = pipeline.stallSnapshot else { return check(pipeline, index + 1) }
            DedicatedQueue.run(after: Self.snapshotInterval) { [weak self, weak pipeline] in
                guard let self, let pipeline else { return }
                pipeline.queue.async { [self] in restart(pipeline, from: snapshot, index) }
            }
        }
    }

    /// Restarts a stalled pipeline. Runs on the pipeline's queue. A sample of the previous run is decoded again.
    private func restart(_ pipeline: PlaybinPipeline, from snapshot: PlaybinPipeline.StallSnapshot, _ index: Int) {
        guard !state.withLock({ $0.isResolved }) else { return }
        if pipeline.stallSnapshot == snapshot {
            let isLastCheck = index >= checkDelays.count - 1 && snapshot.run >= Self.neededRestarts
            guard !isLastCheck else { return resolve(.failure(stalled)) }
            pipeline.restart(isUnsure: true)
        }
        check(pipeline, index + 1)
    }

    private var stalled: CoreError {
        .decodeError("\(source.name) is damaged: its demuxer stops without an error")
    }
}

// MARK: What the pipeline reports

extension PipelineOpening {
    /// Handles an event on a streaming thread, without blocking.
    private func receive(
        _ event: PlaybinMonitor.Event, in run: Int, _ pipeline: PlaybinPipeline, _ resolved: ResolvedSource
    ) {
        switch event {
        case .sample: afterwards(in: run, of: pipeline) { $0.succeed(pipeline, resolved) }
        // The samples before the error are played; the deck then ends with the error.
        case .failed where pipeline.monitor.hasSample:
            afterwards(in: run, of: pipeline) { $0.succeed(pipeline, resolved) }
        case .failed(let failure):
            if follow(pipeline, from: resolved) { return }
            if tryHoldingBack(after: failure, pipeline, resolved) { return }
            let error = ErrorMapping.coreError(failure, name: resolved.name, position: nil)
            guard let network = resolved.network,
                ServerCertificate.isSuspect(failure, network.request.url, response: pipeline.monitor.response)
            else { return resolve(.failure(error)) }
            DedicatedQueue.run(Self.preparation) { [self] in
                let problem = ServerCertificate.problem(
                    at: network.request.url, timeLimit: network.timeLimit, name: resolved.name)
                resolve(.failure(problem ?? error))
            }
        case .endOfStream: afterwards(in: run, of: pipeline) { $0.endedWithoutSample(pipeline, resolved) }
        case .prerolled: afterwards(in: run, of: pipeline) { $0.checkForSound(pipeline) }
        case .tagsChanged, .durationChanged, .buffering: break
        }
    }

    /// Continues on the queue, unless the pipeline was restarted meanwhile: it then knows neither length nor streams.
    private func afterwards(
        in run: Int, of pipeline: PlaybinPipeline, _ work: @escaping @Sendable (PipelineOpening) -> Void
    ) {
        pipeline.queue.async { [self] in if pipeline.monitor.run == run { work(self) } }
    }

    /// The maximum number of redirections.
    private static let maximumRedirections = 10

    /// Follows a redirection, with the headers and credentials of the new address.
    ///
    /// - Returns: Whether the response was a redirection.
    private func follow(_ pipeline: PlaybinPipeline, from resolved: ResolvedSource) -> Bool {
        guard let response = pipeline.monitor.response, (300..<400).contains(response.status),
            let location = response.location,
            let address = URL(string: location, relativeTo: resolved.network?.request.url)?.absoluteURL,
            ["http", "https"].contains(address.scheme?.lowercased())
        else { return false }
        let count = state.withLock { state in
            state.redirections += 1
            state.replaced.append(pipeline)
            return state.redirections
        }
        guard count <= Self.maximumRedirections else {
            let text = "\(source.name): the server redirects more than \(Self.maximumRedirections) times"
            resolve(.failure(CoreError.ioError(text)))
            return true
        }
        DedicatedQueue.run(Self.preparation) { [self] in prepare(at: address) }
        return true
    }

    /// Retries a connection that was lost before the first sample. The source reads ahead as fast as it can, and its
    /// error stops a pipeline that is still starting. A source that is held back does not get to the loss before the first
    /// sample is decoded.
    ///
    /// - Returns: Whether another attempt is made.
    private func tryHoldingBack(
        after failure: DeckFailure, _ pipeline: PlaybinPipeline, _ resolved: ResolvedSource
    ) -> Bool {
        guard case .stream(let stream) = failure, stream.isLostConnection, pipeline.monitor.hasContent,
            let network = resolved.network, !network.isHeldBack
        else { return false }
        state.withLock { $0.replaced.append(pipeline) }
        DedicatedQueue.run(Self.preparation) { [self] in prepare(at: network.request.url, isHeldBack: true) }
        return true
    }

    /// Fails without an audio stream. Between two links of a chained Ogg file playbin lists no stream; caps at the sink
    /// count as well.
    private func checkForSound(_ pipeline: PlaybinPipeline) {
        if pipeline.audioStreamCount == 0, pipeline.sourceShape == nil { fail(noSound(pipeline), of: pipeline) }
    }

    private func endedWithoutSample(_ pipeline: PlaybinPipeline, _ resolved: ResolvedSource) {
        if let failure = pipeline.monitor.failure {
            return fail(ErrorMapping.coreError(failure, name: resolved.name, position: nil), of: pipeline)
        }
        if pipeline.sourceShape == nil { return fail(noSound(pipeline), of: pipeline) }
        if state.withLock({ $0.candidate != nil }) { return succeed(pipeline, resolved) }
        fail(CoreError.withoutSound(source.name), of: pipeline)
    }

    /// Ends the opening with an error, unless another attempt has answered that of the pipeline: behind its error, a
    /// source sends its end.
    private func fail(_ error: CoreError, of pipeline: PlaybinPipeline) {
        if !state.withLock({ $0.isReplaced(pipeline) }) { resolve(.failure(error)) }
    }

    private func noSound(_ pipeline: PlaybinPipeline) -> CoreError {
        ErrorMapping.missing(pipeline.monitor.missing, name: source.name)
    }

    /// Completes the opening when the deck has its first frame, which may need a later sample: a codec's delay is
    /// skipped. With a sample, the stream's format and its first tags are known. Runs on the pipeline's queue.
    private func succeed(_ pipeline: PlaybinPipeline, _ found: ResolvedSource) {
        guard !state.withLock({ $0.isResolved }), let candidate = candidate(pipeline, found) else { return }
        switch candidate.deck.conditionOfFirstFrame() {
        case .starved: return
        case .ended, .truncated: return fail(CoreError.withoutSound(source.name), of: pipeline)
        case .failed(let error): return fail(error, of: pipeline)
        case .complete, nil: break
        }
        let opened = OpenedDeck(
            deck: candidate.deck, name: found.name,
            sourceFormat: PCMFormat(sampleRate: candidate.shape.sampleRate, channels: candidate.shape.channels),
            track: candidate.description.track, decoder: "gstreamer",
            decoderReason: "GStreamer decodes everything that no plugin takes")
        DeckEventForwarder.attach(
            to: candidate.deck, resolved: found, shape: candidate.shape, first: candidate.description, onEvent: onEvent)
        resolve(.success(opened), winner: pipeline)
    }

    private func candidate(_ pipeline: PlaybinPipeline, _ found: ResolvedSource) -> Candidate? {
        let (known, isReplaced) = state.withLock { ($0.candidate, $0.isReplaced(pipeline)) }
        if let known, known.deck.pipeline === pipeline { return known }
        // The next attempt has brought a sample.
        if known != nil, isReplaced { return nil }
        guard let shape = pipeline.sourceShape else { return nil }
        let description = TrackDescription(resolved: found, pipeline: pipeline, shape: shape)
        let deck = PlaybinDeck(
            name: found.name, pipeline: pipeline, sampleRate: shape.sampleRate, length: description.length,
            extent: found.exactLength?.scaled(to: shape.sampleRate),
            // FLAC states its length in its header and has no padding.
            isPadded: description.track.format.codec != "FLAC",
            reconnectLimit: found.network == nil ? 0 : access().reconnectLimit)
        let made = Candidate(deck: deck, description: description, shape: shape)
        state.withLock { if !$0.isResolved { $0.candidate = made } }
        return made
    }
}
