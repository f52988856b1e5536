internal import DescantCore
internal import Foundation
internal import Synchronization

/// A part of a deck, such as one track of an album in one file. Frames count from the beginning of the part.
///
/// Parts that follow each other without a gap sound as the whole deck does: the first frame of the next part is the one behind the
/// last frame of this part.
final class ExcerptDeck: Deck {
    private let whole: any Deck
    /// The first frame of the part, in frames of the whole deck.
    private let start: Int64
    /// The frame behind the part, in frames of the whole deck; `nil` for the deck's end.
    private let end: Int64?
    private let state = Mutex(State())

    private struct State {
        /// Whether everything up to the end was read. The position of a starved read does not tell: it may be that before a seek.
        var hasEnded = false
        /// The number of seeks.
        var seeks: UInt64 = 0
    }

    /// Creates a part; the whole deck belongs to it from now on.
    init(of whole: any Deck, start: Int64, end: Int64?) {
        self.whole = whole
        self.start = start
        self.end = end
    }

    var sampleRate: Int { whole.sampleRate }
    var isFrameCountExact: Bool { whole.isFrameCountExact }
    var isFrameCountEstimated: Bool { end == nil && whole.isFrameCountEstimated }
    var rewindsInstantly: Bool { whole.rewindsInstantly }
    var rate: Double { whole.rate }

    var frameCount: Int64? {
        // An estimate cuts no part off, and tells nothing of a part that begins behind it.
        if whole.isFrameCountEstimated {
            if let end { return max(0, end - start) }
            return whole.frameCount.flatMap { $0 > start ? $0 - start : nil }
        }
        let last = whole.frameCount.map { count in end.map { min($0, count) } ?? count } ?? end
        return last.map { max(0, $0 - start) }
    }

    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        let before = state.withLock { $0 }
        if let frameCount, before.hasEnded { return DeckRead(frames: 0, position: frameCount, condition: .ended) }
        let rate = whole.rate
        var read = whole.read(into: buffer, frames: frames)
        if let end, read.frames > 0 {
            let left = FrameCount(clamping: (Double(end - read.position) / rate).rounded(.up)).value
            if Int64(read.frames) >= left {
                read.frames = Int(max(0, left))
                read.condition = read.frames < frames ? .ended : .complete
                state.withLock { state in if state.seeks == before.seeks { state.hasEnded = true } }
            }
            read.cues.removeAll { $0.frame >= end }
        }
        read.position = max(0, read.position - start)
        read.cues = read.cues.map { PCMCue(frame: $0.frame - start, number: $0.number) }
        return read
    }

    func waitUntilReadable(deadline: UInt64) -> Bool {
        state.withLock { $0.hasEnded } || whole.waitUntilReadable(deadline: deadline)
    }

    func seek(toFrame frame: Int64) { move { whole.seek(toFrame: place(of: frame)) } }

    func setRate(_ rate: Double, fromFrame frame: Int64) {
        move { whole.setRate(rate, fromFrame: place(of: frame)) }
    }

    /// Moves the whole deck, as one step with the change of the state: a read sees neither of them or both.
    private func move(_ operation: () -> Void) {
        state.withLock { state in
            state.hasEnded = false
            state.seeks &+= 1
            operation()
        }
    }

    func close() { whole.close() }

    /// The frame of the whole deck.
    private func place(of frame: Int64) -> Int64 {
        let place = (FrameCount(clamping: max(0, frame)) + FrameCount(clamping: start)).value
        return end.map { min(place, $0) } ?? place
    }
}

/// The part of a file that a URL names by a temporal media fragment: `#t=12.5,60` (https://www.w3.org/TR/media-frags/).
struct MediaFragment: Sendable, Hashable {
    /// Seconds from the beginning of the file.
    let start: Double
    /// Seconds from the beginning of the file; `nil` for its end.
    let end: Double?
    /// The part's name; `nil` without one.
    let name: String?

    /// Reads the fragment of a URL; `nil` when it names no part. As the specification says, an invalid fragment counts as none.
    init?(_ url: URL) {
        guard let fragment = url.fragment(percentEncoded: true) else { return nil }
        var values: [String: String] = [:]
        for pair in fragment.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = String(parts[1]).removingPercentEncoding else { continue }
            values[String(parts[0])] = value
        }
        guard var time = values["t"]?[...] else { return nil }
        if time.hasPrefix("npt:") { time = time.dropFirst(4) }
        let bounds = time.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = bounds.first, let start = first.isEmpty ? 0 : Self.seconds(first) else { return nil }
        self.start = start
        if bounds.count == 2 {
            guard let end = Self.seconds(bounds[1]), end > start else { return nil }
            self.end = end
        } else {
            end = nil
        }
        name = values["id"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads "90.5", "1:30.5" or "0:01:30.5".
    private static func seconds(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard !part.isEmpty, part.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), let value = Double(part)
            else { return nil }
            seconds = seconds * 60 + value
        }
        return seconds.isFinite ? seconds : nil
    }

    /// The file's description as that of the part.
    ///
    /// - Parameter duration: The length of the part in seconds; 0 when unknown.
    func described(_ track: TrackInfo, duration: Double) -> TrackInfo {
        var part = track
        part.title = name ?? track.title
        part.duration = duration
        return part
    }

    /// The length of the part in seconds, cut at the end of the file; 0 when unknown.
    ///
    /// - Parameter duration: The length of the file in seconds; 0 when unknown. One before the part is an estimate that is too low.
    func duration(ofFile duration: Double) -> Double {
        max(0, (duration > start ? min(end ?? duration, duration) : end ?? start) - start)
    }
}

extension OpenedDeck {
    /// Narrows a deck that was opened on a whole file to a part of it, and waits for the part's first frame.
    ///
    /// - Throws: `CoreError.unsupported` when the file ends before the part, or the part cannot be reached. The deck is closed then.
    func narrowed(to part: MediaFragment) async throws -> OpenedDeck {
        let rate = Double(deck.sampleRate)
        let start = FrameCount(seconds: part.start, sampleRate: rate).value
        let end = part.end.map { FrameCount(seconds: $0, sampleRate: rate).value }
        if let count = deck.frameCount, deck.isFrameCountExact, start >= count {
            deck.close()
            let length = (Double(count) / rate * 1_000).rounded() / 1_000
            throw CoreError.unsupported(
                "\(info.name): the part begins at \(part.start) s, but the file ends at \(length) s")
        }
        let excerpt = ExcerptDeck(of: deck, start: start, end: end)
        if start > 0 {
            excerpt.seek(toFrame: 0)
            let isReached = await withCheckedContinuation { continuation in
                DedicatedQueue.run("descant.deck.excerpt") {
                    continuation.resume(
                        returning: excerpt.waitUntilReadable(deadline: MonotonicClock().now() + Self.seekLimit))
                }
            }
            guard isReached else {
                excerpt.close()
                throw CoreError.unsupported("\(info.name): the part at \(part.start) s cannot be reached")
            }
        }
        let duration = excerpt.frameCount.map { Double($0) / rate } ?? 0
        return OpenedDeck(
            deck: excerpt, name: info.name, sourceFormat: info.sourceFormat,
            track: part.described(info.track, duration: duration), decoder: info.decoder,
            decoderReason: info.decoderReason)
    }

    /// How long opening waits for the first frame of a part, in nanoseconds.
    private static let seekLimit: UInt64 = 10_000_000_000
}
