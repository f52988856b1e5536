internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Foundation
internal import Synchronization

/// One attempt to open a source: runs a pipeline until its first sample, an error, its end or a time limit.
///
/// Everything that may block runs on the pipeline's queue; the caller waits in a continuation.
final class DeckOpening: Sendable {
    private struct State {
        var continuation: CheckedContinuation<OpenedDeck, any Error>?
        var isResolved = false
    }

    private let material: PlaybinMaterial
    private let pipeline: PlaybinPipeline
    private let news: @Sendable (DeckNews) -> Void
    private let state = Mutex(State())

    init(material: PlaybinMaterial, pipeline: PlaybinPipeline, news: @escaping @Sendable (DeckNews) -> Void) {
        self.material = material
        self.pipeline = pipeline
        self.news = news
    }

    /// Opens and waits for the first sample.
    ///
    /// - Throws: `CoreError` naming the source; `CancellationError` when the task was cancelled.
    func run() async throws -> OpenedDeck {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin($0) }
        } onCancel: {
            self.resolve(.failure(CancellationError()))
        }
    }

    private func begin(_ continuation: CheckedContinuation<OpenedDeck, any Error>) {
        let wasCancelled = state.withLock { state in
            if !state.isResolved { state.continuation = continuation }
            return state.isResolved
        }
        if wasCancelled { return continuation.resume(throwing: CancellationError()) }
        pipeline.monitor.observe { [self] in happened($0) }
        pipeline.queue.async { [self] in
            if !state.withLock({ $0.isResolved }) { pipeline.start() }
        }
        // Not on the pipeline's queue: that one may be what is stuck.
        DispatchQueue.global().asyncAfter(deadline: .now() + material.timeLimit) { [weak self] in self?.timeIsUp() }
    }

    /// Called on streaming threads: decides nothing there that could block.
    private func happened(_ happening: PlaybinMonitor.Happening) {
        switch happening {
        case .sample: pipeline.queue.async { [self] in succeed() }
        case .failed(let failure):
            resolve(.failure(ErrorMapping.coreError(failure, name: material.name, position: nil)))
        case .endOfStream: pipeline.queue.async { [self] in endedWithoutSample() }
        case .prerolled: pipeline.queue.async { [self] in checkForSound() }
        case .buffering(let percent): news(.buffering(percent: percent))
        case .tagsChanged, .durationChanged: break
        }
    }

    private func timeIsUp() {
        resolve(
            .failure(
                CoreError.ioError(
                    "\(material.name) gave no sound within \(Int(material.timeLimit)) s, the limit for opening")))
    }

    private func checkForSound() {
        if pipeline.audioStreamCount == 0 { resolve(.failure(noSound)) }
    }

    private func endedWithoutSample() {
        if pipeline.sourceShape == nil { return resolve(.failure(noSound)) }
        resolve(.failure(CoreError.decodeError("\(material.name) holds no sample that can be decoded")))
    }

    private var noSound: CoreError {
        if let missing = pipeline.monitor.missing.first(where: \.concernsSound) {
            return .unsupported(
                "\(material.name) needs a \(missing.description), which is not installed; install it with: "
                    + "apt-get install \(missing.package)")
        }
        return .unsupported("\(material.name) contains no sound")
    }

    /// On the queue: the first sample is there, so its shape and the tags before it are known.
    private func succeed() {
        guard !state.withLock({ $0.isResolved }), let shape = pipeline.sourceShape else { return }
        let description = TrackDescription(material: material, pipeline: pipeline, shape: shape)
        let deck = PlaybinDeck(
            name: material.name, pipeline: pipeline, sampleRate: shape.sampleRate, length: description.length)
        let opened = OpenedDeck(
            deck: deck, name: material.name,
            sourceFormat: PCMFormat(sampleRate: shape.sampleRate, channels: shape.channels), track: description.track,
            decoder: "gstreamer", decoderReason: "")
        resolve(.success(opened))
        DeckNewsDesk.attach(to: deck, material: material, shape: shape, first: description, news: news)
    }

    /// Ends the attempt once; a failed one is taken down behind the caller's back.
    private func resolve(_ result: Result<OpenedDeck, any Error>) {
        let (isFirst, continuation) = state.withLock { state in
            defer {
                state.isResolved = true
                state.continuation = nil
            }
            return (!state.isResolved, state.continuation)
        }
        guard isFirst else { return }
        if case .failure = result { pipeline.queue.async { [pipeline] in pipeline.tearDown() } }
        continuation?.resume(with: result)
    }
}
