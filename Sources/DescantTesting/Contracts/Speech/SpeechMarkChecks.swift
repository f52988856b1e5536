internal import DescantCore

/// The ranges and frames of word marks.
struct SpeechMarkChecks {
    let bench: SynthesizerBench

    init(_ bench: SynthesizerBench) { self.bench = bench }

    /// Checks the marks of any request.
    static func judge(
        _ rendering: SpeechRendering, text: String, _ what: String, timing: SpeechCapabilities.WordTiming,
        _ collector: inout FindingCollector
    ) {
        let words = rendering.words
        let real = Set(SpokenWords.ranges(in: text))
        let wrong = words.first { !real.contains($0.utf8Range) }
        collector.expect(
            wrong == nil, "\(what): a mark's range is a whole word of the text, in UTF-8",
            seen: "\(wrong.map(\.utf8Range) as Any), of \(real.count) words")
        let isRising = zip(words, words.dropFirst()).allSatisfy {
            $0.utf8Range.upperBound <= $1.utf8Range.lowerBound && $0.frame <= $1.frame
        }
        collector.expect(
            isRising, "\(what): marks rise in the text and in time",
            seen: "\(words.prefix(20).map { "\($0.utf8Range)@\($0.frame)" })")
        let size = text.utf8.count
        let isInside = (rendering.marks.map(\.utf8Range) + rendering.warnings.map(\.utf8Range)).allSatisfy {
            $0.lowerBound >= 0 && $0.upperBound <= size
        }
        collector.expect(isInside, "\(what): marks and warnings lie in the text", seen: "other values")
        switch timing {
        case .none: collector.expect(words.isEmpty, "\(what): no word marks were promised", seen: "\(words.count)")
        case .exact, .estimated:
            collector.expect(
                words.allSatisfy { $0.isEstimated == (timing == .estimated) },
                "\(what): marks are flagged as the capabilities say", seen: "other values")
        }
    }

    func marks(_ collector: inout FindingCollector) async {
        guard bench.capabilities.wordTiming != .none else { return }
        let plain = bench.contract.words
        // Characters of one to many UTF-8 bytes and several scalars, so that ranges in any other unit than bytes are found.
        for lead in ["", "“", "«", "… – ", "\u{FEFF}", "¡", "👩‍👧 "] {
            let text = lead + plain.joined(separator: " “é” e\u{301} — ") + "!"
            let request = SpeechRequest(text: text)
            let rendering = await bench.speak(request, text, &collector, keepingSamples: false)
            let bytes = Array(text.utf8)
            let marked = Set(
                rendering.words.map {
                    String(decoding: bytes[$0.utf8Range.clamped(to: 0..<bytes.count)], as: UTF8.self)
                })
            collector.expect(
                marked.isSuperset(of: plain), "\(text): every known word has its mark",
                seen: "none for \(plain.filter { !marked.contains($0) })")
        }
    }

    func timing(_ collector: inout FindingCollector) async {
        let timing = bench.capabilities.wordTiming
        guard timing != .none else { return }
        let errors = await distances(&collector)
        switch timing {
        case .exact:
            var best = errors
            // A word that begins with random noise is detected too late now and then; a wrong mark is wrong each time.
            for _ in 0..<4 where best.contains(where: { $0 > 0.03 }) {
                best = zip(best, await distances(&collector)).map(min)
            }
            collector.expect(
                best.allSatisfy { $0 <= 0.03 }, "exact marks lie within 30 ms of the word's beginning",
                seen: "\(best.map { Int(1_000 * $0) }) ms")
        default:
            let sorted = errors.sorted()
            let late = sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * 9 / 10)]
            collector.expect(
                late <= 0.2, "nine of ten estimated marks lie within 200 ms of the word's beginning",
                seen: "\(sorted.map { Int(1_000 * $0) }) ms")
        }
    }

    /// Speaks words with silence between them.
    ///
    /// - Returns: How far each word's mark lies from the nearest beginning of sound, in seconds.
    private func distances(_ collector: inout FindingCollector) async -> [Double] {
        let rendering = await bench.speak(
            SpeechRequest(text: bench.spacedText), "words with silence between them", &collector)
        let onsets = SoundOnsets.frames(in: rendering.samples, sampleRate: rendering.sampleRate)
        collector.expect(
            onsets.count >= bench.contract.words.count, "commas make at least 0.04 s of silence between words",
            seen: "\(onsets.count) onsets for \(bench.contract.words.count) words")
        collector.expectEqual(rendering.words.count, bench.contract.words.count, "every word has one mark")
        return rendering.words.map { mark in
            onsets.map { abs(Double($0) - Double(mark.frame)) / Double(rendering.sampleRate) }.min() ?? .infinity
        }
    }
}
