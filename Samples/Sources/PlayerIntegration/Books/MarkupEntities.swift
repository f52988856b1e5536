/// What stands between `&` and `;` in XML and HTML.
enum MarkupEntities {
    /// The names of the characters 160 to 255, in their order.
    private static let latin = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro \
        para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil \
        Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave \
        Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml \
        igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute \
        thorn yuml
        """

    private static let named: [String: Unicode.Scalar] = {
        var table: [String: Unicode.Scalar] = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "ndash": "–", "mdash": "—", "lsquo": "‘",
            "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "hellip": "…", "bull": "•",
            "euro": "€",
            "dagger": "†", "trade": "™", "ensp": "\u{2002}", "emsp": "\u{2003}", "thinsp": "\u{2009}",
            "zwnj": "\u{200C}",
            "zwj": "\u{200D}", "lrm": "\u{200E}", "rlm": "\u{200F}", "OElig": "Œ", "oelig": "œ", "Scaron": "Š",
            "scaron": "š", "Yuml": "Ÿ", "lsaquo": "‹", "rsaquo": "›", "prime": "′", "Prime": "″", "minus": "−",
        ]
        for (index, name) in latin.split(separator: " ").enumerated() {
            table[String(name)] = Unicode.Scalar(UInt8(160 + index))
        }
        return table
    }()

    /// The longest entity that is looked for, in characters.
    private static let longest = 12

    /// Puts characters in the place of entities; what is none stays.
    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let sign = rest.firstIndex(of: "&") {
            result += rest[..<sign]
            rest = rest[sign...]
            let inside = rest.dropFirst().prefix(longest)
            guard let end = inside.firstIndex(of: ";"), let scalar = scalar(inside[..<end]) else {
                result += "&"
                rest = rest.dropFirst()
                continue
            }
            result.unicodeScalars.append(scalar)
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func scalar(_ name: Substring) -> Unicode.Scalar? {
        guard name.first == "#" else { return named[String(name)] }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let value = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        switch value {
        case nil, 0: return nil
        // HTML takes the numbers of control characters for what they are in Windows-1252.
        case let value? where (0x80..<0xA0).contains(value): return TextDecoding.latin(UInt8(value))
        case let value?: return Unicode.Scalar(value)
        }
    }
}
