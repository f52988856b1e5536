/// Text without a sensible pronunciation that a program may pass to a synthesizer.
public struct HostileText: Sendable, Hashable {
    /// A short description of the text.
    public var name: String
    /// The text.
    public var text: String

    /// All hostile texts.
    ///
    /// - Parameter length: The length of the longest texts, in characters.
    public static func corpus(length: Int) -> [HostileText] {
        let letters = String((0..<length).map { Character(Unicode.Scalar(UInt8(97 + $0 * 7 % 26))) })
        let controls = String((0..<32).map { Character(Unicode.Scalar(UInt8($0))) }) + "\u{7F}\u{80}\u{9F}"
        let surrogates = String(
            decoding: [0x61, 0xED, 0xA0, 0x80, 0x62, 0xED, 0xBF, 0xBF, 0xC3, 0x28, 0xFF], as: UTF8.self)
        let oddities = [0xE000, 0xF8FF, 0x10FFFD, 0x378, 0xFFFE, 0xFDD0].compactMap { Unicode.Scalar(UInt32($0)) }
        return [
            HostileText(name: "a word of many letters", text: letters),
            HostileText(name: "dots in letters", text: "e.g. " + letters.prefix(400) + " U.S. " + letters.prefix(165)),
            HostileText(name: "a number of many digits", text: String(repeating: "1234567890", count: length / 10)),
            HostileText(name: "numbers of 13 and 14 digits", text: "1234567890123 12345678901234"),
            HostileText(name: "dots", text: String(repeating: ".", count: length)),
            HostileText(name: "signs", text: String(repeating: "%$#@!?;:,", count: length / 9)),
            HostileText(name: "one letter again and again", text: String(repeating: "a", count: length)),
            HostileText(name: "control characters", text: controls),
            HostileText(name: "lone surrogates", text: surrogates),
            HostileText(
                name: "marks of direction", text: "\u{200F}\u{202E}abc\u{202C}\u{2066}def\u{2069}\u{200E}\u{061C}"),
            HostileText(name: "accents without end", text: "e" + String(repeating: "\u{301}", count: min(length, 500))),
            HostileText(name: "joined emoji", text: String(repeating: "👩‍👧\u{200D}", count: min(length, 50))),
            HostileText(name: "white space", text: String(repeating: " \n\t", count: length)),
            HostileText(name: "markup", text: "<speak><break time='99s'/>&lt;[[h@'loU]]</speak> \\pau=9999\\ "),
            HostileText(name: "scripts", text: "日本語のテキスト。مرحبا بالعالم שלום עולם ไทย 한국어 हिन्दी"),
            HostileText(name: "private and unassigned", text: String(String.UnicodeScalarView(oddities))),
        ]
    }
}
