import PlayerApp
import Testing

/// Keys of layouts for other scripts. The symbols are numbered as in the X Window System.
struct WindowKeyTests {
    /// The symbols of a key: of an English layout, and of another one behind it.
    private func key(
        _ english: Character, _ shifted: Character, _ other: UInt32, _ otherShifted: UInt32
    ) -> [WindowKey.Symbol] {
        let values = [english, shifted].map { $0.unicodeScalars.first?.value ?? 0 } + [other, otherShifted]
        return zip(values, [0, 1, 0, 1]).map { WindowKey.Symbol($0, level: $1) }
    }

    private func command(_ value: UInt32, _ character: Unicode.Scalar?, _ symbols: [WindowKey.Symbol]) -> UInt32 {
        WindowKey.command(value, typing: character, among: symbols)
    }

    private func latin(_ character: Unicode.Scalar) -> UInt32 { character.value }

    @Test func lettersOfOtherScriptsCommandWhatTheLatinOnesOfTheirKeysDo() {
        // Cyrillic, Greek, Hebrew, Arabic, and Georgian, whose letters are numbered by Unicode.
        #expect(command(0x6D4, "т", key("n", "N", 0x6D4, 0x6F4)) == latin("n"))
        #expect(command(0x6F4, "Т", key("n", "N", 0x6D4, 0x6F4)) == latin("N"))
        #expect(command(0x7E6, "ζ", key("z", "Z", 0x7E6, 0x7C6)) == latin("z"))
        #expect(command(0xCEE, "מ", key("n", "N", 0xCEE, 0x4E)) == latin("n"))
        #expect(command(0x5D3, "س", key("s", "S", 0x5D3, 0)) == latin("s"))
        #expect(command(0x10010DB, "მ", key("m", "M", 0x10010DB, 0)) == latin("m"))
        // A digit, and signs that are chosen with Shift.
        #expect(command(0x1000665, "٥", key("5", "%", 0x1000665, 0x25)) == latin("5"))
        #expect(command(0x6E0, "Ю", key(".", ">", 0x6C0, 0x6E0)) == latin(">"))
    }

    @Test func aSymbolOfAnotherLevelHasTheFirstLatinOne() {
        #expect(command(0x7ED, "ν", key("n", "N", 0, 0) + [WindowKey.Symbol(0x7ED, level: 4)]) == latin("n"))
        // With Caps Lock a symbol may be none of the key's.
        #expect(command(0x6F4, "Т", key("n", "N", 0x6D4, 0)) == latin("n"))
    }

    @Test func latinLettersSignsAndKeysWithoutACharacterStay() {
        let symbols = key("2", "@", 0xE9, 0x32)
        #expect(command(0xE9, "é", symbols) == 0xE9)
        #expect(command(0x32, "2", symbols) == 0x32)
        #expect(command(0x1001EBF, "ế", key("3", "#", 0x1001EBF, 0)) == 0x1001EBF)
        #expect(command(0x20AC, "€", key("e", "E", 0x20AC, 0)) == 0x20AC)
        #expect(command(0xFF51, nil, [WindowKey.Symbol(0xFF51, level: 0)]) == 0xFF51)
        #expect(command(0x1008_FF17, "\0", []) == 0x1008_FF17)
    }

    @Test func withoutALatinLayoutALetterStaysWhatItIs() {
        let symbols = [WindowKey.Symbol(0x6D4, level: 0), WindowKey.Symbol(0x6F4, level: 1)]
        #expect(command(0x6D4, "т", symbols) == 0x6D4)
        #expect(command(0x6D4, "т", []) == 0x6D4)
    }
}
