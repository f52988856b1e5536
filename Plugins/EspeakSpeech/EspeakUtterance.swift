internal import Descant
internal import Foundation

/// A request in the terms of espeak-ng.
struct EspeakUtterance {
    private static let rateRange = 80.0...450.0
    /// The normal rate of espeak-ng, in words per minute.
    static let normalRate = 175.0
    /// The rates that it speaks without leaving sound out, relative to the normal one.
    static let rates = rateRange.lowerBound / normalRate...rateRange.upperBound / normalRate
    static let pitches = 0.5...2.0

    let request: SpeechRequest
    private let spoken: SpokenText
    private let words: [Range<Int>]

    init(_ request: SpeechRequest) {
        self.request = request
        // Known to end espeak-ng 1.51: words of 165 letters, numbers of 13 digits.
        spoken = SpokenText(request.text, limits: .init(letters: 60, digits: 9, signs: 8))
        words = SpokenWords.ranges(in: request.text)
    }

    /// The beginning of the text, for messages.
    var excerpt: String { "\"" + request.text.prefix(40) + (request.text.count > 40 ? "…\"" : "\"") }

    /// Whether the text has words; espeak-ng would pronounce single punctuation marks.
    var hasWords: Bool { !words.isEmpty }

    var spokenText: String { spoken.text }

    var wordsPerMinute: Int32 { Int32((Self.normalRate * request.rate.brought(into: Self.rates)).rounded()) }

    /// 0…100: from half to twice the voice's own pitch, which is at 50.
    var pitch: Int32 { Int32((50 + 50 * log2(request.pitch.brought(into: Self.pitches))).rounded()) }

    /// The parts of the request that are not carried out as requested.
    func warnings(voice: SpeechVoice) -> [SpeechWarning] {
        let whole = 0..<request.text.utf8.count
        var warnings = spoken.omitted.map {
            SpeechWarning(kind: .unsupportedCharacters, utf8Range: $0, message: "these characters have no sound")
        }
        if request.rate != request.rate.brought(into: Self.rates)
            || request.pitch != request.pitch.brought(into: Self.pitches)
        {
            let message = "espeak speaks at rates of \(Self.rates) and pitches of \(Self.pitches)"
            warnings.append(SpeechWarning(kind: .adjustedParameter, utf8Range: whole, message: message))
        }
        if let language = request.language?.lowercased().split(separator: "-").first,
            !voice.languages.contains(where: { $0.lowercased().split(separator: "-").first == language })
        {
            let message = "voice \(voice.identifier) speaks \(voice.languages.joined(separator: ", ")), not \(language)"
            warnings.append(SpeechWarning(kind: .unsupportedLanguage, utf8Range: whole, message: message))
        }
        return warnings
    }

    /// The word at a place of the spoken text, unless it or a later one had its mark already: espeak-ng repeats itself for
    /// numbers and signs.
    ///
    /// - Parameters:
    ///   - scalar: The place, in scalars.
    ///   - next: The index of the first word that has no mark yet; moved behind the word.
    func word(atScalar scalar: Int, next: inout Int) -> Range<Int>? {
        let offset = spoken.sourceOffset(ofScalar: scalar)
        guard let index = words[next...].firstIndex(where: { $0.upperBound > offset }) else { return nil }
        next = index + 1
        return words[index]
    }
}

extension Double {
    /// The nearest value of a range; 1 for NaN.
    func brought(into range: ClosedRange<Double>) -> Double {
        isNaN ? 1 : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
