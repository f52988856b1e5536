import DescantCore
import DescantTesting
import Synchronization
import Testing

@Suite struct SpeechContractTests {
    @Test(arguments: SpeechSynthesizerContract.Rule.allCases)
    func tonesKeepTheContract(rule: SpeechSynthesizerContract.Rule) async {
        for timing in [SpeechCapabilities.WordTiming.exact, .estimated, .none] {
            let contract = SpeechSynthesizerContract { ToneSynthesizer(timing: timing) }
            let findings = await contract.check(rule)
            #expect(findings.isEmpty, "\(timing): \(findings)")
        }
    }

    @Test(arguments: SabotagedSynthesizer.Kind.allCases)
    func brokenSynthesizersAreFound(kind: SabotagedSynthesizer.Kind) async {
        let contract = SpeechSynthesizerContract(limit: kind.reachesTheLimit ? 0.5 : 120) {
            SabotagedSynthesizer(kind)
        }
        let findings = await contract.check(kind.brokenRule)
        #expect(!findings.isEmpty, "\(kind)")
        #expect(kind.reachesTheLimit || !findings.contains { $0.seen.contains("no result within") }, "\(findings)")
    }

    /// A synthesizer without a limit of its own declares the highest number.
    @Test(arguments: [SpeechSynthesizerContract.Rule.description, .concurrency])
    func anyConcurrencyCanBeDeclared(rule: SpeechSynthesizerContract.Rule) async {
        let contract = SpeechSynthesizerContract { ToneSynthesizer(concurrency: .max) }
        let findings = await contract.check(rule)
        #expect(findings.isEmpty, "\(findings)")
    }
}

/// A synthesizer that breaks one rule.
final class SabotagedSynthesizer: SpeechSynthesizer, Sendable {
    enum Kind: CaseIterable, Sendable {
        case repeatsVoices, badLanguageTag, secondVoiceIsDefault, noUnitRate
        case changesRate, notFinite, silent, warnsOfNothing, halfOfIt
        case countsCharacters, oneByteOff, estimatesUnflagged, losesWords, backwards, marksAhead, marksBeyond
        case marksLate, ignoresRate, ignoresLimits, speaksAnything, foreignErrors, hums, hangs
        case keepsCancelled, mixesRequests, stopsAtOddText, speaksAfterShutdown
        case hangsInVoices, hangsInPreparation, hangsAfterShutdown

        var reachesTheLimit: Bool {
            switch self {
            case .hangs, .hangsInVoices, .hangsInPreparation, .hangsAfterShutdown: true
            default: false
            }
        }

        var brokenRule: SpeechSynthesizerContract.Rule {
            switch self {
            case .repeatsVoices, .badLanguageTag, .secondVoiceIsDefault, .noUnitRate, .hangsInVoices: .description
            case .changesRate, .notFinite, .silent, .warnsOfNothing, .halfOfIt, .marksBeyond, .hangs: .sound
            case .countsCharacters, .oneByteOff, .estimatesUnflagged, .losesWords, .backwards, .marksAhead: .marks
            case .marksLate: .timing
            case .ignoresRate, .ignoresLimits: .rate
            case .speaksAnything, .foreignErrors, .hangsInPreparation: .refusals
            case .hums: .nothingToSpeak
            case .keepsCancelled: .cancelling
            case .mixesRequests: .concurrency
            case .stopsAtOddText: .hostileText
            case .speaksAfterShutdown, .hangsAfterShutdown: .shutdown
            }
        }
    }

    private let base = ToneSynthesizer()
    private let kind: Kind
    private let requests = Mutex((made: 0, running: 0))

    init(_ kind: Kind) { self.kind = kind }

    var capabilities: SpeechCapabilities {
        var capabilities = base.capabilities
        if kind == .noUnitRate { capabilities.rateRange = 2...3 }
        if kind == .ignoresLimits { capabilities.rateRange = 0.9...1.2 }
        return capabilities
    }

    func voices() async throws -> [SpeechVoice] {
        if kind == .hangsInVoices { try await hang() }
        var voices = try await base.voices()
        switch kind {
        case .repeatsVoices: voices.append(voices[0])
        case .badLanguageTag: voices[1].languages = ["en_GB"]
        case .secondVoiceIsDefault: voices.reverse()
        default: break
        }
        return voices
    }

    func prepare(_ request: SpeechRequest) async throws { if kind == .hangsInPreparation { try await hang() } }

    private func hang() async throws { try await Task.sleep(for: .seconds(3_600)) }

    func shutdown() async { if kind != .speaksAfterShutdown { await base.shutdown() } }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        let (number, others) = requests.withLock { requests in
            defer { requests = (requests.made + 1, requests.running + 1) }
            return (requests.made, requests.running)
        }
        var changed = request
        switch kind {
        case .secondVoiceIsDefault where request.voice == nil: changed.voice = "low"
        case .secondVoiceIsDefault: changed.text = "quite another text"
        case .ignoresRate: changed.rate = 1
        case .speaksAnything: (changed.voice, changed.language) = (nil, nil)
        case .hums where request.text.allSatisfy { !$0.isLetter }: changed.text += "hm"
        case .stopsAtOddText: changed.text = String(request.text.prefix(while: \.isASCII).prefix(500))
        case .mixesRequests where others > 0: changed.text += " and more"
        case .keepsCancelled where number > 4: changed.text += " and more"
        case .halfOfIt where number == 2: changed.text = String(request.text.dropLast(request.text.count / 2))
        default: break
        }
        let upstream = base.synthesize(changed)
        return AsyncThrowingStream { continuation in
            let work = Task {
                do {
                    var start: Int64 = 0
                    for try await chunk in upstream {
                        if kind == .hangs { try await hang() }
                        continuation.yield(damaged(chunk, at: start, of: request))
                        start += Int64(chunk.samples.count)
                    }
                    // Of the requests in this rule only the one that is running at the shutdown is as long.
                    if kind == .hangsAfterShutdown, request.text.utf8.count > 1_000 { try await hang() }
                    requests.withLock { $0.running -= 1 }
                    continuation.finish()
                } catch {
                    requests.withLock { $0.running -= 1 }
                    continuation.finish(throwing: kind == .foreignErrors ? CancellationError() : error)
                }
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }

    private func damaged(_ original: SpeechChunk, at start: Int64, of request: SpeechRequest) -> SpeechChunk {
        var chunk = original
        switch kind {
        case .changesRate where start > 0: chunk.sampleRate = 22_050
        case .notFinite where start > 0: chunk.samples[7] = .nan
        case .silent: chunk.samples = chunk.samples.map { _ in 0 }
        case .warnsOfNothing:
            chunk.warnings = [SpeechWarning(kind: .skippedText, utf8Range: 0..<1, message: "nothing")]
        case .losesWords where start > 0: chunk.marks = []
        case .marksAhead where start == 0 && request.text.utf8.count > 3:
            chunk.marks.append(SpeechMark(kind: .word, utf8Range: 900..<901, frame: 5, isEstimated: false))
        default: break
        }
        for index in chunk.marks.indices {
            var mark = chunk.marks[index]
            let count = { (offset: Int) in String(decoding: request.text.utf8.prefix(offset), as: UTF8.self).count }
            switch kind {
            case .countsCharacters:
                mark.utf8Range = count(mark.utf8Range.lowerBound)..<count(mark.utf8Range.upperBound)
            case .oneByteOff: mark.utf8Range = mark.utf8Range.lowerBound..<mark.utf8Range.upperBound + 1
            case .estimatesUnflagged: mark.isEstimated = true
            case .backwards: mark.frame = start + Int64(chunk.samples.count) - 1
            case .marksBeyond: mark.frame += Int64(chunk.samples.count)
            case .marksLate: mark.frame += Int64(min(800, chunk.samples.count - 1))
            default: break
            }
            chunk.marks[index] = mark
            if kind == .backwards, index == 0 {
                mark.frame = start
                chunk.marks.append(mark)
            }
        }
        return chunk
    }
}
