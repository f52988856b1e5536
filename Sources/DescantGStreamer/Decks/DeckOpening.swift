internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Foundation
internal import Synchronization

/// One attempt to open a source: runs a pipeline until its first sample, an error, its end or a time limit.
///
/// Everything that may block runs on queues; the caller waits in a continuation, or blocks.
final class DeckOpening: Sendable {
    private typealias Receiver = @Sendable (Result<OpenedDeck, any Error>) -> Void

    private struct Candidate {
        var deck: PlaybinDeck
        var description: TrackDescription
        var shape: PlaybinPipeline.SourceShape
    }

    private struct State {
        var receiver: Receiver?
        var pipelines: [PlaybinPipeline] = []
        /// The deck of a pipeline that has brought a sample, until it has a frame to play.
        var candidate: Candidate?
        var isResolved = false
        /// Whether a place in the gate is to be given back.
        var isInside = false
        /// How often a server has sent us elsewhere.
        var redirections = 0
    }

    private let source: AudioSource
    private let access: @Sendable () -> NetworkAccess
    private let channels: Int?
    private let looks: [Double]
    private let timeLimit: Double
    private let onEvent: @Sendable (DeckEvent) -> Void
    private let state = Mutex(State())

    private static let preparation = "descant.deck.preparation"

    /// For sources of this machine: a server that lets many wait must not hold up a file.
    private static let openings = AsyncSemaphore(limit: max(4, ProcessInfo.processInfo.activeProcessorCount))

    /// - Parameters:
    ///   - source: What to open.
    ///   - access: How a network source is reached.
    ///   - channels: The channels that the deck delivers; `nil` for the source's own.
    ///   - looks: Seconds before each look at a pipeline that has neither sound nor error; the last is repeated.
    ///   - onEvent: Receives what becomes known later.
    init(
        _ source: AudioSource, access: @escaping @Sendable () -> NetworkAccess, channels: Int?,
        looks: [Double] = DeckOpening.looks, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) {
        self.source = source
        self.access = access
        self.channels = channels
        self.looks = looks
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

    /// As ``run()``, for callers that have a thread to block.
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

    private func begin(_ receiver: @escaping Receiver) {
        let wasCancelled = state.withLock { state in
            if !state.isResolved { state.receiver = receiver }
            return state.isResolved
        }
        if wasCancelled { return receiver(.failure(CancellationError())) }
        if isGated { Self.openings.acquire { [self] in passGate() } } else { launch() }
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
        // Not on the queue that does the work: that one may be what is stuck.
        DedicatedQueue.run(after: timeLimit) { [weak self] in self?.timeIsUp() }
    }

    /// Whether the opening waits for its turn: bytes of the host and servers may take as long as they like.
    private var isGated: Bool {
        switch source {
        case .url, .data: !isOnNetwork
        case .bytes, .pcm: false
        }
    }

    private var isOnNetwork: Bool {
        if case .url(let url) = source { !url.isFileURL } else { false }
    }

    /// Looks at the file and makes the elements.
    private func prepare(at address: URL? = nil, readsAheadLittle: Bool = false) {
        do {
            try GStreamerRuntime.start()
            var material = try ResolvedSource(source, access: access(), address: address)
            material.network?.readsAheadLittle = readsAheadLittle
            let pipeline = try PlaybinPipeline(material, channels: channels)
            let isWanted = state.withLock { state in
                if !state.isResolved { state.pipelines.append(pipeline) }
                return !state.isResolved
            }
            guard isWanted else { return pipeline.tearDown() }
            pipeline.queue.async { [self, material] in start(pipeline, material) }
        } catch {
            resolve(.failure(error))
        }
    }

    /// On the queue: reads the headers that only the host can give, then lets the pipeline run.
    private func start(_ pipeline: PlaybinPipeline, _ material: ResolvedSource) {
        var material = material
        material.exactLength = material.exactLength ?? pipeline.readFedLength()
        guard !state.withLock({ $0.isResolved }) else { return }
        pipeline.monitor.observe { [self, material] in happened($0, in: $1, pipeline, material) }
        pipeline.start()
        // From here on: what comes before may take long, and a pipeline that has just begun has given nothing up.
        if !isOnNetwork { look(at: pipeline, 0) }
    }

    private func timeIsUp() {
        resolve(
            .failure(
                CoreError.ioError("\(source.name) gave no sound within \(Int(timeLimit)) s, the limit for opening")))
    }

    /// Ends the attempt once; pipelines that did not win are taken down behind the caller's back.
    private func resolve(_ result: Result<OpenedDeck, any Error>, winner: PlaybinPipeline? = nil) {
        let before = state.withLock { state in
            defer { state = State(isResolved: true) }
            return state
        }
        guard !before.isResolved else { return }
        for pipeline in before.pipelines where pipeline !== winner {
            pipeline.interrupt()
            pipeline.queue.async { pipeline.tearDown() }
        }
        if before.isInside { Self.openings.release() }
        before.receiver?(result)
    }
}

// MARK: Pipelines that have given up

extension DeckOpening {
    /// Seconds before each look at a pipeline that has neither sound nor error; the last is repeated.
    ///
    /// GStreamer 1.22 loses what goes wrong while decodebin is still connecting a demuxer: the error of an MP4 file without an index, and
    /// that of the parser of AIFF files, which does not wait until somebody takes its first samples. The demuxer then rests, and the
    /// pipeline would wait for ever. Both go another way when they are started again.
    static let looks = [0.04, 0.06, 0.1, 0.2, 0.4, 0.7]

    /// For how long nothing may have moved, in seconds. A short file that was read and is not decoded yet looks as if it were given up;
    /// started again while its decoder is being connected, GStreamer 1.22 makes an error of it, or crashes.
    private static let stillness = 0.04

    private func look(at pipeline: PlaybinPipeline, _ index: Int) {
        DedicatedQueue.run(after: looks[min(index, looks.count - 1)]) { [weak self, weak pipeline] in
            guard let self, let pipeline, !state.withLock({ $0.isResolved }) else { return }
            guard let rest = pipeline.rest else { return look(at: pipeline, index + 1) }
            DedicatedQueue.run(after: Self.stillness) { [weak self, weak pipeline] in
                guard let self, let pipeline else { return }
                pipeline.queue.async { [self] in startAgain(pipeline, from: rest, index) }
            }
        }
    }

    /// On the queue. A sample that comes after the question belongs to a run that is over, and comes once more.
    private func startAgain(_ pipeline: PlaybinPipeline, from rest: PlaybinPipeline.Rest, _ index: Int) {
        guard !state.withLock({ $0.isResolved }) else { return }
        if pipeline.rest == rest {
            let isHopeless = index >= looks.count - 1 && rest.run > 0
            guard !isHopeless else { return resolve(.failure(givenUp)) }
            pipeline.restart(isUnsure: true)
        }
        look(at: pipeline, index + 1)
    }

    private var givenUp: CoreError {
        .decodeError("\(source.name) is damaged: its demuxer gives up without a word")
    }
}

// MARK: What the pipeline reports

extension DeckOpening {
    /// Called on streaming threads: decides nothing there that could block.
    private func happened(
        _ event: PlaybinMonitor.Event, in run: Int, _ pipeline: PlaybinPipeline, _ material: ResolvedSource
    ) {
        switch event {
        case .sample: afterwards(in: run, of: pipeline) { $0.succeed(pipeline, material) }
        // What came before is to be heard; the deck then ends with the error.
        case .failed where pipeline.monitor.hasSample:
            afterwards(in: run, of: pipeline) { $0.succeed(pipeline, material) }
        case .failed(let failure):
            if follow(pipeline.monitor.response, from: material) { return }
            if tryReadingAheadLittle(after: failure, pipeline, material) { return }
            resolve(.failure(ErrorMapping.coreError(failure, name: material.name, position: nil)))
        case .endOfStream: afterwards(in: run, of: pipeline) { $0.endedWithoutSample(pipeline, material) }
        case .prerolled: afterwards(in: run, of: pipeline) { $0.checkForSound(pipeline) }
        case .tagsChanged, .durationChanged, .buffering: break
        }
    }

    /// Continues on the queue, unless the pipeline was started again before: it then knows neither length nor streams.
    private func afterwards(
        in run: Int, of pipeline: PlaybinPipeline, _ work: @escaping @Sendable (DeckOpening) -> Void
    ) {
        pipeline.queue.async { [self] in if pipeline.monitor.run == run { work(self) } }
    }

    /// The most redirections that are followed.
    private static let maximumRedirections = 10

    /// Goes where a server sends us, with the headers and credentials that belong there.
    ///
    /// - Returns: Whether it did.
    private func follow(_ response: HTTPResponse?, from material: ResolvedSource) -> Bool {
        guard let response, (300..<400).contains(response.status), let location = response.location,
            let address = URL(string: location, relativeTo: material.network?.request.url)?.absoluteURL,
            ["http", "https"].contains(address.scheme?.lowercased())
        else { return false }
        let count = state.withLock { state in
            state.redirections += 1
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

    /// A connection that is lost before the first sample was decoded: the source reads ahead as fast as it can, and its
    /// error ends the way of a pipeline to its running state. One that reads ahead little has its first sample before.
    ///
    /// - Returns: Whether another attempt is made.
    private func tryReadingAheadLittle(
        after failure: DeckFailure, _ pipeline: PlaybinPipeline, _ material: ResolvedSource
    ) -> Bool {
        guard case .stream(let stream) = failure, stream.isLostConnection, pipeline.monitor.hasContent,
            let network = material.network, !network.readsAheadLittle
        else { return false }
        DedicatedQueue.run(Self.preparation) { [self] in prepare(at: network.request.url, readsAheadLittle: true) }
        return true
    }

    /// Between two links of a chained Ogg file playbin knows of no stream at all: what reached the sink counts as well.
    private func checkForSound(_ pipeline: PlaybinPipeline) {
        if pipeline.audioStreamCount == 0, pipeline.sourceShape == nil { resolve(.failure(noSound(pipeline))) }
    }

    private func endedWithoutSample(_ pipeline: PlaybinPipeline, _ material: ResolvedSource) {
        if let failure = pipeline.monitor.failure {
            return resolve(.failure(ErrorMapping.coreError(failure, name: material.name, position: nil)))
        }
        if pipeline.sourceShape == nil { return resolve(.failure(noSound(pipeline))) }
        if state.withLock({ $0.candidate != nil }) { return succeed(pipeline, material) }
        resolve(.failure(withoutSound))
    }

    private var withoutSound: CoreError { .decodeError("\(source.name) holds no sample that can be decoded") }

    private func noSound(_ pipeline: PlaybinPipeline) -> CoreError {
        ErrorMapping.missing(pipeline.monitor.missing, name: source.name)
    }

    /// On the queue: a sample is there, so the stream's shape and the tags before it are known. The deck is opened with
    /// its first frame, which may come with a later sample: a codec's delay is passed over.
    private func succeed(_ pipeline: PlaybinPipeline, _ found: ResolvedSource) {
        guard !state.withLock({ $0.isResolved }), let candidate = candidate(pipeline, found) else { return }
        switch candidate.deck.conditionOfFirstFrame() {
        case .starved: return
        case .ended, .truncated: return resolve(.failure(withoutSound))
        case .failed(let error): return resolve(.failure(error))
        case .complete, nil: break
        }
        let opened = OpenedDeck(
            deck: candidate.deck, name: found.name,
            sourceFormat: PCMFormat(sampleRate: candidate.shape.sampleRate, channels: candidate.shape.channels),
            track: candidate.description.track, decoder: "gstreamer",
            decoderReason: "GStreamer decodes everything that no plugin takes")
        DeckEventForwarder.attach(
            to: candidate.deck, material: found, shape: candidate.shape, first: candidate.description, onEvent: onEvent)
        resolve(.success(opened), winner: pipeline)
    }

    private func candidate(_ pipeline: PlaybinPipeline, _ found: ResolvedSource) -> Candidate? {
        if let known = state.withLock({ $0.candidate }), known.deck.pipeline === pipeline { return known }
        guard let shape = pipeline.sourceShape else { return nil }
        let description = TrackDescription(material: found, pipeline: pipeline, shape: shape)
        let deck = PlaybinDeck(
            name: found.name, pipeline: pipeline, sampleRate: shape.sampleRate, length: description.length,
            extent: found.exactLength?.scaled(to: shape.sampleRate),
            // FLAC announces its length in a header of its own, and pads nothing.
            isPadded: description.track.format.codec != "FLAC",
            reconnectLimit: found.network == nil ? 0 : access().reconnectLimit)
        let made = Candidate(deck: deck, description: description, shape: shape)
        state.withLock { if !$0.isResolved { $0.candidate = made } }
        return made
    }
}
