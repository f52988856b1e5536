internal import Descant
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Speaks with espeak-ng in helper processes: as many as speak at the same time, each for one request after the other.
///
/// Whatever espeak-ng does to its process ends one request with an error; the next one gets a new process.
final class EspeakSynthesizer: SpeechSynthesizer {
    private struct Job: Sendable {
        let request: SpeechRequest
        let feed: SpeechFeed
    }

    private struct State {
        var idle: [EspeakHelper] = []
        var waiting: [Job] = []
        var running: [Int: SpeechFeed] = [:]
        var nextNumber = 0
        var voices: EspeakVoices?
        var isShutDown = false

        mutating func start(_ feed: SpeechFeed) -> Int {
            nextNumber += 1
            running[nextNumber] = feed
            return nextNumber
        }
    }

    private enum Admission { case run(Int), wait, refuse }

    let capabilities = SpeechCapabilities(
        wordTiming: .exact, cancelGranularity: .immediate, concurrency: 4, rateRange: EspeakUtterance.rates,
        pitchRange: EspeakUtterance.pitches, longestRequest: 2_000)

    private let path: String
    private let logger: any LoggerPort
    // Threads that wait for helpers; never more than `concurrency` for requests, and those that ask for voices.
    private let threads = DispatchQueue(label: "org.descant.espeak", attributes: .concurrent)
    private let busy = DispatchGroup()
    private let state = Mutex(State())

    init(helper path: String, logger: any LoggerPort) {
        self.path = path
        self.logger = logger
    }

    func voices() async throws -> [SpeechVoice] {
        try await onThread { try $0.withHelper { try $0.voices(of: $1) }.all }
    }

    func prepare(_ request: SpeechRequest) async throws {
        try await onThread { synthesizer in
            try synthesizer.withHelper { synthesizer, helper in
                _ = try synthesizer.voices(of: helper).choose(voice: request.voice, language: request.language)
            }
        }
    }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        let (stream, feed) = SpeechFeed.make()
        let job = Job(request: request, feed: feed)
        let admission = state.withLock { state -> Admission in
            if state.isShutDown { return .refuse }
            if state.running.count < capabilities.concurrency { return .run(state.start(feed)) }
            state.waiting.append(job)
            return .wait
        }
        switch admission {
        case .run(let number): run(job, number: number)
        case .wait: break
        case .refuse: feed.finish(throwing: Self.wasShutDown)
        }
        return stream
    }

    func shutdown() async {
        let (feeds, helpers) = state.withLock { state in
            state.isShutDown = true
            defer { (state.waiting, state.idle) = ([], []) }
            return (state.waiting.map(\.feed) + state.running.values, state.idle)
        }
        for feed in feeds { feed.finish(throwing: Self.wasShutDown) }
        withExtendedLifetime(helpers) {}
        await withCheckedContinuation { done in busy.notify(queue: threads) { done.resume() } }
    }

    private static var wasShutDown: CoreError { .invalidState("espeak: the synthesizer was shut down") }

    // MARK: Threads

    private func onThread<Result: Sendable>(
        _ work: @escaping @Sendable (EspeakSynthesizer) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            threads.async(group: busy) { continuation.resume(with: Swift.Result { try work(self) }) }
        }
    }

    private func run(_ first: Job, number: Int) {
        threads.async(group: busy) { [self] in
            var (job, number) = (first, number)
            while true {
                serve(job, number: UInt32(truncatingIfNeeded: number))
                guard let next = next(after: number) else { return }
                (job, number) = next
            }
        }
    }

    private func next(after number: Int) -> (Job, Int)? {
        state.withLock { state in
            state.running[number] = nil
            while !state.waiting.isEmpty {
                let job = state.waiting.removeFirst()
                if !job.feed.isClosed { return (job, state.start(job.feed)) }
            }
            return nil
        }
    }

    private func serve(_ job: Job, number: UInt32) {
        do {
            try withHelper { synthesizer, helper in
                try synthesizer.speak(EspeakUtterance(job.request, number: number), with: helper, to: job.feed)
            }
            job.feed.finish()
        } catch {
            job.feed.finish(throwing: error)
        }
    }

    // MARK: Helpers

    /// Lends a helper. One that fails is not used again; one that had died before its first word is replaced at once.
    private func withHelper<Result>(_ work: (EspeakSynthesizer, EspeakHelper) throws -> Result) throws -> Result {
        let (idle, isShutDown) = state.withLock { ($0.idle.popLast(), $0.isShutDown) }
        if isShutDown { throw Self.wasShutDown }
        let helper = try idle.flatMap { $0.isAlive ? $0 : nil } ?? EspeakHelper(path: path)
        do {
            let result = try work(self, helper)
            giveBack(helper)
            return result
        } catch let error as CoreError {
            if case .ioError = error { logger.warn("\(error)") } else { giveBack(helper) }
            throw error
        }
    }

    private func giveBack(_ helper: EspeakHelper) {
        state.withLock { if !$0.isShutDown { $0.idle.append(helper) } }
    }

    private func voices(of helper: EspeakHelper) throws -> EspeakVoices {
        if let known = state.withLock(\.voices) { return known }
        try helper.link.send("V")
        guard case .voices(let list) = try helper.link.receive() else {
            throw CoreError.ioError("espeak: the helper did not list its voices")
        }
        let voices = try EspeakVoices(list)
        state.withLock { $0.voices = voices }
        return voices
    }

    // MARK: Speaking

    private func speak(_ utterance: EspeakUtterance, with helper: EspeakHelper, to feed: SpeechFeed) throws {
        let request = utterance.request
        let voice = try voices(of: helper).choose(voice: request.voice, language: request.language)
        let warnings = utterance.warnings(voice: voice)
        if !warnings.isEmpty {
            guard feed.send(SpeechChunk(samples: [], sampleRate: helper.sampleRate, warnings: warnings)) else { return }
        }
        guard utterance.hasWords else { return }
        try helper.link.send("S", utterance.message(voice: voice.identifier))
        var onsets = SpeechOnsets(sampleRate: helper.sampleRate)
        var marks: [SpeechMark] = []
        var nextWord = 0
        while true {
            switch try helper.link.receive() {
            case .word(utterance.number, let scalar, let frame):
                guard let range = utterance.word(atScalar: scalar, next: &nextWord) else { break }
                marks.append(SpeechMark(kind: .word, utf8Range: range, frame: frame, isEstimated: false))
            case .sound(utterance.number, let samples):
                let chunk = onsets.append(samples, marks: marks)
                marks = []
                if let chunk, !feed.send(chunk) { return try cancel(utterance, helper) }
            case .end(utterance.number, let ending):
                if ending == .failed || ending == .noVoice {
                    let what = ending == .failed ? "espeak-ng failed" : "espeak-ng cannot load its voice"
                    throw CoreError.ioError("espeak: \(what) (voice \(voice.identifier), request \(utterance.excerpt))")
                }
                if let rest = onsets.finish() { _ = feed.send(rest) }
                return
            default: throw CoreError.ioError("espeak: the helper answered something that was not asked for")
            }
        }
    }

    private func cancel(_ utterance: EspeakUtterance, _ helper: EspeakHelper) throws {
        var number: [UInt8] = []
        number.append(number: utterance.number)
        try helper.link.send("C", number)
        while true {
            if case .end(utterance.number, _) = try helper.link.receive() { return }
        }
    }
}
