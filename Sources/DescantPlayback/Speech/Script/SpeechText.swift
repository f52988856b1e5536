/// Text as synthesizers get it.
enum SpeechText {
    /// Replaces control characters, line breaks and what stands for damaged text by blanks of the same length in UTF-8, so that
    /// offsets stay what they are.
    static func clean(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: needsCleaning) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard needsCleaning(scalar) else {
                result.append(scalar)
                continue
            }
            switch UTF8.width(scalar) {
            case 1: result.append(" ")
            case 2: result.append("\u{A0}")
            case 3: result.append("\u{2003}")
            default: result.append(contentsOf: "\u{A0}\u{A0}".unicodeScalars)
            }
        }
        return String(result)
    }

    private static func needsCleaning(_ scalar: Unicode.Scalar) -> Bool {
        // Letters, which nearly everything is, need no closer look.
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        let kind = ScalarKind(scalar)
        return kind == .control || kind == .newline
    }
}
