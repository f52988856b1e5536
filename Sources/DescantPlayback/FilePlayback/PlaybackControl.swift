internal import DescantCore

/// The state of the service, guarded by one lock.
struct PlaybackControl {
    /// Why nothing more will be decoded.
    enum Ending {
        /// The end of the file or of the playback range.
        case reached
        /// The decoder failed behind what was decoded.
        case failed(CoreError)
    }

    /// The loss of a sound device.
    struct Outage {
        /// Why it was lost.
        let error: CoreError
        /// When, by the service's clock.
        let since: UInt64
        /// The last error of the attempts to open it.
        var latest: CoreError?

        /// The error when it stays away for a limit, in nanoseconds.
        func ending(after limit: UInt64) -> CoreError {
            let reason = "\(error.message); it did not come back within \(limit / 1_000_000_000) s"
            guard let latest, latest.message != error.message else { return error.withMessage(reason) }
            return error.withMessage("\(reason): \(latest.message)")
        }
    }

    var state = PlaybackState.stopped
    var track: LoadedTrack?
    /// Counts whatever makes decoded frames useless, so that those under way are dropped.
    var generation: UInt64 = 0
    var range: Range<Int64>?
    var volume = VolumeLine()
    /// The volume that was set, 0…1.
    var level: Float = 1
    /// The gain that the audio session allows, 0…1.
    var sessionGain: Float = 1
    /// How many commands of a person were carried out: loads, plays, pauses, stops.
    var userCommandCount: UInt64 = 0

    /// Frames that may not have been heard yet, and those decoded ahead.
    var window = FrameWindow(channels: 1, first: 0)
    /// The frame that the output is offered next; while nothing sounds, the frame to go on with.
    var accepted: Int64 = 0
    var ending: Ending?
    var isFilling = false
    /// Whether rendering waits for the decoder.
    var awaitsFrames = false

    /// Whether the output is started.
    var isStarted = false
    /// Whether a seek is under way: nothing is rendered or decoded meanwhile.
    var isHeld = false
    /// Where the output was started or flushed: what it has pending lies behind this.
    var sessionStart: Int64 = 0
    /// For outputs paced by the clock: the frame that belongs to a moment.
    var anchor = (time: UInt64(0), frame: Int64(0))
    /// Since when an output paced by the clock has had nothing to play.
    var starvedSince: UInt64?
    /// The maximum frame that was reported as heard since the last jump.
    var heard: Int64 = 0
    /// The first frame that was never rendered; those before it were taken back.
    var takenBackEnd: Int64 = 0
    /// The last progress of an output that plays its rest.
    var drain: (pending: Int64, since: UInt64)?
    /// The loss of the output; `nil` when it plays, and when nothing is to sound.
    var outage: Outage?
    /// Whether the output is being started. Nothing else calls it meanwhile, and `isStarted` is false.
    var isOpening = false
    /// The commands that were carried out when a start began that is under way; `nil` when it is not to sound any more.
    var pendingStart: UInt64?
    /// What was set on the equaliser meanwhile.
    var laterSettings: [@Sendable (any EQPort) -> Void] = []
    /// The last progress of an output that is offered frames.
    var stall: (heard: Int64, since: UInt64)?
    var timer: Task<Void, Never>?
    /// One block on its way to the output.
    var block: [Float] = []

    /// Whether sound is to come out.
    var isSounding: Bool { state == .playing || state == .buffering }

    /// Whether sound is to come out when the output has started.
    var isStarting: Bool { pendingStart == userCommandCount }

    /// Brings the sound to the volume that was set and that the session allows, within 20 ms of sound.
    mutating func applyVolume() {
        let ramp = isSounding ? Int64((track?.info.sampleRate ?? 0) / 50) : 0
        volume.move(to: level * sessionGain, from: accepted, over: ramp)
    }

    /// Rises from silence to the volume that was set; over 0 frames, has it at once.
    mutating func rise(over frames: Int64) { volume.rise(to: level * sessionGain, from: accepted, over: frames) }

    /// Goes on at another frame, with nothing decoded.
    mutating func restart(at frame: Int64) {
        generation &+= 1
        window = FrameWindow(channels: track?.info.channels ?? 1, first: frame)
        place(at: frame)
        ending = nil
        awaitsFrames = false
    }

    /// Offers the output this frame next, which the window holds or ends with.
    mutating func place(at frame: Int64) {
        accepted = frame
        sessionStart = frame
        heard = frame
        takenBackEnd = 0
        drain = nil
        stall = nil
        volume.settle()
    }
}
