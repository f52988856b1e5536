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
            let (segment, _) = await present()
            let left = script.withScript { script -> Double in
                let durations = script.durations
                return max(0, durations.total - durations.start(of: segment) - durations.seconds(of: segment))
            }
            let inSegment = await leftInSegment()
            return position.duration(at: heard, total: max(heard, heard + inSegment + left))
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
            let (segment, _) = await present()
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

    /// What is heard: the segment, and the seconds at the rate 1 since it began.
    func present() async -> (segment: Int, elapsed: Double) {
        guard let (stream, seconds) = await streamMoment(), let moment = stream.moment(at: seconds) else {
            return nextPlace
        }
        switch moment.content {
        case .sound(let piece, let clip, let frame):
            let rate = Double(max(1, clip.sampleRate))
            return (moment.segment, Double(frame) / rate * piece.request.rate)
        case .pause: return (moment.segment, script.withScript { $0.durations.seconds(of: moment.segment) })
        }
    }

    /// What will be heard first.
    private var nextPlace: (segment: Int, elapsed: Double) {
        let segment = position.cursor.segment
        guard case .pause = position.cursor.offset else { return (segment, 0) }
        return (segment, script.withScript { $0.durations.seconds(of: segment) })
    }

    /// Seconds at the rate 1 that are left of the segment that is heard, without the pause behind it.
    private func leftInSegment() async -> Double {
        let (segment, elapsed) = await present()
        let length = script.withScript { script in
            script.segments.indices.contains(segment) ? script.durations.seconds(of: segment) : 0
        }
        return max(0, length - elapsed)
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
