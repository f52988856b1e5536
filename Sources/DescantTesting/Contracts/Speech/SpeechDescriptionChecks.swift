internal import DescantCore

/// The capabilities and voices of a synthesizer, and the requests that it must refuse.
struct SpeechDescriptionChecks {
    let bench: SynthesizerBench

    init(_ bench: SynthesizerBench) { self.bench = bench }

    func description(_ collector: inout FindingCollector) async throws {
        let capabilities = bench.capabilities
        collector.expect(capabilities.concurrency >= 1, "concurrency is 1 or more", seen: "\(capabilities.concurrency)")
        for (name, range) in [("rate", capabilities.rateRange), ("pitch", capabilities.pitchRange)] {
            collector.expect(
                range.lowerBound > 0 && range.upperBound.isFinite && range.contains(1),
                "the \(name) range is positive, finite and contains 1", seen: "\(range)")
        }
        collector.expect(
            capabilities.longestRequest >= 1, "the longest request is 1 or more", seen: "\(capabilities.longestRequest)"
        )
        let voices = try await bench.voices()
        collector.expect(!voices.isEmpty, "there is a voice", seen: "none")
        collector.expectEqual(
            Set(voices.map(\.identifier)).count, voices.count, "every voice has an identifier of its own")
        for voice in voices {
            collector.expect(!voice.identifier.isEmpty && !voice.name.isEmpty, "voices have names", seen: "\(voice)")
            collector.expect(
                !voice.languages.isEmpty && voice.languages.allSatisfy(Self.isLanguageTag),
                "a voice's languages are BCP 47 tags", seen: "\(voice.languages) of \(voice.identifier)")
        }
        for language in capabilities.languages {
            collector.expect(Self.isLanguageTag(language), "languages are BCP 47 tags", seen: language)
        }
        collector.expectEqual(try await bench.voices(), voices, "a second call returns the same voices")
        await checkDefault(voices, &collector)
    }

    /// Whether a text has the form of a language tag: letters, then subtags of letters and digits, of at most 8 characters.
    static func isLanguageTag(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, (1...8).contains(first.count), first.allSatisfy({ $0.isASCII && $0.isLetter })
        else { return false }
        return parts.dropFirst().allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
    }

    private func checkDefault(_ voices: [SpeechVoice], _ collector: inout FindingCollector) async {
        let text = bench.spacedText
        let plain = await bench.speak(SpeechRequest(text: text), "the default voice", &collector)
        for voice in voices.prefix(1) {
            let named = await bench.speak(
                SpeechRequest(text: text, voice: voice.identifier), "voice \(voice.identifier)", &collector)
            bench.expectSame(named, plain, "the first voice is the default one", &collector)
        }
        let inLanguage = await bench.speak(
            SpeechRequest(text: text, language: bench.contract.language), "a request in a language", &collector)
        collector.expect(inLanguage.peak > 0.01, "a request in a language sounds", seen: "\(inLanguage.peak)")
    }

    func refusals(_ collector: inout FindingCollector) async throws {
        let cases: [(String, SpeechRequest, Set<String>)] = [
            ("an unknown voice", SpeechRequest(text: "one", voice: "no-such-voice"), ["notFound"]),
            ("a language that no voice speaks", SpeechRequest(text: "one", language: "qaa"), ["unsupported"]),
            ("a damaged language tag", SpeechRequest(text: "one", language: "\u{0}/é"), ["unsupported"]),
        ]
        for (what, request, codes) in cases {
            let rendering = await bench.render(request)
            collector.expectError(codes, "\(what) is refused") {
                if let error = rendering.error { throw error }
                return "\(rendering.frameCount) frames"
            }
        }
        let prepared = SpeechRequest(text: "", language: bench.contract.language)
        try await withTimeout(bench.contract.limit) { [synthesizer = bench.synthesizer] in
            try await synthesizer.prepare(prepared)
            try await synthesizer.prepare(prepared)
        }
        _ = await bench.speak(SpeechRequest(text: bench.spacedText), "a request after a refusal", &collector)
    }
}
