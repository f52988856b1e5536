internal import DescantCore

/// A segment, or what is left of one, with the request that makes its sound.
struct SpokenPiece: Sendable {
    /// The segment's index in the script.
    var segment: Int
    /// The place in the whole text, in UTF-8 bytes.
    var utf8Range: Range<Int>
    /// Whether it is the whole segment.
    var isWhole: Bool
    var request: SpeechRequest

    /// The piece of a segment.
    ///
    /// - Parameters:
    ///   - segment: The segment's index.
    ///   - offset: Where to begin, in UTF-8 bytes of the whole text; `nil` for the beginning.
    ///   - script: The script.
    ///   - settings: How to speak it.
    ///   - capabilities: What the synthesizer can do.
    init(
        _ segment: Int, from offset: Int? = nil, in script: SpeechScript, settings: SpeechSettings,
        capabilities: SpeechCapabilities
    ) {
        self.segment = segment
        let whole = script.segments[segment].utf8Range
        let start = offset.map { whole.contains($0) ? $0 : whole.lowerBound } ?? whole.lowerBound
        utf8Range = start..<whole.upperBound
        isWhole = start == whole.lowerBound
        let rate = capabilities.rateControl == .synthesis ? settings.rate : 1
        request = SpeechRequest(
            text: SpeechText.clean(script.string(utf8Range)), voice: settings.voice,
            language: script.utterance(of: segment)?.language ?? settings.language,
            rate: rate.clamped(to: capabilities.rateRange), pitch: settings.pitch.clamped(to: capabilities.pitchRange))
    }
}

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

/// Where in a script a voice is.
struct TextCursor: Sendable {
    /// How far into the sound of a segment.
    enum Offset: Sendable {
        /// The first frame.
        case start
        /// A place in the whole text, in UTF-8 bytes: the sound is synthesized from there.
        case text(Int)
        /// A share of the segment's sound, 0…1.
        case share(Double)
        /// A frame of a sound that goes on, whatever the settings are now.
        case sound(SpokenPiece, SpeechClip, frame: Int)
        /// In the pause behind the segment, with so much of it to come, in seconds at the rate 1.
        case pause(left: Double)
    }

    var segment: Int
    var offset: Offset

    static func start(of segment: Int) -> TextCursor { TextCursor(segment: segment, offset: .start) }
}
