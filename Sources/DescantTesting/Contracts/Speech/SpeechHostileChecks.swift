internal import DescantCore

/// Text without a sensible pronunciation; see ``HostileText``.
struct SpeechHostileChecks {
    let bench: SynthesizerBench

    init(_ bench: SynthesizerBench) { self.bench = bench }

    func hostile(_ collector: inout FindingCollector) async {
        let plain = SpeechRequest(text: bench.spacedText)
        let expected = await bench.speak(plain, "a sentence", &collector)
        let word = bench.contract.words[0]
        let quiet = await bench.speak(SpeechRequest(text: word + "."), "a word", &collector)
        for hostile in HostileText.corpus(length: bench.contract.hostileLength) {
            // The word behind the hostile text has to be spoken in any case.
            let request = SpeechRequest(text: hostile.text + " \n" + word + ".")
            let rendering = await bench.speak(request, hostile.name, &collector, keepingSamples: false)
            let end = request.text.utf8.count - 1
            let range = end - word.utf8.count..<end
            if bench.capabilities.wordTiming != .none {
                let isSpoken = rendering.words.contains { $0.utf8Range == range }
                collector.expect(
                    isSpoken, "the word behind \(hostile.name) is spoken",
                    seen: "\(rendering.words.last?.utf8Range as Any) instead of \(range)")
            }
            collector.expect(
                rendering.peak > 0.01 && rendering.seconds > 0.5 * quiet.seconds,
                "the word behind \(hostile.name) sounds", seen: "\(rendering.seconds) s")
        }
        let after = await bench.speak(plain, "a sentence after hostile text", &collector)
        bench.expectSame(after, expected, "hostile text does not change the next request", &collector)
    }
}
