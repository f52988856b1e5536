internal import CDescant
internal import Dispatch
internal import Foundation
internal import Synchronization

/// A synthesizer that runs in helper processes: one per concurrent request, each used for one request after the other.
///
/// A crash or a hang fails one request with an error that names the plugin; the next one gets another helper.
final class IsolatedSynthesizer: SpeechSynthesizer {
    /// How many requests run at a time, at most: each has a helper, and each helper has its own copy of the voices.
    private static let concurrencyLimit = 2
    /// The longest request, in characters: the shared memory holds its text, whatever the characters are.
    private static let longestRequest = SharedFrames.size / 4

    let capabilities: SpeechCapabilities
    private let pool: HelperPool
    private let identifier: String
    private let workers: SpeechWorkers

    /// Makes the synthesizer in a helper. Blocks until that is done.
    ///
    /// - Parameters:
    ///   - pool: Helpers that serve no one else.
    ///   - identifier: The provision's identifier.
    /// - Throws: What the plugin throws; ``CoreError/ioError(underlying:)`` when the helper crashed or took too long; ``PluginError`` for a
    ///   bundle that cannot be loaded.
    init(_ pool: HelperPool, identifier: String) throws {
        var capabilities = try pool.withHelper { helper in
            let activity = "while making the synthesizer \(identifier)"
            let request = HelperMessage(.synthesizer, payload: Array(identifier.utf8))
            let answer = try helper.exchange(request, limit: pool.limits.make, activity)
            guard let capabilities = try? answer.value(SpeechCapabilities.self), capabilities.longestRequest > 0 else {
                throw helper.misbehaved(activity)
            }
            if let fault = SpeechCheck.fault(of: capabilities) { throw helper.misbehaved(activity, fault) }
            return capabilities
        }
        capabilities.longestRequest = min(capabilities.longestRequest, Self.longestRequest)
        capabilities.concurrency = min(max(1, capabilities.concurrency), Self.concurrencyLimit)
        self.capabilities = capabilities
        self.pool = pool
        self.identifier = identifier
        workers = SpeechWorkers(name: pool.name, limit: capabilities.concurrency)
    }

    func voices() async throws -> [SpeechVoice] {
        try await workers.call { [pool, identifier] in
            try pool.withHelper { helper in
                let activity = "while listing its voices"
                let request = HelperMessage(.voices, payload: Array(identifier.utf8))
                let limit = pool.limits.make + pool.limits.voice
                let answer = try helper.exchange(request, limit: limit, activity)
                guard (0...Int64(SharedFrames.size)).contains(answer.first) else { throw helper.misbehaved(activity) }
                // The helper can still write to the memory; a copy cannot change.
                let list = Data(bytes: helper.frames.address, count: Int(answer.first))
                guard let voices = try? JSONDecoder().decode([SpeechVoice].self, from: list) else {
                    throw helper.misbehaved(activity)
                }
                return voices
            }
        }
    }

    func prepare(_ request: SpeechRequest) async throws {
        try await workers.call { [pool, identifier] in
            try pool.withHelper { helper in
                let message = try helper.message(.prepare, request, synthesizer: identifier)
                let limit = pool.limits.make + pool.limits.voice
                _ = try helper.exchange(message, limit: limit, "while loading a voice")
            }
            pool.prepare()
        }
    }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        workers.speak { [pool, identifier] feed in
            try pool.withHelper { helper in
                // The wait for a helper may have been long.
                guard !feed.isClosed else { return }
                // Another one is started meanwhile, so that a crash of this one costs no time.
                pool.prepare()
                try IsolatedSpeech(helper, request, synthesizer: identifier, limits: pool.limits).send(to: feed)
            }
        }
    }

    func shutdown() async {
        // Before the helpers are ended, so that the requests end with the shutdown as the reason.
        workers.close()
        await Self.run { [pool] in pool.interrupt() }
        await workers.shutdown()
        await Self.run { [pool] in pool.close() }
    }

    /// Runs what blocks on a thread of its own.
    private static func run(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            DedicatedQueue.run("descant.helper.close") {
                work()
                done.resume()
            }
        }
    }
}

extension HelperProcess {
    /// A request with a text, which is put into the shared memory.
    fileprivate func message(
        _ kind: HelperMessage.Kind, _ request: SpeechRequest, synthesizer: String
    ) throws -> HelperMessage {
        var text = request.text
        let count = try text.withUTF8 { bytes in
            guard bytes.count <= SharedFrames.size else {
                throw CoreError.invalidArgument(
                    "\(name): a text of \(bytes.count) bytes; up to \(SharedFrames.size) can be spoken in one request")
            }
            if let start = bytes.baseAddress { frames.address.copyMemory(from: start, byteCount: bytes.count) }
            return bytes.count
        }
        var message = try HelperMessage(
            kind,
            HelperMessage.SpeakRequest(
                synthesizer: synthesizer, voice: request.voice, language: request.language,
                rate: request.rate.bitPattern, pitch: request.pitch.bitPattern))
        message.first = Int64(count)
        return message
    }
}

/// One request that a helper speaks.
private final class IsolatedSpeech: Sendable {
    private struct State {
        /// Whether the helper has ended the speech, so that nothing is to be stopped.
        var isOver = false
        /// The request to stop, if it was sent.
        var stop: UInt32?
        /// Since when sound is waited for, in nanoseconds.
        var waitingSince: UInt64?
        /// Whether sound had not come for long when the speech was stopped: the synthesizer may hang.
        var hasStalled = false
    }

    private let helper: HelperProcess
    private let limits: CallLimits
    private let activity: String
    private let text: SpeechRequest
    private let clock = MonotonicClock()
    /// The lock is held while requests are sent, so that they arrive in the order of their numbers.
    private let state = Mutex(State())

    /// Begins to speak.
    ///
    /// - Throws: As ``HelperProcess/exchange(_:descriptors:limit:_:)``.
    init(_ helper: HelperProcess, _ request: SpeechRequest, synthesizer: String, limits: CallLimits) throws {
        self.helper = helper
        self.limits = limits
        text = request
        let excerpt = request.text.prefix(30)
        activity = "while speaking \"\(excerpt)\(excerpt.count < request.text.count ? "…" : "")\""
        let message = try helper.message(.speak, request, synthesizer: synthesizer)
        _ = try helper.exchange(message, limit: limits.make, activity)
    }

    /// Hands over all sound. Returns early when the feed is closed.
    ///
    /// - Throws: What the plugin throws; ``CoreError/ioError(underlying:)`` when the helper crashed, took too long, or sent what cannot be.
    func send(to feed: SpeechFeed) throws {
        feed.onClose { [weak self] in self?.stop() }
        var check = SpeechCheck(text)
        var limit = limits.voice + limits.speech
        do {
            while let request = try ask() {
                let answer = try helper.answer(to: request, limit: limit, activity)
                state.withLock { $0.waitingSince = nil }
                limit = limits.speech
                guard let chunk = try chunk(answer, &check) else { break }
                guard feed.send(chunk) else { break }
            }
        } catch {
            finish()
            throw error
        }
        finish()
        if !feed.isClosed, let fault = check.faultAtEnd { throw helper.misbehaved(activity, fault) }
    }

    /// Asks for the next sound, unless the speech was stopped.
    private func ask() throws -> UInt32? {
        try state.withLock { state in
            guard state.stop == nil else { return nil }
            state.waitingSince = clock.now()
            return try helper.send(HelperMessage(.sound), activity)
        }
    }

    /// Ends the speech from another thread.
    private func stop() {
        state.withLock { state in
            guard !state.isOver, state.stop == nil else { return }
            if let since = state.waitingSince {
                state.hasStalled = Double(clock.now() - since) / 1e9 >= limits.read
            }
            // A helper that takes no request has ended, as the thread that waits for it notices.
            state.stop = helper.post(HelperMessage(.stop))
        }
    }

    /// Ends the speech in the helper, so that it can serve others; one that does not answer is ended itself.
    private func finish() {
        stop()
        let (request, hasStalled) = state.withLock { state in
            state.isOver = true
            return (state.stop, state.hasStalled)
        }
        if let request {
            _ = try? helper.answer(to: request, limit: limits.close, activity)
        } else {
            helper.end("it took no request")
        }
        if hasStalled { helper.end("it had made no sound for long when it was stopped") }
    }

    /// The sound in the shared memory.
    ///
    /// - Returns: `nil` at the end.
    private func chunk(_ answer: HelperMessage, _ check: inout SpeechCheck) throws -> SpeechChunk? {
        guard answer.kind == .speech, (0...Int64(SharedFrames.speechLength)).contains(answer.first) else {
            throw helper.misbehaved(activity)
        }
        if answer.second == 1 { return nil }
        guard let notes = try? answer.value(HelperMessage.SpeechNotes.self) else { throw helper.misbehaved(activity) }
        // The helper can still write to the memory; a copy cannot change.
        let samples = Array(UnsafeBufferPointer(start: helper.frames.speech, count: Int(answer.first)))
        let chunk = SpeechChunk(
            samples: samples, sampleRate: Int(exactly: answer.number) ?? 0, marks: notes.marks,
            warnings: notes.warnings)
        if let fault = check.fault(of: chunk) { throw helper.misbehaved(activity, fault) }
        return chunk
    }
}

/// Finds what cannot be in speech from a helper.
struct SpeechCheck {
    /// The longest sound: as slow as no voice speaks.
    private static let longestStart = 60.0
    private static let longestByte = 10.0
    /// The most frames, whatever the sample rate is: 90 minutes at 48 kHz, and a second more for each byte.
    private static let mostFrames = 1 << 28
    private static let mostFramesPerByte = 48_000
    /// More than any voice has, in Hz.
    private static let highestSampleRate = 192_000
    /// Speaking rates that can be reckoned with.
    private static let rates = 0.01...100

    private let length: Int
    private var sampleRate = 0
    private var frames: Int64 = 0
    private var lastMark: Int64 = 0
    private var markCount = 0
    private var warningCount = 0
    private var emptyChunkCount = 0

    init(_ request: SpeechRequest) { length = request.text.utf8.count }

    /// How many marks, warnings, and chunks without samples there may be, each: more than words and sentences in any text.
    private var greatestCount: Int { 2 * length + 16 }

    /// What is the matter with the description of a synthesizer; `nil` for nothing.
    static func fault(of capabilities: SpeechCapabilities) -> String? {
        let (lowest, highest) = (capabilities.rateRange.lowerBound, capabilities.rateRange.upperBound)
        // Infinity lies outside, too, and what is not a number lies nowhere.
        guard rates.contains(lowest), rates.contains(highest) else {
            return "it gave speaking rates of \(lowest) to \(highest)"
        }
        return nil
    }

    /// What is the matter with the next chunk; `nil` for nothing.
    mutating func fault(of chunk: SpeechChunk) -> String? {
        guard (1...Self.highestSampleRate).contains(chunk.sampleRate),
            sampleRate == 0 || sampleRate == chunk.sampleRate
        else {
            return "it gave a sample rate of \(chunk.sampleRate) Hz\(sampleRate > 0 ? " after \(sampleRate) Hz" : "")"
        }
        sampleRate = chunk.sampleRate
        guard descant_are_finite(chunk.samples, chunk.samples.count) != 0 else {
            return "it gave samples that are not numbers"
        }
        if chunk.samples.isEmpty { emptyChunkCount += 1 }
        guard emptyChunkCount <= greatestCount else {
            return "it gave \(emptyChunkCount) pieces without sound for \(length) bytes of text"
        }
        frames += Int64(chunk.samples.count)
        let limit = frameLimit
        guard Double(frames) <= limit else {
            return "it gave more than \(Int(limit / Double(sampleRate))) s of sound for \(length) bytes of text"
        }
        if let fault = faultOfMarks(in: chunk, limit: limit) { return fault }
        return faultOfWarnings(in: chunk)
    }

    /// How many frames there may be at the sample rate.
    private var frameLimit: Double {
        let seconds = Self.longestStart + Self.longestByte * Double(length)
        return min(seconds * Double(sampleRate), Double(Self.mostFrames + Self.mostFramesPerByte * length))
    }

    private mutating func faultOfMarks(in chunk: SpeechChunk, limit: Double) -> String? {
        markCount += chunk.marks.count
        guard markCount <= greatestCount else { return "it gave \(markCount) marks for \(length) bytes of text" }
        for mark in chunk.marks {
            guard mark.frame >= lastMark else {
                return "it gave a mark at frame \(mark.frame) after one at \(lastMark)"
            }
            guard Double(mark.frame) <= limit else {
                return "it gave a mark at frame \(mark.frame) for \(length) bytes of text"
            }
            guard isInText(mark.utf8Range) else { return "it gave a mark at \(mark.utf8Range) of \(length) bytes" }
            lastMark = mark.frame
        }
        return nil
    }

    private mutating func faultOfWarnings(in chunk: SpeechChunk) -> String? {
        warningCount += chunk.warnings.count
        guard chunk.warnings.allSatisfy({ isInText($0.utf8Range) }), warningCount <= greatestCount else {
            return "it gave \(warningCount) warnings for \(length) bytes of text, or one outside of it"
        }
        return nil
    }

    /// What is the matter with the whole; `nil` for nothing.
    var faultAtEnd: String? {
        lastMark <= frames ? nil : "it gave a mark at frame \(lastMark) of \(frames)"
    }

    private func isInText(_ range: Range<Int>) -> Bool { range.lowerBound >= 0 && range.upperBound <= length }
}
