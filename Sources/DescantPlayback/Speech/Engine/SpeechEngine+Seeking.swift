public import DescantCore
internal import Foundation

extension SpeechEngine {
    /// A sentence that was heard for longer than this restarts at ``previousSentence()``, in seconds at the rate 1.
    private static let restartLimit = 1.0

    /// Moves to a position; frozen speech stays frozen.
    ///
    /// - Parameter position: Seconds at the rate 1, a share of the whole, or characters; clamped to the text. At a place in the
    ///   text speech begins with the word there. Seconds of what was not made yet are estimated.
    /// - Throws: ``CoreError/invalidState(_:)`` without a text, or what the synthesizer throws.
    public func seek(to position: MediaPosition) async throws {
        try checkText()
        switch position {
        case .time(let seconds): try await seek(toSeconds: seconds)
        case .fraction(let share):
            try await seek(toSeconds: share.clamped(to: 0...1) * script.withScript { $0.durations.total })
        case .characterOffset(let count):
            try await seek(toUTF8Offset: script.withScript { $0.offset(ofCharacter: max(0, count)) })
        }
    }

    /// Moves to the word at a place in the whole text, or the next one.
    ///
    /// - Parameter offset: UTF-8 bytes from the beginning; clamped to the text.
    /// - Throws: As ``seek(to:)``.
    public func seek(toUTF8Offset offset: Int) async throws {
        try checkText()
        let cursor = script.withScript { script -> TextCursor in
            guard let segment = script.segment(at: max(0, offset)) else { return .start(of: script.segments.count) }
            guard let start = script.wordStart(at: offset, in: segment) else { return .start(of: segment + 1) }
            // Signs before the first word belong to the segment.
            let first = script.wordStart(at: script.segments[segment].utf8Range.lowerBound, in: segment)
            return start == first ? .start(of: segment) : TextCursor(segment: segment, offset: .text(start))
        }
        try await jump(to: cursor)
    }

    /// The sentences of the whole text, as UTF-8 ranges.
    public var sentences: [Range<Int>] {
        script.withScript { script in
            script.segments.indices.filter { script.segments[$0].beginsSentence }.map(script.sentenceRange(from:))
        }
    }

    /// Moves to the beginning of a sentence.
    ///
    /// - Parameter index: The sentence's index among ``sentences``.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for a sentence that there is not, or as ``seek(to:)``.
    public func seek(toSentence index: Int) async throws {
        try checkText()
        let segments = script.withScript { script in
            script.segments.indices.filter { script.segments[$0].beginsSentence }
        }
        guard segments.indices.contains(index) else {
            throw CoreError.invalidArgument("\(identifier): sentence \(index) of \(segments.count)")
        }
        try await jump(to: .start(of: segments[index]))
    }

    /// Moves to the next sentence; behind the last one everything is finished.
    ///
    /// - Throws: As ``seek(to:)``.
    public func nextSentence() async throws {
        try checkText()
        let segment = await present().segment
        let next = script.withScript { $0.nextSentence(after: segment) ?? $0.segments.count }
        try await jump(to: .start(of: next))
    }

    /// Moves to the beginning of the sentence; within its first second, to the one before.
    ///
    /// - Throws: As ``seek(to:)``.
    public func previousSentence() async throws {
        try checkText()
        let (segment, elapsed, _) = await present()
        let target = script.withScript { script -> Int in
            let first = script.sentenceStart(of: min(segment, max(0, script.segments.count - 1)))
            if first < segment || elapsed > Self.restartLimit || first == 0 { return first }
            return script.sentenceStart(of: first - 1)
        }
        try await jump(to: .start(of: target))
    }

    /// Moves by words.
    ///
    /// - Parameter count: How many words forwards, or backwards when negative; ends at the first or last word.
    /// - Throws: As ``seek(to:)``.
    public func skipWords(_ count: Int) async throws {
        try checkText()
        let segment = await present().segment
        let here = await utf8Offset
        let offset = script.withScript { script -> Int in
            guard !script.segments.isEmpty else { return 0 }
            var segment = min(segment, script.segments.count - 1)
            var words = Self.words(of: segment, in: script)
            // No text has more words than bytes.
            let count = count.clamped(to: -script.bytes.count...script.bytes.count)
            var index = (words.lastIndex { $0 <= here } ?? 0) + count
            while index < 0, segment > 0 {
                segment -= 1
                words = Self.words(of: segment, in: script)
                index += words.count
            }
            while index >= words.count, segment + 1 < script.segments.count {
                index -= words.count
                segment += 1
                words = Self.words(of: segment, in: script)
            }
            return words.isEmpty ? here : words[index.clamped(to: 0...words.count - 1)]
        }
        try await seek(toUTF8Offset: offset)
    }

    private static func words(of segment: Int, in script: SpeechScript) -> [Int] {
        let range = script.segments[segment].utf8Range
        return SpokenWords.ranges(in: script.string(range)).map { range.lowerBound + $0.lowerBound }
    }

    // MARK: Settings

    /// Sets the speed; heard at once, from the very place: what sounds is stretched, and the following sentences are spoken at
    /// that speed. Pauses become shorter or longer with it.
    ///
    /// - Parameter rate: 0.25…4; 1 is normal.
    /// - Throws: ``CoreError/invalidArgument(_:)`` outside the range, or what the synthesizer throws.
    public func setRate(_ rate: Double) async throws {
        var changed = settings
        changed.rate = rate
        try await apply(changed)
    }

    /// Changes how the text is spoken, also while it is: another voice goes on with the present word.
    ///
    /// - Parameter new: The settings.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for a rate, a pitch or lengths outside their ranges, or what the synthesizer throws.
    public func apply(_ new: SpeechSettings) async throws {
        try new.check(for: identifier)
        let old = settings
        guard new != old else { return }
        settings = new
        let isOtherVoice = (old.voice, old.language, old.pitch) != (new.voice, new.language, new.pitch)
        if isOtherVoice || old.pauses != new.pauses {
            script.withScript { $0.forgetDurations(pauses: new.pauses) }
        }
        guard isOtherVoice || old.rate != new.rate || old.pauses != new.pauses else { return }
        if jumps.isBeginning { return try await beginAgain(inOtherVoice: isOtherVoice) }
        guard let stream = output.stream, let deck = output.deck, let layer = output.layer else { return }
        let status = await mixer.status(of: layer)
        if jumps.isBeginning { return try await beginAgain(inOtherVoice: isOtherVoice) }
        guard output.deck == deck else { return }
        let moment: Double
        if output.isPrimed {
            moment = 0
        } else if status.deck == deck {
            moment = isOtherVoice ? status.position : status.renderedPosition
        } else {
            // The mixer has not begun with it, or is through with it.
            moment = output.hasSounded ? stream.secondsRead : 0
        }
        guard let present = stream.moment(at: moment) else { return }
        position.advance(by: moment * stream.rate)
        try await begin(at: isOtherVoice ? wordCursor(at: present) : soundCursor(at: present))
    }

    /// Prepares the last jump again, with the present settings.
    private func beginAgain(inOtherVoice isOtherVoice: Bool) async throws {
        var cursor = position.cursor
        if isOtherVoice, case .sound(let piece, let clip, let frame) = cursor.offset {
            cursor = wordCursor(
                at: SpeechMoment(segment: cursor.segment, content: .sound(piece, clip, frame: frame)))
        }
        try await begin(at: cursor)
    }

    /// The place at which the same sound goes on.
    private func soundCursor(at moment: SpeechMoment) -> TextCursor {
        switch moment.content {
        case .pause(let left): return TextCursor(segment: moment.segment, offset: .pause(left: left))
        case .sound(_, let clip, let frame) where clip.isComplete && frame >= clip.count:
            return behind(moment.segment)
        case .sound(let piece, let clip, let frame):
            return TextCursor(segment: moment.segment, offset: .sound(piece, clip, frame: frame))
        }
    }

    /// The place of the word that sounds.
    func wordCursor(at moment: SpeechMoment) -> TextCursor {
        guard case .sound(let piece, let clip, let frame) = moment.content, !clip.isComplete || frame < clip.count
        else {
            return soundCursor(at: moment)
        }
        let start = piece.utf8Range.lowerBound
        guard let mark = clip.marks(from: 0).last(where: { $0.frame <= frame }) else {
            return piece.isWhole
                ? .start(of: moment.segment) : TextCursor(segment: moment.segment, offset: .text(start))
        }
        return TextCursor(segment: moment.segment, offset: .text(start + mark.utf8Range.lowerBound))
    }

    /// The beginning of the pause behind a segment.
    func behind(_ segment: Int) -> TextCursor {
        TextCursor(segment: segment, offset: .pause(left: script.withScript { $0.durations.pause(behind: segment) }))
    }

    // MARK: Jumps

    private func checkText() throws {
        if output.isShutDown || script.withScript({ $0.utterances.isEmpty }) {
            throw CoreError.invalidState("\(identifier): there is no text to move in; call loadContent first")
        }
    }

    private func seek(toSeconds seconds: Double) async throws {
        guard !seconds.isNaN else { throw CoreError.invalidArgument("\(identifier): a position that is not a number") }
        guard let cursor = script.withScript({ $0.durations.cursor(at: max(0, seconds)) }) else {
            return try await jump(to: .start(of: script.withScript { $0.segments.count }))
        }
        try await jump(to: cursor, seconds: max(0, seconds))
    }

    /// Goes on at another place.
    ///
    /// - Parameters:
    ///   - cursor: The place.
    ///   - seconds: What is said of its position; by default where it lies.
    private func jump(to cursor: TextCursor, seconds: Double? = nil) async throws {
        let total = script.withScript { $0.durations.total }
        position.jump(to: cursor, seconds: seconds ?? self.seconds(at: cursor), total: total)
        logCall("seek", engineState)
        switch engineState {
        case .playing, .buffering, .paused: try await begin(at: cursor)
        case .idle, .loading, .ready, .finished, .failed:
            if cursor.segment >= script.withScript({ $0.segments.count }) { return await finishAtEnd() }
            setState(.ready)
        }
    }

    /// Seconds at the rate 1 from the beginning to a place.
    func seconds(at cursor: TextCursor) -> Double {
        script.withScript { script in
            let start = script.durations.start(of: cursor.segment)
            guard script.segments.indices.contains(cursor.segment) else { return start }
            let length = script.durations.seconds(of: cursor.segment)
            switch cursor.offset {
            case .start: return start
            case .pause(let left): return script.durations.start(of: cursor.segment + 1) - left
            case .share(let share): return start + share * length
            case .text(let offset):
                let range = script.segments[cursor.segment].utf8Range
                return start + length * Double(offset - range.lowerBound) / Double(max(1, range.count))
            case .sound(_, let clip, let frame):
                return start + length * Double(frame) / Double(max(1, clip.count))
            }
        }
    }
}
