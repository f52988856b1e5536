internal import DescantCore

/// Where the links of a chained Ogg file begin in the deck.
struct ChainTable: Sendable {
    /// A link in frames of the deck.
    struct Link: Sendable {
        /// The first frame.
        var start: Int64
        /// The number of frames.
        var frames: Int64

        var end: Int64 { start + frames }
    }

    let links: [Link]
    /// Whether all links have one sample rate. The number of frames of a link that is resampled is rounded.
    let isExact: Bool

    /// - Parameters:
    ///   - links: The links, one or more.
    ///   - sampleRate: The rate of the deck, in Hz.
    init(_ links: [ExactLength.Link], sampleRate: Int) {
        var start: Int64 = 0
        self.links = links.map { link in
            let seconds = Double(link.length.frames ?? 0) / Double(link.length.sampleRate)
            let frames =
                link.length.scaled(to: sampleRate)?.frames
                ?? FrameCount(clamping: (seconds * Double(sampleRate)).rounded()).value
            defer { start += frames }
            return Link(start: start, frames: frames)
        }
        isExact = Set(links.map(\.length.sampleRate)).count == 1
    }

    /// The number of frames of all links.
    var frames: Int64 { links.last?.end ?? 0 }

    /// The link that holds a frame; the last one for frames behind the end.
    func index(of frame: Int64) -> Int {
        var (low, high) = (0, links.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if frame < links[middle].end { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
