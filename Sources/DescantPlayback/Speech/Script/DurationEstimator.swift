/// How long segments take: known of those that were made, estimated for the others in proportion to their characters.
///
/// Ten sentences of a chapter tell the length of the whole within 3 %. Times are seconds at the rate 1.
struct DurationEstimator: Sendable {
    private struct Entry {
        var weight: Double
        var boundary: TextSegment.Boundary
        var seconds: Double?
    }

    private var entries: [Entry] = []
    private var pauses = SpeechPauses()
    /// Counts how often everything was forgotten: what is noted later of an earlier time is of another voice or text.
    private(set) var epoch: UInt64 = 0
    private var known = (seconds: 0.0, weight: 0.0, count: 0)

    /// Fifteen letters a second: what voices speak as long as nothing is known.
    private static let firstGuess = 1.0 / 15

    /// How much time a text takes compared with one letter.
    static func weight(of bytes: ArraySlice<UInt8>) -> Double {
        var weight = 0.0
        for byte in bytes where byte & 0xC0 != 0x80 {
            // Three and four bytes are mostly ideographs and emoji, which stand for whole words.
            weight += byte >= 0xE3 ? 3 : 1
        }
        return weight
    }

    mutating func append(weight: Double, boundary: TextSegment.Boundary) {
        entries.append(Entry(weight: weight, boundary: boundary))
    }

    /// Something follows what was the last segment.
    mutating func setLastBoundary(_ boundary: TextSegment.Boundary) {
        if let last = entries.indices.last { entries[last].boundary = boundary }
    }

    /// Forgets what was known, as another voice takes another time.
    mutating func reset(pauses: SpeechPauses, after epoch: UInt64) {
        self.epoch = epoch + 1
        self.pauses = pauses
        known = (0, 0, 0)
        for index in entries.indices { entries[index].seconds = nil }
    }

    mutating func note(seconds: Double, of segment: Int, epoch: UInt64) {
        guard epoch == self.epoch, entries.indices.contains(segment), entries[segment].seconds == nil else { return }
        entries[segment].seconds = seconds
        known.count += 1
        // What has no sound tells nothing of how long the rest takes.
        guard seconds > 0 else { return }
        known.seconds += seconds
        known.weight += entries[segment].weight
    }

    /// Whether the length of every segment is known.
    var isExact: Bool { known.count == entries.count }

    private var secondsPerWeight: Double {
        known.weight > 0 ? known.seconds / known.weight : Self.firstGuess
    }

    /// The length of a segment without the pause behind it.
    func seconds(of segment: Int) -> Double {
        guard entries.indices.contains(segment) else { return 0 }
        return entries[segment].seconds ?? entries[segment].weight * secondsPerWeight
    }

    /// The pause behind a segment; none behind the last one.
    func pause(behind segment: Int) -> Double {
        segment + 1 < entries.count ? pauses.seconds(behind: entries[segment].boundary) : 0
    }

    /// The seconds from the beginning to a segment.
    func start(of segment: Int) -> Double {
        (0..<min(segment, entries.count)).reduce(0) { $0 + seconds(of: $1) + pause(behind: $1) }
    }

    /// The length of everything.
    var total: Double { start(of: entries.count) }

    /// The place at a moment; `nil` at the end.
    func cursor(at seconds: Double) -> TextCursor? {
        var start = 0.0
        for segment in entries.indices {
            let length = self.seconds(of: segment)
            let end = start + length + pause(behind: segment)
            if seconds <= start { return .start(of: segment) }
            if seconds < start + length {
                return TextCursor(segment: segment, offset: .share((seconds - start) / length))
            }
            if seconds < end { return TextCursor(segment: segment, offset: .pause(left: end - seconds)) }
            start = end
        }
        return nil
    }
}
