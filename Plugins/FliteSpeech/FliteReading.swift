internal import CFlite
internal import Descant
internal import Foundation

/// One request, spoken piece by piece.
final class FliteReading {
    /// Kept before the first and behind the last sound of a request, in seconds.
    private static let margin = 0.01

    private let request: SpeechRequest
    private let voice: FliteVoice
    private let feed: SpeechFeed
    private let rate: Double
    private let pitch: Double
    private let spoken: SpokenText
    private let words: [Range<Int>]

    private var nextWord = 0
    private var frames: Int64 = 0
    private var sampleRate = 16_000
    private var onsets: SpeechOnsets?
    private var isWanted = true

    init(_ request: SpeechRequest, voice: FliteVoice, capabilities: SpeechCapabilities, feed: SpeechFeed) {
        self.request = request
        self.voice = voice
        self.feed = feed
        rate = request.rate.brought(into: capabilities.rateRange)
        pitch = voice.hasPitch ? request.pitch.brought(into: capabilities.pitchRange) : 1
        // Known to damage flite 2.2: 500 signs in a row; long words and numbers take it minutes.
        spoken = SpokenText(
            request.text, limits: .init(letters: 60, digits: 9, signs: 3), rewrite: EnglishLetters.form(of:))
        words = SpokenWords.ranges(in: request.text)
    }

    func speak() throws {
        let warnings = warnings()
        if !warnings.isEmpty, !feed.send(SpeechChunk(samples: [], sampleRate: sampleRate, warnings: warnings)) {
            return
        }
        let text = Array(spoken.text.utf8)
        // flite would pronounce a single punctuation mark.
        let pieces = FlitePieces.ranges(in: text).filter { piece in
            text[piece].contains { $0 >= 48 && Character(Unicode.Scalar($0)).isLetter || (48...57).contains($0) }
        }
        guard !pieces.isEmpty, !words.isEmpty else { return }
        let loaded = try voice.load()
        for (index, piece) in pieces.enumerated() where isWanted {
            try speak(text, piece, isFirst: index == 0, isLast: index == pieces.count - 1, with: loaded)
        }
        if isWanted, let rest = onsets?.finish() { _ = feed.send(rest) }
    }

    private func speak(
        _ text: [UInt8], _ piece: Range<Int>, isFirst: Bool, isLast: Bool, with loaded: UnsafeMutablePointer<cst_voice>
    ) throws {
        var position = 0  // In the piece, in frames.
        var hasMarks = false
        try FliteUtterance.speak(
            String(decoding: text[piece], as: UTF8.self), voice: loaded, stretch: 1 / rate,
            meanPitch: pitch == 1 ? nil : voice.meanPitch * pitch
        ) { [self] plan, samples, sampleRate in
            self.sampleRate = sampleRate
            // The player adds silence around the sound of a request.
            let first = isFirst ? frame(max(0, plan.soundStart - Self.margin)) : 0
            let end = isLast ? frame(plan.soundEnd + Self.margin) : Int.max
            var marks: [SpeechMark] = []
            if !hasMarks {
                hasMarks = true
                marks = self.marks(for: plan.tokens, text, piece, firstFrame: first)
            }
            let kept = samples[
                max(0, min(samples.count, first - position))..<max(0, min(samples.count, end - position))]
            position += samples.count
            return give(Array(kept), marks)
        }
    }

    private func give(_ samples: [Float], _ marks: [SpeechMark]) -> Bool {
        var onsets = self.onsets ?? SpeechOnsets(sampleRate: sampleRate)
        frames += Int64(samples.count)
        if let chunk = onsets.append(samples, marks: marks) { isWanted = feed.send(chunk) }
        self.onsets = onsets
        return isWanted && !feed.isClosed
    }

    /// flite's tokens are in the order of the text; the position that flite reports is not that of the token.
    private func marks(
        for tokens: [FliteUtterance.Token], _ text: [UInt8], _ piece: Range<Int>, firstFrame: Int
    ) -> [SpeechMark] {
        var cursor = piece.lowerBound
        return tokens.compactMap { token in
            let name = Array(token.name.utf8)
            guard let place = text[cursor..<piece.upperBound].firstRange(of: name) else { return nil }
            cursor = place.upperBound
            let offset = spoken.sourceOffset(ofScalar: place.lowerBound)
            guard let index = words[nextWord...].firstIndex(where: { $0.upperBound > offset }) else { return nil }
            nextWord = index + 1
            let frame = frames + Int64(max(0, frame(token.start) - firstFrame))
            return SpeechMark(kind: .word, utf8Range: words[index], frame: frame, isEstimated: false)
        }
    }

    private func frame(_ seconds: Double) -> Int { Int((seconds * Double(sampleRate)).rounded()) }

    private func warnings() -> [SpeechWarning] {
        var warnings = spoken.omitted.map {
            SpeechWarning(
                kind: .unsupportedCharacters, utf8Range: $0,
                message: "flite has no sound for these characters; another engine may, such as espeak")
        }
        let whole = 0..<request.text.utf8.count
        if request.rate != rate || request.pitch != pitch {
            let message = "flite speaks at rates of 0.25…4 and pitches of 0.5…2; voice rms has one pitch"
            warnings.append(SpeechWarning(kind: .adjustedParameter, utf8Range: whole, message: message))
        }
        if let language = request.language?.lowercased(), language != "en", !language.hasPrefix("en-") {
            let message = "voice \(voice.rawValue) speaks English, not \(language)"
            warnings.append(SpeechWarning(kind: .unsupportedLanguage, utf8Range: whole, message: message))
        }
        return warnings
    }
}

extension Double {
    /// The nearest value of a range; 1 for NaN.
    func brought(into range: ClosedRange<Double>) -> Double {
        isNaN ? 1 : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

/// Divides a text into pieces, which flite speaks one after another. flite computes all features of a piece before its first
/// sample, so a piece is a sentence or a part of a long one.
enum FlitePieces {
    private static let longest = 240

    /// The pieces, as ranges of bytes.
    ///
    /// - Parameter text: ASCII.
    static func ranges(in text: [UInt8]) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = 0
        var lastSpace: Int?
        for (index, byte) in text.enumerated() {
            let isSpace = byte == UInt8(ascii: " ")
            let endsSentence =
                isSpace && index > start && ".!?".utf8.contains(text[index - 1]) && !isInitial(text, before: index)
            if endsSentence || (index - start >= longest && (isSpace || lastSpace != nil)) {
                let end = endsSentence || isSpace ? index : lastSpace ?? index
                pieces.append(start..<end)
                start = end
                lastSpace = nil
            } else if isSpace {
                lastSpace = index
            }
        }
        pieces.append(start..<text.count)
        return pieces.filter { !$0.isEmpty }
    }

    /// Whether the full stop before a place belongs to an initial or a short word such as Dr.
    private static func isInitial(_ text: [UInt8], before index: Int) -> Bool {
        guard text[index - 1] == UInt8(ascii: ".") else { return false }
        let word = text[..<(index - 1)].reversed().prefix { $0 != UInt8(ascii: " ") }
        return word.count <= 2 || word.contains(UInt8(ascii: "."))
    }
}

/// Replaces characters with the ASCII that flite reads.
enum EnglishLetters {
    /// The text for a character; `nil` for one without a pronunciation.
    static func form(of character: Character) -> String? {
        if character.isASCII { return String(character) }
        if let known = known[character] { return known }
        // é is e with an accent; ﬁ, ① and full-width signs have plain forms.
        let plain = String(character).decomposedStringWithCompatibilityMapping.unicodeScalars.filter(\.isASCII)
        if !plain.isEmpty { return String(String.UnicodeScalarView(plain)) }
        let isSpoken = character.isLetter || character.isNumber || character.isSymbol
        return isSpoken ? nil : " "
    }

    private static let known: [Character: String] = [
        "’": "'", "‘": "'", "‚": ",", "“": "\"", "”": "\"", "„": "\"", "«": "\"", "»": "\"", "–": " - ", "—": " - ",
        "‐": "-", "‑": "-", "−": " minus ", "…": "...", "·": " ", "•": " ", "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe",
        "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "th", "þ": "th", "Þ": "Th",
        "ı": "i",
        "×": " times ", "÷": " divided by ", "°": " degrees ", "€": " euros ", "£": " pounds ", "¥": " yen ",
        "¢": " cents ",
        "§": " section ", "©": " copyright ", "®": " ", "™": " ", "µ": " micro ", "¿": " ", "¡": " ",
    ]
}
