internal import DescantCore
internal import Foundation
internal import Synchronization

/// Has requests spoken by a synthesizer, as many at a time as it can, and keeps what was made.
///
/// A cancelled request does not count: its stream ends at once, also while the synthesizer still works on it.
///
/// A failed request is tried again before it is reported. Any thread; never waits.
final class SynthesisScheduler: Sendable {
    private struct Job {
        let clip: SpeechClip
        let number: UInt64
        var task: Task<Void, Never>?
    }

    private struct State {
        var jobs: [SpeechRequestKey: Job] = [:]
        /// Requests that wait, the most urgent first.
        var queue: [SpeechRequestKey] = []
        var running = 0
        var lastNumber: UInt64 = 0
        var cache: SpeechClipCache
        var isClosed = false
    }

    let synthesizer: any SpeechSynthesizer
    let capabilities: SpeechCapabilities
    /// Raised whenever a clip has grown.
    let signal = EventCount()
    private let engine: String
    private let clock: any ClockPort
    private let logger: any LoggerPort
    /// Seconds that the synthesizer may send nothing.
    private let limit: Double
    private let state: Mutex<State>

    /// The pauses before a failed synthesis is tried again, in seconds.
    private static let retryDelays = [0.1, 0.3]
    /// Speaking rates that can be reckoned with; a synthesizer that names others speaks at its normal one.
    private static let rates = 0.01...100

    init(
        _ synthesizer: any SpeechSynthesizer, engine: String, clock: any ClockPort, logger: any LoggerPort,
        cacheLimit: Int, limit: Double = 60
    ) {
        self.synthesizer = synthesizer
        self.engine = engine
        self.clock = clock
        self.logger = logger
        self.limit = limit > 0 ? limit : 60
        var capabilities = synthesizer.capabilities
        if capabilities.rateRange.clamped(to: Self.rates) != capabilities.rateRange { capabilities.rateRange = 1...1 }
        self.capabilities = capabilities
        state = Mutex(State(cache: SpeechClipCache(limit: cacheLimit)))
    }

    /// The voices of the synthesizer.
    func voices() async throws -> [SpeechVoice] {
        do {
            return try await withTimeout(limit, on: DedicatedExecutor("descant.speech.voices")) { [synthesizer] in
                try await synthesizer.voices()
            }
        } catch let error as TimeoutError {
            throw CoreError.ioError("\(engine): the voices were not listed: \(error)")
        }
    }

    /// Loads a voice.
    ///
    /// - Returns: Why it was not loaded; `nil` when it was.
    func prepare(_ request: SpeechRequest) async -> CoreError? {
        do {
            try await withTimeout(limit, on: DedicatedExecutor("descant.speech.prepare")) { [synthesizer] in
                try await synthesizer.prepare(request)
            }
            return nil
        } catch let error as TimeoutError {
            return .ioError("\(engine): the voice was not loaded: \(error)")
        } catch {
            return error as? CoreError ?? .ioError(underlying: error)
        }
    }

    /// The clip of a request: made before, being made, or from now on.
    func clip(for request: SpeechRequest) -> SpeechClip {
        let key = SpeechRequestKey(request)
        let clip = state.withLock { state in
            if let clip = state.cache.clip(for: key) ?? state.jobs[key]?.clip { return clip }
            let clip = SpeechClip(
                request, isReadableWhileGrowing: capabilities.wordTiming != .none, signal: signal)
            guard !state.isClosed else {
                clip.finish(.failed(.invalidState("\(engine): the synthesizer was shut down")))
                return clip
            }
            state.lastNumber += 1
            state.jobs[key] = Job(clip: clip, number: state.lastNumber)
            state.queue.append(key)
            return clip
        }
        startNext()
        return clip
    }

    /// Cancels everything that is not wanted any more, and puts what waits into the order of what is wanted.
    func keepOnly(_ wanted: [SpeechRequest]) {
        let wanted = wanted.map { SpeechRequestKey($0) }
        let dropped = state.withLock { state in
            let dropped = state.jobs.filter { !wanted.contains($0.key) }
            for (key, job) in dropped {
                state.jobs[key] = nil
                if job.task != nil { state.running -= 1 }
            }
            state.queue = wanted.filter { state.jobs[$0]?.task == nil && state.jobs[$0] != nil }
            return Array(dropped.values)
        }
        for job in dropped { cancel(job) }
        startNext()
    }

    private func cancel(_ job: Job) {
        job.task?.cancel()
        // What is complete already has said so.
        guard job.clip.finish(.cancelled), job.task != nil else { return }
        logger.record(
            LogRecord("speech.discard", level: .debug, fields: fields(of: job.clip.request, number: job.number)))
    }

    /// Cancels everything that is being made.
    func cancelAll() { keepOnly([]) }

    /// Ends the work for good and waits until the synthesizer has ended too.
    func close() async {
        state.withLock { state in
            state.isClosed = true
            state.cache.removeAll()
        }
        cancelAll()
        do {
            try await withTimeout(limit, on: DedicatedExecutor("descant.speech.shutdown")) { [synthesizer] in
                await synthesizer.shutdown()
            }
        } catch {
            logger.warn("\(engine): the synthesizer was not shut down: \(error)")
        }
    }

    // MARK: Making

    private func startNext() {
        // The task is made within the lock: a job is cancelled either before it has one, or together with it.
        state.withLock { state in
            while state.running < max(1, capabilities.concurrency), !state.queue.isEmpty {
                let key = state.queue.removeFirst()
                guard var job = state.jobs[key], job.task == nil else { continue }
                state.running += 1
                let (clip, number) = (job.clip, job.number)
                job.task = Task { await self.make(clip, number: number) }
                state.jobs[key] = job
            }
        }
    }

    private func make(_ clip: SpeechClip, number: UInt64) async {
        let end = await speak(clip, number: number)
        guard let end else { return }
        let key = SpeechRequestKey(clip.request)
        state.withLock { state in
            // Kept also when nobody wants it any more since it was complete. A cancellation may have ended it first.
            if clip.isComplete, !state.isClosed { state.cache.insert(clip) }
            guard state.jobs[key]?.number == number else { return }
            state.jobs[key] = nil
            state.running -= 1
        }
        // Behind the removal: who learns of a failure may request the same text again at once, and must not get this clip.
        if case .failed = end { clip.finish(end) }
        startNext()
    }

    /// Makes the sound of a clip; a clip that fails is finished by the caller.
    ///
    /// - Returns: How it ended; `nil` when it was cancelled.
    private func speak(_ clip: SpeechClip, number: UInt64) async -> SpeechClip.End? {
        var writer = SpeechClipWriter(clip.request)
        for attempt in 0... {
            record("speech.generate", .debug, clip.request, number, ["attempt": .open("\(attempt + 1)")])
            do {
                try await generate(clip, &writer)
                guard !Task.isCancelled else { return nil }
                complete(clip, &writer, number: number)
                return .complete
            } catch {
                guard !Task.isCancelled else { return nil }
                let isHanging = error is TimeoutError
                let error = failure(error)
                // A synthesizer that hangs keeps its thread; further requests would hang behind it.
                guard attempt < Self.retryDelays.count, !isHanging, case .ioError = error else {
                    recordFailure("speech.failure", .error, clip.request, number, error)
                    return .failed(error)
                }
                recordFailure("speech.retry", .warning, clip.request, number, error)
                writer.restart()
                let delay = UInt64(Self.retryDelays[attempt] * 1e9)
                guard (try? await clock.sleep(until: clock.now() + delay)) != nil else { return nil }
            }
        }
        return nil
    }

    private func failure(_ error: any Error) -> CoreError {
        if let error = error as? TimeoutError {
            return .ioError("\(engine): the synthesizer hangs: it sent nothing within \(error.seconds) s")
        }
        return error as? CoreError ?? .ioError(underlying: error)
    }

    private func generate(_ clip: SpeechClip, _ writer: inout SpeechClipWriter) async throws {
        let watched = WatchedSynthesis(synthesizer.synthesize(clip.request), limit: limit)
        defer { watched.end() }
        for try await chunk in watched.chunks {
            if Task.isCancelled { return }
            guard chunk.sampleRate > 0, clip.sampleRate == 0 || chunk.sampleRate == clip.sampleRate else {
                throw CoreError.decodeError("\(engine): a sample rate of \(chunk.sampleRate) Hz within one request")
            }
            let taken = writer.take(chunk)
            // Another attempt gives the warnings of the first one again.
            let told = clip.warnings
            clip.append(
                taken.samples, sampleRate: chunk.sampleRate, marks: taken.marks,
                warnings: chunk.warnings.filter { !told.contains($0) })
        }
    }

    private func complete(_ clip: SpeechClip, _ writer: inout SpeechClipWriter, number: UInt64) {
        let rate = clip.sampleRate
        if rate > 0 { clip.append(writer.end(sampleRate: rate), sampleRate: rate, marks: [], warnings: []) }
        clip.finish(.complete) { [writer] in writer.estimatedMarks(frames: $0) }
        record(
            "speech.complete", .debug, clip.request, number,
            ["frames": .open("\(clip.count)"), "sampleRate": .open("\(rate)")])
    }

    // MARK: Log

    private func fields(of request: SpeechRequest, number: UInt64) -> [LogField: LogValue] {
        var fields: [LogField: LogValue] = [
            .engine: .open(engine), .attemptId: .open("\(number)"), "text": .personal(request.text),
        ]
        if let voice = request.voice { fields["voice"] = .open(voice) }
        return fields
    }

    private func record(
        _ name: String, _ level: LogLevel, _ request: SpeechRequest, _ number: UInt64, _ more: [LogField: LogValue]
    ) {
        logger.record(
            LogRecord(name, level: level, fields: fields(of: request, number: number).merging(more) { $1 }))
    }

    private func recordFailure(
        _ name: String, _ level: LogLevel, _ request: SpeechRequest, _ number: UInt64, _ error: CoreError
    ) {
        record(name, level, request, number, [.errorCode: .open(error.code), .errorMessage: .open(error.message)])
    }
}

/// What decides on a clip: text, voice, language, rate and pitch.
///
/// Texts are compared by bytes, because marks count bytes: equal strings can differ in them, as "é" is one scalar or
/// two.
struct SpeechRequestKey: Hashable {
    private let request: SpeechRequest

    init(_ request: SpeechRequest) { self.request = request }

    static func == (one: SpeechRequestKey, other: SpeechRequestKey) -> Bool {
        one.request == other.request && one.request.text.utf8.elementsEqual(other.request.text.utf8)
    }

    // Requests with equal bytes are equal.
    func hash(into hasher: inout Hasher) { hasher.combine(request) }
}

/// The clips that were made last, up to a number of bytes.
struct SpeechClipCache {
    private let limit: Int
    private var clips: [SpeechRequestKey: (clip: SpeechClip, bytes: Int, used: UInt64)] = [:]
    private var uses: UInt64 = 0
    /// The bytes that are kept.
    private var byteCount = 0

    init(limit: Int) { self.limit = max(0, limit) }

    /// A clip, which counts as used.
    mutating func clip(for key: SpeechRequestKey) -> SpeechClip? {
        guard let clip = clips[key]?.clip else { return nil }
        uses += 1
        clips[key]?.used = uses
        return clip
    }

    /// Keeps a clip, and forgets those that were not used for the longest time.
    mutating func insert(_ clip: SpeechClip) {
        let (key, bytes) = (SpeechRequestKey(clip.request), clip.byteCount)
        guard bytes <= limit, clips[key] == nil else { return }
        uses += 1
        clips[key] = (clip, bytes, uses)
        byteCount += bytes
        while byteCount > limit, let oldest = clips.min(by: { $0.value.used < $1.value.used }) {
            clips[oldest.key] = nil
            byteCount -= oldest.value.bytes
        }
    }

    mutating func removeAll() {
        clips = [:]
        byteCount = 0
    }
}
