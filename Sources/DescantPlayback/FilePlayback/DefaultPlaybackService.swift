public import DescantCore
internal import Dispatch
public import Foundation
internal import Synchronization

/// The service that plays one file, on any decoder and any output.
///
/// Decoding runs up to two seconds ahead on a queue of its own, rendering on another one; neither runs on the caller's thread
/// or in Swift's thread pool. Every method may be called from any thread. The ports need not be `Sendable`: the decoder is
/// used by one thread at a time, and so is the output. A port must not call the service.
///
/// The position comes from rendered frames: those that the output consumed, less what it reports as pending
/// (`AudioOutputPort.pendingFrames`). An output that consumes everything at once is paced by the clock, two buffers
/// ahead; a file is written as fast as it can be decoded.
///
/// Pausing stops the output, except for one without a clock (a file), which gets no more frames. What the output
/// dropped by stopping is rendered again later, so pausing loses and repeats nothing.
///
/// A sound device that fails, or plays nothing for 2 s (10 s before its first frame), is opened again for 30 s of the service's clock. Meanwhile the state is
/// buffering and the position stands still; the sound goes on where it broke off, or the state becomes an error. An output that has no
/// pacing of its own, such as a file, fails at once.
///
/// A decoder that hangs blocks nothing for ever: opening, reading and seeking have time limits, of 20 s and more, and further calls fail until
/// it returns. The frames that were decoded are played before the error. The same holds for a decoder that gives an impossible number of
/// frames, ends before the length that it announces, or goes on far behind it. Samples that are not finite are silent.
///
/// With an audio session the service pauses for a call and resumes after it, unless there was a command meanwhile; it also pauses when
/// headphones are unplugged. Its commands do not wait for the session. A session that refuses, such as one that lets nobody start
/// during a call, ends playing with ``PlaybackState/error(_:)``.
public final class DefaultPlaybackService: ObservablePlaybackService {
    /// Called only while `control` is locked; for its start, while `opening` is and `PlaybackControl.isOpening` is set.
    let output: SharedPort<any AudioOutputPort>
    let decoding: StreamDecoding
    let clock: any ClockPort
    let logger: any LoggerPort
    /// The service's part in the audio session; `nil` without one.
    let sessionMember: PlaybackSessionMember?

    /// Held by commands that wait for the decoder, so that they do not overtake one another. Taken before every other lock.
    let commands = Mutex(())
    /// Held while the output is configured or started. Taken before `control`.
    let opening = Mutex(())
    let control = Mutex(PlaybackControl())
    let states = EventHub<PlaybackState>(initial: .stopped)
    let decodingQueue = DispatchQueue(label: "descant.playback.decoding", qos: .userInitiated)
    let renderingQueue = DispatchQueue(label: "descant.playback.rendering", qos: .userInteractive)

    /// Creates a service with nothing loaded.
    ///
    /// - Parameters:
    ///   - decoder: Opens and decodes files.
    ///   - audio: Where the sound goes; configured by every load, started by playing.
    ///   - clock: Keeps the time of an output that has none of its own.
    ///   - logger: Hears of loads, ends and failures.
    public convenience init(
        decoder: any DecoderPort, audio: any AudioOutputPort, clock: any ClockPort, logger: any LoggerPort
    ) {
        self.init(audio: audio, decoder: decoder, clock: clock, logger: logger, fileAccess: nil)
    }

    /// Creates a service that opens only what a file access allows.
    ///
    /// - Parameters:
    ///   - audio: Where the sound goes; configured by every load, started by playing.
    ///   - decoder: Opens and decodes files.
    ///   - clock: Keeps the time of an output that has none of its own.
    ///   - logger: Hears of loads, ends and failures.
    ///   - fileAccess: Decides on every URL before the decoder sees it, and keeps the file open as long as it is loaded. The decoder
    ///     reads the file that a `ReopenableFileAccess` has opened, such as `LocalFileAccess`. `nil` allows everything.
    ///   - session: The audio session of the sound server that the output plays to, which all services of a process share; `nil` for
    ///     an output that goes elsewhere. The services of an `AudioEnvironment` have its session.
    public convenience init(
        audio: any AudioOutputPort, decoder: any DecoderPort, clock: any ClockPort, logger: any LoggerPort,
        fileAccess: (any FileAccessPort)?, session: AudioSessionCoordinator? = nil
    ) {
        self.init(
            audio: audio, decoder: decoder, clock: clock, logger: logger, fileAccess: fileAccess, session: session,
            limits: DecoderLimits())
    }

    init(
        audio: any AudioOutputPort, decoder: any DecoderPort, clock: any ClockPort, logger: any LoggerPort,
        fileAccess: (any FileAccessPort)?, session: AudioSessionCoordinator?, limits: DecoderLimits
    ) {
        output = SharedPort(port: audio)
        decoding = StreamDecoding(decoder, files: fileAccess, limits: limits)
        self.clock = clock
        self.logger = logger
        sessionMember = session.map { PlaybackSessionMember(session: $0, logger: logger) }
        sessionMember?.connect(self)
    }

    deinit {
        control.withLock { control in
            control.timer?.cancel()
            if control.isStarted { output.port.stop() }
        }
        decoding.closeLater()
        sessionMember?.follow(.silent, reason: "released")
    }

    // MARK: State

    /// What the service is doing.
    public var state: PlaybackState { control.withLock { $0.state } }

    /// Every change of ``state`` from now on; begins with the present one.
    public var stateUpdates: EventStream<PlaybackState> { states.stream() }

    /// The position that is heard, in seconds; 0 when stopped or after an error.
    public func currentTime() -> Double {
        control.withLock { control in
            guard let track = control.track else { return 0 }
            switch control.state {
            case .stopped, .error: return 0
            case .paused: return track.seconds(at: control.accepted)
            case .playing, .buffering: return track.seconds(at: heardFrame(&control))
            }
        }
    }

    /// The file's length in seconds; 0 when nothing is loaded, infinite for an endless stream.
    public func duration() -> Double { control.withLock { $0.track?.info.duration ?? 0 } }

    // MARK: Loading

    /// Opens a file; what was loaded before is closed. Afterwards the state is paused at 0, without a playback range.
    ///
    /// Blocks while the decoder opens the file, for 60 s at most.
    ///
    /// - Parameter url: A file URL, or whatever the decoder opens.
    /// - Throws: `CoreError` of the decoder, the output or the file access; the state is then an error with the same.
    public func load(url: URL) throws {
        let outcome: Result<Void, CoreError> = commands.withLock { _ in
            control.withLock { control in
                control.userCommandCount &+= 1
                unload(&control)
            }
            do {
                try open(url)
                return .success(())
            } catch {
                let error = CoreError(describing: error)
                decoding.close()
                control.withLock { set(.error(error), &$0) }
                return .failure(error)
            }
        }
        switch outcome {
        case .success: logger.info("loaded \(url.path)")
        case .failure(let error):
            logger.error("\(error)")
            throw error
        }
    }

    private func open(_ url: URL) throws {
        let track = try decoding.open(url: url)
        try withClosedOutput { control in
            try output.port.configure(
                sampleRate: track.info.sampleRate, channels: track.info.channels, framesPerBuffer: track.blockFrames)
            control.track = track
            control.block = [Float](repeating: 0, count: track.blockFrames * track.info.channels)
            control.range = nil
            control.restart(at: 0)
            set(.paused, &control)
            fill(&control)
        }
    }

    /// Silences the output and forgets the track.
    private func unload(_ control: inout PlaybackControl) {
        silence(&control)
        control.track = nil
        control.range = nil
        control.restart(at: 0)
    }

    // MARK: Playing

    /// Starts or goes on; after the natural end, from the start of the same file.
    ///
    /// Blocks while the output starts: a sound server that hangs is waited for 5 s. Calls that need neither output nor file do not wait
    /// meanwhile, and a ``pause()`` then, or one of the audio session, keeps the service from playing.
    ///
    /// - Throws: `CoreError.invalidState` when nothing is loaded or after an error, and what the output's start throws; in that
    ///   case the state stays and the call may be repeated.
    public func play() throws {
        try commands.withLock { _ in
            try start { control throws(CoreError) in
                control.userCommandCount &+= 1
                switch control.state {
                case .playing, .buffering: return false
                case .error(let error):
                    throw CoreError.invalidState("after an error a file has to be loaded first (\(error))")
                case .stopped, .paused: return true
                }
            }
        }
    }

    /// Freezes position and sound; harmless when nothing plays.
    public func pause() {
        control.withLock { control in
            control.userCommandCount &+= 1
            guard control.isSounding else { return }
            hold(&control)
            set(.paused, &control)
        }
    }

    /// Ends playing and closes the file.
    public func stop() {
        commands.withLock { _ in
            control.withLock { control in
                control.userCommandCount &+= 1
                unload(&control)
                set(.stopped, &control)
            }
            decoding.close()
        }
    }

    // MARK: Moving

    /// Moves to a position, exact to the frame.
    ///
    /// Blocks while the decoder moves, for 20 s at most and a second more for each 25 s up to the position.
    ///
    /// - Parameter seconds: 0…duration in seconds, or within the playback range; the duration itself is legal.
    /// - Throws: `CoreError.invalidArgument` outside that range, `CoreError.invalidState` when nothing is loaded or after an
    ///   error, and what the decoder throws.
    public func seek(to seconds: Double) throws {
        try commands.withLock { _ in
            let (track, frame) = try control.withLock { try beginSeek(&$0, seconds) }
            do {
                try decoding.seek(track.handle, to: frame, seconds: seconds)
            } catch {
                let error = CoreError(describing: error)
                control.withLock { abandonSeek(&$0, error) }
                throw error
            }
            control.withLock { endSeek(&$0, at: frame) }
        }
    }

    private func beginSeek(_ control: inout PlaybackControl, _ seconds: Double) throws -> (LoadedTrack, Int64) {
        switch control.state {
        case .stopped: throw CoreError.invalidState("a seek needs a file that plays or is paused")
        case .error(let error): throw CoreError.invalidState("after an error a file has to be loaded first (\(error))")
        case .paused, .playing, .buffering: break
        }
        guard let track = control.track else { throw CoreError.invalidState("nothing is loaded") }
        let limits = control.range.map { track.seconds(at: $0.lowerBound)...track.seconds(at: $0.upperBound) }
        let allowed = limits ?? 0...track.info.duration
        guard seconds.isFinite, seconds >= 0, seconds <= track.info.duration, track.isCountable(seconds),
            limits == nil || allowed.contains(track.seconds(at: track.frame(at: seconds)))
        else {
            throw CoreError.invalidArgument("\(seconds) s is not within \(allowed.lowerBound)…\(allowed.upperBound) s")
        }
        if control.isSounding, control.isStarted { leave(&control, track) }
        control.isHeld = true
        return (track, track.frame(at: seconds))
    }

    private func endSeek(_ control: inout PlaybackControl, at frame: Int64) {
        control.isHeld = false
        control.restart(at: frame)
        control.anchor = (clock.now(), frame)
        control.starvedSince = nil
        if let track = control.track { enter(&control, track) }
        if control.isSounding { set(control.outage == nil ? .playing : .buffering, &control) }
        fill(&control)
        wake()
    }

    /// A stream that cannot be moved plays on; one that broke is over.
    private func abandonSeek(_ control: inout PlaybackControl, _ error: CoreError) {
        control.isHeld = false
        if let track = control.track { enter(&control, track) }
        switch error {
        case .unsupported, .invalidArgument:
            control.anchor = (clock.now(), control.accepted)
            fill(&control)
            wake()
        default:
            silence(&control)
            set(.error(error), &control)
        }
    }

    // MARK: Range

    /// Restricts playing to a part of the file. When its end is reached, the state is paused at its start.
    ///
    /// - Parameters:
    ///   - start: In seconds, 0 or more.
    ///   - end: In seconds, greater than `start`, at most the duration.
    /// - Throws: `CoreError.invalidState` when nothing is loaded and at the natural end, `CoreError.invalidArgument` for an impossible
    ///   range.
    public func setPlaybackRange(start: Double, end: Double) throws {
        let position: Int64? = try control.withLock { control in
            guard let track = control.track, control.state != .stopped else {
                throw CoreError.invalidState(
                    "a playback range needs a loaded file that was not played to its end; load it again")
            }
            guard start >= 0, start < end, end.isFinite, end <= track.info.duration, track.isCountable(end),
                track.frame(at: start) < track.frame(at: end)
            else {
                throw CoreError.invalidArgument("\(start)…\(end) s is not within 0…\(track.info.duration) s")
            }
            let range = track.frame(at: start)..<track.frame(at: end)
            control.range = range
            control.window.truncate(at: range.upperBound)
            if control.window.end >= range.upperBound {
                control.ending = .reached
            } else if case .reached = control.ending {
                control.ending = nil
            }
            fill(&control)
            let heard = control.isSounding ? heardFrame(&control) : control.accepted
            return range.contains(heard) && control.accepted <= range.upperBound ? nil : range.lowerBound
        }
        if position != nil { try seek(to: start) }
    }

    /// Plays the whole file again; the position stays.
    public func clearPlaybackRange() {
        control.withLock { control in
            guard control.range != nil else { return }
            control.range = nil
            if case .reached = control.ending { control.ending = nil }
            fill(&control)
        }
    }

    // MARK: Sound

    /// Sets the gain of everything that is played from now on; legal in every state. It is reached within 20 ms of sound. A
    /// ``RewindableOutput`` is heard to change at once, another one when it has played what it holds.
    ///
    /// - Parameter volume: Linear, clamped to 0…1; 1 leaves every bit as it is.
    public func setVolume(_ volume: Float) {
        let level = volume.isNaN ? 0 : min(1, max(0, volume))
        control.withLock { control in
            control.level = level
            applyVolume(&control)
        }
    }

    /// Whether the output has an equaliser.
    public var hasEqualizer: Bool { control.withLock { _ in output.port is any EQPort } }

    /// Switches the output's equaliser, when it has one.
    ///
    /// - Parameter isEnabled: Whether it works; without it sound passes bit by bit.
    public func setEQEnabled(_ isEnabled: Bool) { withEqualizer { $0.isEnabled = isEnabled } }

    /// Sets the equaliser's gain before its bands.
    ///
    /// - Parameter decibels: Clamped to -12…12.
    public func setEQPreamp(_ decibels: Float) { withEqualizer { $0.preamp = decibels } }

    /// Sets the gains of the equaliser's bands, from the lowest up.
    ///
    /// - Parameter decibels: Clamped to -12…12; of another number than ten the beginning is used.
    public func setEQBandGains(_ decibels: [Float]) { withEqualizer { $0.bandGains = decibels } }

    private func withEqualizer(_ body: @escaping @Sendable (any EQPort) -> Void) {
        control.withLock { control in
            guard let equalizer = output.port as? any EQPort else { return }
            if control.isOpening { return control.laterSettings.append(body) }
            body(equalizer)
            renderAgain(&control)
        }
    }
}

extension CoreError {
    /// What a port threw, as an error of the ports.
    init(describing error: any Error) { self = error as? CoreError ?? .ioError(underlying: error) }
}
