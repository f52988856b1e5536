internal import Foundation

/// The words of a track, with times where they are known.
public struct Lyrics: Sendable, Hashable {
    /// One line.
    public struct Line: Sendable, Hashable {
        /// When it is sung, in seconds from the beginning of the track; `nil` when unknown.
        public var time: Double?
        /// The words.
        public var text: String
    }

    /// The lines: in the order of their times, or as they were written.
    public let lines: [Line]

    /// The maximum number of lines.
    private static let limit = 10_000

    /// Reads words with times as LRC files have them (`[01:23.45]words`), or words alone.
    ///
    /// A line may have several times. `[offset:250]` moves all of them, in milliseconds: positive values show the words earlier. Other
    /// marks, such as `[ar:…]`, and times of single words are left out.
    ///
    /// - Parameter text: The text; `nil` is returned when there are no words in it.
    public init?(parsing text: String) {
        var timed: [Line] = []
        var plain: [Line] = []
        var offset = 0.0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).prefix(Self.limit) {
            var rest = line.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
            var times: [Double] = []
            var isMark = false
            while rest.first == "[", let end = rest.firstIndex(of: "]") {
                let mark = rest[rest.index(after: rest.startIndex)..<end]
                if let time = Self.seconds(mark) {
                    times.append(time)
                } else if let name = mark.firstIndex(of: ":"), mark[..<name].allSatisfy(\.isLetter) {
                    isMark = true
                    if mark[..<name].lowercased() == "offset" {
                        let value = mark[mark.index(after: name)...].trimmingCharacters(in: .whitespaces)
                        offset = Double(value).flatMap { $0.isFinite ? $0 / 1_000 : nil } ?? offset
                    }
                } else {
                    break
                }
                rest = rest[rest.index(after: end)...]
            }
            let words = Self.withoutWordTimes(rest).trimmingCharacters(in: .whitespaces)
            timed += times.map { Line(time: $0, text: words) }
            if times.isEmpty, !isMark { plain.append(Line(time: nil, text: words)) }
        }
        if timed.isEmpty {
            let end = plain.lastIndex { !$0.text.isEmpty }.map { $0 + 1 } ?? 0
            lines = Array(plain[..<end].drop { $0.text.isEmpty })
        } else {
            lines = timed.map { Line(time: max(0, ($0.time ?? 0) - offset), text: $0.text) }.enumerated()
                .sorted { ($0.element.time ?? 0, $0.offset) < ($1.element.time ?? 0, $1.offset) }.map(\.element)
        }
        guard lines.contains(where: { !$0.text.isEmpty }) else { return nil }
    }

    /// Whether the times of the lines are known.
    public var isSynchronized: Bool { lines.first?.time != nil }

    /// Returns the line that is sung at a position; `nil` before the first one and without times.
    ///
    /// - Parameter position: Seconds from the beginning of the track.
    public func line(at position: Double) -> Int? {
        guard isSynchronized else { return nil }
        // Binary search: the number of lines that have begun.
        var range = 0..<lines.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if (lines[middle].time ?? 0) <= position {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound > 0 ? range.lowerBound - 1 : nil
    }

    /// Reads "1:23", "01:23.45" or "01:23:45".
    private static func seconds(_ text: Substring) -> Double? {
        guard let first = text.firstIndex(of: ":"), let minutes = UInt32(text[..<first]) else { return nil }
        let tail = text[text.index(after: first)...].map { $0 == ":" ? "." : $0 }
        guard tail.first?.isNumber == true, let seconds = Double(String(tail)), seconds >= 0, seconds < 60 else {
            return nil
        }
        return Double(minutes) * 60 + seconds
    }

    /// Removes times such as `<00:12.34>`, which enhanced files have before each word.
    private static func withoutWordTimes(_ text: Substring) -> String {
        guard text.contains("<") else { return String(text) }
        return String(text).replacing(#/<\d+:\d\d[.:]\d+>/#, with: "")
    }
}
