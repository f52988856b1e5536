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
