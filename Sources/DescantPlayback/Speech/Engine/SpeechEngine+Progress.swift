public import DescantCore
public import Foundation

extension SpeechEngine {
    /// The position in seconds at the rate 1, as heard. Moves on without jumps, whatever is learned of what lies before it.
    public var currentTime: TimeInterval {
        get async { await heardPosition() }
    }

    /// The length in seconds at the rate 1: known where sound was made, estimated otherwise; `nil` without a text.
    public var duration: TimeInterval? {
        get async {
            guard !script.withScript({ $0.utterances.isEmpty }) else { return nil }
            let heard = await heardPosition()
            return position.duration(at: heard, total: heard + (await secondsLeft()))
        }
    }

    /// Characters, the present word, and whether the duration is estimated.
    public var engineProgress: EngineProgress {
        get async {
            let offset = await utf8Offset
            let word = position.word
            return script.withScript { [phase] script in
                EngineProgress(
                    characterOffset: script.characterOffset(of: word?.lowerBound ?? offset), currentWord: word,
                    phase: phase, isEstimated: !script.durations.isExact)
            }
        }
    }

    /// The place in the whole text that is heard, in UTF-8 bytes: the present word, or the beginning of the segment.
    public var utf8Offset: Int {
        get async {
            if let heard = position.heardOffset { return heard }
            let segment = await present().segment
            return script.withScript { [cursor = position.cursor] script in
                cursor.segment == segment ? script.offset(of: cursor) : script.start(of: segment)
            }
        }
    }

    private func heardPosition() async -> Double {
        guard let (stream, seconds) = await streamMoment() else { return position.anchor }
        return position.anchor + seconds * stream.rate
    }

    /// The stream that is heard, and how far; `nil` before it is. After its end the position stays there until the end is reported.
    private func streamMoment() async -> (stream: SpeechStream, seconds: Double)? {
        guard !jumps.isBeginning, !output.isPrimed, let stream = output.stream, let deck = output.deck,
            let layer = output.layer
        else { return nil }
        let status = await mixer.status(of: layer)
        guard !jumps.isBeginning, output.deck == deck else { return nil }
        if status.deck == deck { return (stream, status.position) }
        return output.hasSounded ? (stream, stream.secondsRead) : nil
    }

    /// The heard segment, the seconds at the rate 1 since it began, and the rest of the pause behind it, in seconds, while that pause is heard.
    func present() async -> (segment: Int, elapsed: Double, pauseLeft: Double?) {
        guard let (stream, seconds) = await streamMoment(), let moment = stream.moment(at: seconds) else {
            return nextPlace
        }
        switch moment.content {
        case .sound(let piece, let clip, let frame):
            let rate = Double(max(1, clip.sampleRate))
            return (moment.segment, Double(frame) / rate * piece.request.rate, nil)
        case .pause(let left): return pause(behind: moment.segment, left: left)
        }
    }

    private func pause(behind segment: Int, left: Double) -> (segment: Int, elapsed: Double, pauseLeft: Double?) {
        script.withScript { (segment, $0.durations.seconds(of: segment), left) }
    }

    /// As ``present()`` for the place at which the speech begins.
    private var nextPlace: (segment: Int, elapsed: Double, pauseLeft: Double?) {
        let segment = position.cursor.segment
        guard case .pause(let left) = position.cursor.offset else { return (segment, 0, nil) }
        return pause(behind: segment, left: left)
    }

    /// Seconds at the rate 1 from what is heard to the end of the text.
    private func secondsLeft() async -> Double {
        let (segment, elapsed, pauseLeft) = await present()
        return script.withScript { script in
            guard script.segments.indices.contains(segment) else { return 0 }
            let durations = script.durations
            let pause = durations.pause(behind: segment)
            let inSegment = max(0, durations.seconds(of: segment) - elapsed) + min(pauseLeft ?? pause, pause)
            return inSegment + max(0, durations.total - durations.start(of: segment + 1))
        }
    }
}

/// The engine as controllers and remote controls see it: sentence by sentence.
extension SpeechEngine: ReadingEngine {
    /// Tells where each sentence begins, in UTF-8 bytes of the whole text, when it begins to be heard.
    public nonisolated var sentenceUpdates: EventStream<Int> { hubs.sentences.stream(buffer: .bounded(64)) }

    /// The sentence that is heard, or is to be heard next; `nil` without a text and behind its last sentence.
    public var currentSentence: String? {
        get async {
            let offset = await utf8Offset
            return script.withScript { script in
                script.segment(at: offset).map {
                    script.string(script.sentenceRange(from: script.sentenceStart(of: $0)))
                }
            }
        }
    }
}
