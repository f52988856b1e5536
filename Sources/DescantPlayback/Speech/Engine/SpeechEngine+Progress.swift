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
            guard !copy.withScript({ $0.utterances.isEmpty }) else { return nil }
            let position = await heardPosition()
            let (segment, _) = await present()
            let left = copy.withScript { script -> Double in
                let pace = script.pace
                return max(0, pace.total - pace.start(of: segment) - pace.seconds(of: segment))
            }
            let inSegment = await leftInSegment()
            let total = max(position, position + inSegment + left)
            // The share that was heard never goes back: while the estimate grows, the length follows the position.
            let share = total > 0 ? position / total : 0
            guard share < reportedShare, reportedShare > 0 else {
                reportedShare = share
                return total
            }
            return position / reportedShare
        }
    }

    /// Characters, the present word, and whether the duration is estimated.
    public var engineProgress: EngineProgress {
        get async {
            let place = await utf8Offset
            let word = currentWord
            return copy.withScript { [engineState] script in
                let characters = script.characterOffset(of: word?.lowerBound ?? place)
                return EngineProgress(
                    characterOffset: characters,
                    currentWord: word.map { characters..<characters + script.string($0).count },
                    phase: engineState == .buffering ? .generating : nil, isEstimated: !script.pace.isExact)
            }
        }
    }

    /// The place in the whole text that is heard, in UTF-8 bytes: the present word, or the beginning of the segment.
    public var utf8Offset: Int {
        get async {
            if let heard = currentWord?.lowerBound ?? passedOffset { return heard }
            let (segment, _) = await present()
            return copy.withScript { script in
                place.segment == segment ? script.offset(of: place) : script.start(of: segment)
            }
        }
    }

    private func heardPosition() async -> Double {
        guard let (line, seconds) = await lineMoment() else { return anchor }
        return anchor + seconds * line.rate
    }

    /// The line that is heard, and how far; `nil` before it is. Behind its end it is heard to the end until that is told.
    private func lineMoment() async -> (line: SpeechStream, seconds: Double)? {
        guard beginning == nil, !isPrimed, let line, let deck, let speechLayer else { return nil }
        let status = await mixer.status(of: speechLayer)
        guard beginning == nil, self.deck == deck else { return nil }
        if status.deck == deck { return (line, status.position) }
        return hasSounded ? (line, line.secondsRead) : nil
    }

    /// What is heard: the segment, and the seconds at the rate 1 since it began.
    func present() async -> (segment: Int, elapsed: Double) {
        guard let (line, seconds) = await lineMoment(), let moment = line.moment(at: seconds) else {
            return presentPlace
        }
        switch moment.content {
        case .sound(let piece, let clip, let frame):
            let rate = Double(max(1, clip.sampleRate))
            return (moment.segment, Double(frame) / rate * piece.request.rate)
        case .pause: return (moment.segment, copy.withScript { $0.pace.seconds(of: moment.segment) })
        }
    }

    /// What will be heard first.
    private var presentPlace: (segment: Int, elapsed: Double) {
        guard case .pause = place.offset else { return (place.segment, 0) }
        return (place.segment, copy.withScript { [place] in $0.pace.seconds(of: place.segment) })
    }

    /// Seconds at the rate 1 that are left of the segment that is heard, without the pause behind it.
    private func leftInSegment() async -> Double {
        let (segment, elapsed) = await present()
        let length = copy.withScript { script in
            script.segments.indices.contains(segment) ? script.pace.seconds(of: segment) : 0
        }
        return max(0, length - elapsed)
    }
}
