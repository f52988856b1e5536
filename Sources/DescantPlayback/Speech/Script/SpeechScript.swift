internal import DescantCore
internal import Synchronization

/// What an engine has to speak: the text in segments, and what is known of how long they take.
struct SpeechScript: Sendable {
    /// The whole text; utterances are set apart by two line breaks.
    private(set) var bytes: [UInt8] = []
    private(set) var segments: [TextSegment] = []
    private(set) var utterances: [SpeechUtterance] = []
    private(set) var durations = DurationEstimator()
    /// The index of every utterance's first segment.
    private var firstSegments: [Int] = []
    private var nextNumber = 0
    /// The characters before every segment; counted when they are asked for, as that takes longer than everything else.
    private var characterStarts: [Int] = []

    private static let separator: [UInt8] = [0x0A, 0x0A]

    /// Adds a text at the end.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - language: The language that was given with it, if any.
    ///   - rules: The language by whose rules it is taken apart.
    ///   - longestSegment: The maximum length of a segment, in characters.
    mutating func append(
        _ text: String, language: String?, rules: String?, longestSegment: Int
    ) -> SpeechUtterance {
        if !utterances.isEmpty { bytes += Self.separator }
        let start = bytes.count
        bytes += Array(text.utf8)
        let segmenter = TextSegmenter(language: rules, longestSegment: longestSegment)
        firstSegments.append(segments.count)
        if let last = segments.indices.last {
            segments[last].boundary = .paragraph
            durations.setLastBoundary(.paragraph)
        }
        for var segment in segmenter.segments(of: text) {
            let weight = DurationEstimator.weight(
                of: bytes[start + segment.utf8Range.lowerBound..<start + segment.utf8Range.upperBound])
            segment.utf8Range = start + segment.utf8Range.lowerBound..<start + segment.utf8Range.upperBound
            segments.append(segment)
            durations.append(weight: weight, boundary: segment.boundary)
        }
        let utterance = SpeechUtterance(number: nextNumber, utf8Range: start..<bytes.count, language: language)
        nextNumber += 1
        utterances.append(utterance)
        return utterance
    }

    mutating func forgetDurations(pauses: SpeechPauses) { durations.reset(pauses: pauses, after: durations.epoch) }

    /// Begins without a text. The numbers of utterances go on.
    mutating func forgetText(pauses: SpeechPauses) {
        let (epoch, number) = (durations.epoch, nextNumber)
        self = SpeechScript()
        nextNumber = number
        durations.reset(pauses: pauses, after: epoch)
    }

    mutating func note(seconds: Double, of segment: Int, epoch: UInt64) {
        durations.note(seconds: seconds, of: segment, epoch: epoch)
    }

    /// The text of a place.
    func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The utterance that a segment belongs to.
    func utterance(of segment: Int) -> SpeechUtterance? {
        firstSegments.lastIndex { $0 <= segment }.map { utterances[$0] }
    }

    /// The utterances that end with a segment: the one whose last segment it is, and those without segments behind it.
    func utterances(endingWith segment: Int) -> [SpeechUtterance] {
        utterances.indices.filter { endSegment(of: $0) == segment + 1 }.map { utterances[$0] }
    }

    /// The utterances without segments between a segment and the one before it.
    func emptyUtterances(before segment: Int) -> [SpeechUtterance] {
        utterances.indices.filter { firstSegments[$0] == segment && endSegment(of: $0) == segment }
            .map { utterances[$0] }
    }

    /// The segment behind the last one of an utterance.
    private func endSegment(of utterance: Int) -> Int {
        utterance + 1 < firstSegments.count ? firstSegments[utterance + 1] : segments.count
    }

    /// The segment that a place lies in, or the next one; `nil` behind the last one.
    func segment(at offset: Int) -> Int? {
        var low = 0
        var high = segments.count
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].utf8Range.upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        return low < segments.count ? low : nil
    }

    /// Where a segment begins; the end of the text behind the last one.
    func start(of segment: Int) -> Int {
        segments.indices.contains(segment) ? segments[segment].utf8Range.lowerBound : bytes.count
    }

    /// The word at a place, or the one that comes next.
    func offset(of place: TextCursor) -> Int {
        let start = start(of: place.segment)
        switch place.offset {
        case .start: return start
        case .text(let offset): return offset
        case .pause: return self.start(of: place.segment + 1)
        case .share(let share):
            guard segments.indices.contains(place.segment) else { return start }
            let count = segments[place.segment].utf8Range.count
            return wordStart(at: start + Int(share * Double(count)), in: place.segment) ?? start
        case .sound(let piece, let clip, let frame):
            let mark = clip.marks(from: 0).last { $0.frame <= frame }
            return piece.utf8Range.lowerBound + (mark?.utf8Range.lowerBound ?? 0)
        }
    }

    /// The first segment of the sentence that a segment belongs to.
    func sentenceStart(of segment: Int) -> Int {
        var first = segment
        while first > 0, !segments[first].beginsSentence { first -= 1 }
        return first
    }

    /// The first segment of the next sentence; `nil` behind the last one.
    func nextSentence(after segment: Int) -> Int? {
        var next = segment + 1
        while next < segments.count, !segments[next].beginsSentence { next += 1 }
        return next < segments.count ? next : nil
    }

    /// The whole sentence that begins with a segment.
    func sentenceRange(from segment: Int) -> Range<Int> {
        let last = (nextSentence(after: segment) ?? segments.count) - 1
        return segments[segment].utf8Range.lowerBound..<segments[max(segment, last)].utf8Range.upperBound
    }

    /// The start of the word that a place lies in, or of the next one in the segment; `nil` behind its last word. A segment without words
    /// begins with its start.
    func wordStart(at offset: Int, in segment: Int) -> Int? {
        let range = segments[segment].utf8Range
        let words = SpokenWords.ranges(in: string(range))
        guard !words.isEmpty else { return range.lowerBound }
        return words.first { range.lowerBound + $0.upperBound > offset }.map { range.lowerBound + $0.lowerBound }
    }

    // MARK: Characters

    /// The characters before a place.
    mutating func characterOffset(of offset: Int) -> Int {
        countCharacters()
        let segment = max(0, (self.segment(at: offset) ?? segments.count) - 1)
        guard segments.indices.contains(segment) else { return string(0..<offset).count }
        let next = segment + 1 < segments.count && segments[segment + 1].utf8Range.lowerBound <= offset
        let base = next ? segment + 1 : segment
        let start = segments[base].utf8Range.lowerBound
        guard offset >= start else { return string(0..<offset).count }
        return characterStarts[base] + string(start..<min(offset, bytes.count)).count
    }

    /// The place, in UTF-8 bytes, behind a number of characters.
    mutating func offset(ofCharacter count: Int) -> Int {
        countCharacters()
        let segment = max(0, characterStarts.lastIndex { $0 <= count } ?? 0)
        let start = characterStarts.isEmpty || characterStarts[0] > count ? 0 : segments[segment].utf8Range.lowerBound
        let rest = count - (start == 0 ? 0 : characterStarts[segment])
        let end = segment + 1 < segments.count ? segments[segment + 1].utf8Range.lowerBound : bytes.count
        return start + string(start..<max(start, end)).prefix(max(0, rest)).utf8.count
    }

    private mutating func countCharacters() {
        var counted = characterStarts.last ?? 0
        for segment in characterStarts.count..<segments.count {
            let before = segment == 0 ? 0 : segments[segment - 1].utf8Range.lowerBound
            counted += string(before..<segments[segment].utf8Range.lowerBound).count
            characterStarts.append(counted)
        }
    }
}

/// The script that an engine shares with the stream that reads it.
final class SharedScript: Sendable {
    private let script: Mutex<SpeechScript>

    init(_ script: SpeechScript = SpeechScript()) { self.script = Mutex(script) }

    func withScript<Value: Sendable>(_ body: (inout SpeechScript) -> Value) -> Value {
        script.withLock { body(&$0) }
    }
}

/// A text that was handed over to be spoken, within all that a ``SpeechEngine`` has to speak.
public struct SpeechUtterance: Sendable, Hashable {
    /// Counts the utterances of an engine from 0; never reused.
    public var number: Int
    /// The place within the engine's whole text, in UTF-8 bytes. Marks are counted in the whole text too.
    public var utf8Range: Range<Int>
    /// The language that was given with the text, as a BCP 47 tag; `nil` for that of the settings.
    public var language: String?

    /// Creates a description; engines do this.
    ///
    /// - Parameters:
    ///   - number: Counts the utterances of an engine from 0.
    ///   - utf8Range: The place within the engine's whole text, in UTF-8 bytes.
    ///   - language: The language as a BCP 47 tag.
    public init(number: Int, utf8Range: Range<Int>, language: String? = nil) {
        self.number = number
        self.utf8Range = utf8Range
        self.language = language
    }
}
