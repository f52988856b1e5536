package import DescantCore

/// Maps output frames to source positions; one linear segment for every start, seek and pause.
///
/// Rendering runs ahead of the loudspeaker; the log gives the position that is heard now.
package struct TimelineLog: Sendable {
    private struct Entry {
        var frame: Int64
        var deck: DeckID?
        var seconds: Double
        /// Source seconds per output frame; 0 while frozen.
        var slope: Double
    }

    private var entries: [Entry] = []

    package init() {}

    /// From this output frame on, the deck sounds from a position at a speed.
    package mutating func mark(frame: Int64, deck: DeckID?, seconds: Double, slope: Double) {
        while let last = entries.last, last.frame >= frame { entries.removeLast() }
        entries.append(Entry(frame: frame, deck: deck, seconds: seconds, slope: slope))
        // A thousand starts back is no longer heard.
        if entries.count > 1_024 { entries.removeFirst(512) }
    }

    /// The deck and its position at an output frame.
    package func position(at frame: Int64) -> (deck: DeckID?, seconds: Double)? {
        guard let entry = entries.last(where: { $0.frame <= frame }) ?? entries.first else { return nil }
        return (entry.deck, entry.seconds + entry.slope * Double(max(0, frame - entry.frame)))
    }

    /// Drops the segments that end before an output frame.
    package mutating func forget(before frame: Int64) {
        guard let keep = entries.lastIndex(where: { $0.frame <= frame }), keep > 16 else { return }
        entries.removeFirst(keep)
    }
}
