internal import Foundation

/// Brings characters to those that flite reads: ASCII.
enum EnglishLetters {
    /// What flite gets for a character; `nil` for one that it has no sound for.
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
