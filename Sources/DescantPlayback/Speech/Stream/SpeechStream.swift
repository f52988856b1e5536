internal import DescantCore
internal import Foundation
internal import Synchronization

/// Speech from one place on without a break, as a source for a deck.
///
/// Every jump and every change of the settings begins another stream; an abandoned one is not heard any more. Reading
/// asks for the sound of the segments that follow, so that no more is made than the deck's buffer and the prefetch ask for.
final class SpeechStream: LivePCMSource {
    /// The reason why a stream has ended.
    enum Ending: Sendable, Equatable {
        /// Nothing follows in the script.
        case script
        /// The segment's sound has another sample rate.
        case sampleRate(segment: Int)
        /// The stream was abandoned.
        case abandoned
    }

    private struct State {
        var current: Playback?
        /// The clip that is due and has no sound yet. It is kept because the scheduler forgets clips that fail.
        var awaited: SpeechClip?
        /// Silence that is left of the pause.
        var pauseLeft = 0
        var nextSegment: Int
        /// The stream's frame that is read next.
        var frame: Int64 = 0
        var cues: [PCMCue] = []
        var speechCues: [UInt64: SpeechCue] = [:]
        var log = SpeechStreamLog()
        /// Pieces whose length is not noted yet.
        var unmeasured: [(piece: SpokenPiece, clip: SpeechClip)] = []
        var isAbandoned = false
        /// Whether another stream is being prepared: no further segment begins.
        var isOutdated = false
        var ending: Ending?
    }

    /// The sound that is being read.
    private struct Playback {
        var piece: SpokenPiece
        var clip: SpeechClip
        var clipFrame: Int
        var nextMark: Int
        var stretcher: SpeechStretcher?
        /// The stream's frame and the clip's frame at which it began.
        var start: (line: Int64, clip: Int)
        var stretch: Double
        /// Whether the cue of its beginning is still to be posted, with its first frame.
        var isUntold: Bool
    }

    let name: String
    let format: PCMFormat
    let frameCount: Int64? = nil
    /// The speed of everything in the stream, relative to the voice's normal one.
    let rate: Double
    private let script: SharedScript
    private let scheduler: SynthesisScheduler
    private let settings: SpeechSettings
    /// When it began, as the script counts what it forgets.
    private let epoch: UInt64
    private let state: Mutex<State>

    /// Cues of different lines differ, so that one answer has one meaning.
    private static let lastCue = Atomic<UInt64>(0)

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - first: The first sound, of which the sample rate is known, the frame to begin with, and what comes before it.
    ///   - script: The text.
    ///   - settings: How it is spoken.
    init(
        _ first: FirstSound, name: String, script: SharedScript, scheduler: SynthesisScheduler, settings: SpeechSettings
    ) {
        self.name = name
        self.script = script
        self.scheduler = scheduler
        self.settings = settings
        rate = settings.rate
        epoch = script.withScript { $0.durations.epoch }
        format = PCMFormat(sampleRate: max(1, first.clip.sampleRate), channels: 1)
        state = Mutex(State(nextSegment: first.piece.segment))
        state.withLock { state in
            if let pause = first.pause {
                beginPause(of: pause.seconds / rate, behind: pause.segment, &state)
            } else {
                begin(first.piece, first.clip, at: first.frame, &state)
            }
        }
    }

    /// The first sound of a stream.
    struct FirstSound {
        var piece: SpokenPiece
        var clip: SpeechClip
        var frame: Int
        /// Silence before it, in seconds at the rate 1, and the segment that it lies behind; the sound then begins at its first frame.
        var pause: (segment: Int, seconds: Double)?
    }

    /// Ends reading at once, also one that waits.
    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            if state.ending == nil { state.ending = .abandoned }
        }
        scheduler.signal.raise()
    }

    /// Ends it behind the segment that sounds, as speech goes on elsewhere.
    func outdate() {
        state.withLock { $0.isOutdated = true }
        scheduler.signal.raise()
    }

    /// Why reading has ended; `nil` before.
    var ending: Ending? { state.withLock { $0.ending } }

    /// The segment that would be read next.
    var nextSegment: Int { state.withLock { $0.nextSegment } }

    /// The length of what was read, in seconds.
    var secondsRead: Double { format.seconds(of: state.withLock { $0.frame }) }

    // MARK: What is where

    /// Returns the sound or pause at a moment of the stream.
    ///
    /// - Parameter seconds: The deck's position.
    func moment(at seconds: Double) -> SpeechMoment? {
        let frame = Int64((seconds * Double(format.sampleRate)).rounded())
        guard let entry = state.withLock({ $0.log.entry(at: frame) }) else { return nil }
        let passed = Int(max(0, frame - entry.frame))
        switch entry.content {
        case .sound(let piece, let clip, let begin, let stretch):
            let reached = min(begin + Int((Double(passed) * stretch).rounded()), clip.count)
            return SpeechMoment(segment: entry.segment, content: .sound(piece, clip, frame: reached))
        case .pause(let frames):
            let left = Double(max(0, frames - passed)) / Double(format.sampleRate) * rate
            return SpeechMoment(segment: entry.segment, content: .pause(left: left))
        }
    }

    /// Returns the meanings of this stream's cues up to one, in order; each is returned once. One that was noted when its frame had left
    /// already comes with the next.
    func takeSpeechCues(through last: UInt64) -> [SpeechCue] {
        state.withLock { state in
            let cues = state.speechCues.keys.filter { $0 <= last }.sorted()
            return cues.compactMap { state.speechCues.removeValue(forKey: $0) }
        }
    }

    // MARK: Reading

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        while true {
            let seen = scheduler.signal.raises
            measure()
            guard let next = try prepare() else { return 0 }
            switch next {
            case .pause: return silence(into: buffer, maxFrames: maxFrames)
            case .sound:
                let count = sound(into: buffer, maxFrames: maxFrames)
                if count > 0 { return count }
                // What is over needs no waiting for more of it.
                if state.withLock({ $0.current.map { $0.clip.end != nil && isOver($0) } ?? true }) { continue }
            case .again: continue
            }
            scheduler.signal.wait(after: seen)
        }
    }

    func seek(toFrame frame: Int64) throws {
        throw CoreError.unsupported("\(name): speech is moved by its engine, not by its deck")
    }

    func takeCues() -> [PCMCue] {
        state.withLock { state in
            defer { state.cues = [] }
            return state.cues
        }
    }

    private enum Next { case pause, sound, again }

    /// Goes on to the next sound when the present one is over.
    ///
    /// - Returns: What comes; `nil` at the end of the stream.
    private func prepare() throws -> Next? {
        let (present, isPause) = state.withLock { state -> (Playback?, Bool) in
            (state.isAbandoned ? nil : state.current, state.pauseLeft > 0 && !state.isAbandoned)
        }
        if isPause { return .pause }
        if let present {
            guard let end = present.clip.end else { return .sound }
            switch end {
            case .complete: return isOver(present) ? finishSound() : .sound
            // What was made before it broke off is heard.
            case .failed(let error):
                if isOver(present) { throw error }
                return .sound
            case .cancelled:
                finish(.abandoned)
                return nil
            }
        }
        return try beginNext()
    }

    private func isOver(_ present: Playback) -> Bool {
        present.stretcher?.isDone ?? (present.clipFrame >= present.clip.count)
    }

    private func finish(_ ending: Ending) {
        state.withLock { state in if state.ending == nil { state.ending = ending } }
    }

    /// The present sound is over: the pause behind it follows.
    private func finishSound() -> Next {
        state.withLock { state in
            guard let done = state.current else { return .again }
            state.current = nil
            let hasSounded = state.frame > done.start.line
            addCue(.segmentEnded(done.piece, done.clip), at: state.frame - 1, &state)
            let segment = done.piece.segment
            let seconds = hasSounded ? script.withScript { $0.durations.pause(behind: segment) } / rate : 0
            beginPause(of: seconds, behind: segment, &state)
            return state.pauseLeft > 0 ? .pause : .again
        }
    }

    private func beginPause(of seconds: Double, behind segment: Int, _ state: inout State) {
        state.pauseLeft = Int(format.frames(in: seconds))
        guard state.pauseLeft > 0 else { return }
        state.log.append(
            SpeechStreamLog.Entry(frame: state.frame, segment: segment, content: .pause(frames: state.pauseLeft)))
    }

    /// Begins with the sound of the next segment.
    ///
    /// - Returns: What comes; `nil` when nothing follows.
    private func beginNext() throws -> Next? {
        guard let segment = state.withLock({ $0.isAbandoned || $0.ending != nil ? nil : $0.nextSegment }) else {
            return nil
        }
        guard !state.withLock({ $0.isOutdated }) else {
            finish(.abandoned)
            return nil
        }
        let window = upcoming(from: segment, count: 1 + ahead)
        guard let piece = window.first else {
            finish(.script)
            return nil
        }
        let clip = dueClip(for: piece.request)
        let seen = scheduler.signal.raises
        if clip.sampleRate == 0, clip.end == nil {
            prefetch(window.dropFirst())
            scheduler.signal.wait(after: seen)
            return state.withLock { $0.isAbandoned } ? nil : .again
        }
        if clip.sampleRate != 0, clip.sampleRate != format.sampleRate {
            finish(.sampleRate(segment: segment))
            return nil
        }
        state.withLock { begin(piece, clip, at: 0, &$0) }
        prefetch(window.dropFirst())
        return .again
    }

    /// The clip of the request that is due: the one that is awaited already, unless it was cancelled, else what the scheduler has.
    private func dueClip(for request: SpeechRequest) -> SpeechClip {
        if let awaited = state.withLock({ $0.awaited }),
            SpeechRequestKey(awaited.request) == SpeechRequestKey(request)
        {
            if case .cancelled? = awaited.end {} else { return awaited }
        }
        let clip = scheduler.clip(for: request)
        state.withLock { $0.awaited = clip }
        return clip
    }

    private func begin(_ piece: SpokenPiece, _ clip: SpeechClip, at frame: Int, _ state: inout State) {
        let stretch = rate / piece.request.rate
        let isStretched = abs(stretch - 1) > 1e-6
        let marks = clip.marks(from: 0)
        let nextMark = marks.firstIndex { $0.frame >= frame } ?? marks.endIndex
        state.current = Playback(
            piece: piece, clip: clip, clipFrame: frame, nextMark: nextMark,
            stretcher: isStretched ? SpeechStretcher(rate: stretch, sampleRate: format.sampleRate) : nil,
            start: (state.frame, frame), stretch: stretch, isUntold: frame == 0)
        state.nextSegment = piece.segment + 1
        state.awaited = nil
        state.unmeasured.append((piece, clip))
        state.log.append(
            SpeechStreamLog.Entry(
                frame: state.frame, segment: piece.segment,
                content: .sound(piece, clip, frame: frame, stretch: stretch)))
    }

    /// How many segments are made ahead.
    private var ahead: Int { settings.prefetch.clamped(to: 0...16) }

    /// The pieces of some segments.
    private func upcoming(from segment: Int, count: Int) -> [SpokenPiece] {
        script.withScript { [settings, capabilities = scheduler.capabilities] script in
            let last = min(script.segments.count, segment + count)
            guard segment < last else { return [] }
            return (segment..<last).map { SpokenPiece($0, in: script, settings: settings, capabilities: capabilities) }
        }
    }

    /// Has the sound of the next segments made.
    private func prefetch(_ pieces: some Sequence<SpokenPiece>) {
        let clips = pieces.map { ($0, scheduler.clip(for: $0.request)) }
        state.withLock { state in
            for (piece, clip) in clips where !state.unmeasured.contains(where: { $0.piece.segment == piece.segment }) {
                state.unmeasured.append((piece, clip))
            }
        }
    }

    /// Asks for what follows the first sound; the stream's first read is too late for a slow synthesizer.
    func prefetch() {
        let segment = state.withLock { $0.nextSegment }
        prefetch(upcoming(from: segment, count: ahead))
    }

    /// Notes how long segments are that were made completely.
    private func measure() {
        let measured = state.withLock { state -> [(Int, Double)] in
            // Each is looked at once: a clip that ends meanwhile is measured by the next read.
            let looked = state.unmeasured.map { (item: $0, end: $0.clip.end) }
            state.unmeasured = looked.filter { $0.end == nil }.map(\.item)
            return looked.compactMap { item, end in
                guard case .complete? = end, item.piece.isWhole else { return nil }
                return (item.piece.segment, item.clip.secondsAtNormalRate)
            }
        }
        guard !measured.isEmpty else { return }
        script.withScript { script in
            for (segment, seconds) in measured { script.note(seconds: seconds, of: segment, epoch: epoch) }
        }
    }

    // MARK: Sound

    private func silence(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) -> Int {
        let count = state.withLock { state in
            let count = min(maxFrames, state.pauseLeft)
            state.pauseLeft -= count
            state.frame += Int64(count)
            return count
        }
        buffer.update(repeating: 0, count: count)
        return count
    }

    /// Reads what there is of the present sound.
    ///
    /// - Returns: How many frames; 0 when none are there yet.
    private func sound(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) -> Int {
        guard var present = state.withLock({ $0.current }) else { return 0 }
        let count: Int
        if var stretcher = present.stretcher {
            feed(&stretcher, present, frames: maxFrames)
            count = stretcher.give(to: buffer, maxFrames: maxFrames)
            present.stretcher = stretcher
        } else {
            count = present.clip.copy(from: present.clipFrame, to: buffer, maxFrames: maxFrames)
            present.clipFrame += count
        }
        state.withLock { state in
            if count > 0, present.isUntold {
                present.isUntold = false
                addCue(.segment(present.piece), at: state.frame, &state)
            }
            addMarks(of: &present, until: state.frame + Int64(count), &state)
            state.frame += Int64(count)
            state.current = present
        }
        return count
    }

    /// Gives a stretcher what it needs for so many frames, as far as it is there.
    private func feed(_ stretcher: inout SpeechStretcher, _ present: Playback, frames: Int) {
        let hasEnded = present.clip.end != nil
        let needed = stretcher.inputNeeded + Int(Double(frames) * present.stretch)
        let wanted = needed - stretcher.inputTaken
        if wanted > 0 {
            var samples = [Float](repeating: 0, count: wanted)
            let from = present.start.clip + stretcher.inputTaken
            let count = samples.withUnsafeMutableBufferPointer { memory in
                memory.baseAddress.map { present.clip.copy(from: from, to: $0, maxFrames: wanted) } ?? 0
            }
            stretcher.take(Array(samples[..<count]))
        }
        if hasEnded, present.start.clip + stretcher.inputTaken >= present.clip.count { stretcher.end() }
    }

    /// Turns the tokens up to a frame of the stream into cues.
    private func addMarks(of present: inout Playback, until end: Int64, _ state: inout State) {
        for mark in present.clip.marks(from: present.nextMark) {
            let distance = Double(max(0, Int(mark.frame) - present.start.clip)) / present.stretch
            let frame = present.start.line + FrameCount(clamping: distance).value
            guard frame < end else { return }
            present.nextMark += 1
            let offset = present.piece.utf8Range.lowerBound
            let range = offset + mark.utf8Range.lowerBound..<offset + mark.utf8Range.upperBound
            addCue(.word(utf8Range: range, isEstimated: mark.isEstimated), at: max(frame, state.frame), &state)
        }
    }

    private func addCue(_ cue: SpeechCue, at frame: Int64, _ state: inout State) {
        let number = Self.lastCue.wrappingAdd(1, ordering: .relaxed).newValue
        state.cues.append(PCMCue(frame: max(0, frame), number: number))
        state.speechCues[number] = cue
    }
}
