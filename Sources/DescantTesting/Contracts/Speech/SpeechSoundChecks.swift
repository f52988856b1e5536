internal import DescantCore

/// The samples, the speed, and text without words.
struct SpeechSoundChecks {
    let bench: SynthesizerBench

    init(_ bench: SynthesizerBench) { self.bench = bench }

    func sound(_ collector: inout FindingCollector) async {
        let rendering = await bench.speak(SpeechRequest(text: bench.spacedText), "a sentence", &collector)
        collector.expect(
            (0.02...1.5).contains(rendering.peak), "speech is audible", seen: "a peak of \(rendering.peak)")
        let each = rendering.seconds / Double(max(1, bench.contract.words.count))
        collector.expect((0.05...5).contains(each), "a word takes 0.05…5 s", seen: "\(each) s")
        collector.expectEqual(rendering.warnings, [], "known words are spoken without a warning")
        let again = await bench.speak(SpeechRequest(text: bench.spacedText), "the sentence again", &collector)
        bench.expectSame(again, rendering, "the same request returns the same speech", &collector)
        let longer = await bench.speak(
            SpeechRequest(text: bench.spacedText + " " + bench.spacedText), "two sentences", &collector)
        collector.expect(
            (1.7...2.6).contains(longer.seconds / max(0.01, rendering.seconds)), "twice the text takes twice the time",
            seen: "\(longer.seconds) s after \(rendering.seconds) s")
    }

    func rate(_ collector: inout FindingCollector) async {
        let range = bench.capabilities.rateRange
        let normal = await bench.speak(SpeechRequest(text: bench.spacedText), "rate 1", &collector)
        for wanted in [0.7, 1.5] {
            let rate = min(max(wanted, range.lowerBound), range.upperBound)
            let request = SpeechRequest(text: bench.spacedText, rate: rate)
            let rendering = await bench.speak(request, "rate \(rate)", &collector)
            let factor = normal.seconds / max(0.001, rendering.seconds)
            collector.expect(
                abs(factor / rate - 1) < 0.25, "at rate \(rate) speech is \(rate) times as fast",
                seen: "\(factor) times")
        }
        for (rate, limit) in [(0.0001, range.lowerBound), (1_000, range.upperBound)] {
            let outside = await bench.speak(
                SpeechRequest(text: bench.spacedText, rate: rate), "rate \(rate)", &collector)
            let inside = await bench.speak(
                SpeechRequest(text: bench.spacedText, rate: limit), "rate \(limit)", &collector)
            bench.expectSame(outside, inside, "a rate of \(rate) is clamped to the range", &collector)
        }
        for value: Double in [.nan, -.infinity, 0] {
            let request = SpeechRequest(text: bench.spacedText, rate: value, pitch: value)
            let odd = await bench.speak(request, "rate and pitch \(value)", &collector)
            collector.expect(odd.peak > 0.01, "rate and pitch \(value) are clamped to the range", seen: "no sound")
        }
    }

    func nothing(_ collector: inout FindingCollector) async {
        for text in [
            "", " ", "\n\t \u{00A0}", "…", "?!", "— – ' \" ( ) [ ]", "\u{0}\u{7}\u{1B}", "\u{200F}\u{200E}\u{FEFF}",
        ] {
            let rendering = await bench.speak(SpeechRequest(text: text), "\(text.debugDescription)", &collector)
            collector.expect(
                rendering.peak < 0.001 && rendering.seconds < 1 && rendering.words.isEmpty,
                "text without words makes no sound", seen: "\(rendering.seconds) s for \(text.debugDescription)")
        }
    }
}
