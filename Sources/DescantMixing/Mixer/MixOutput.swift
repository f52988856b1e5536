package import DescantCore

/// The source that an output pulls its sound from: the mixer.
///
/// Called by one thread of the output at a time.
package protocol MixSource: AnyObject, Sendable {
    /// Renders the next frames of every active layer, all from the same output frame on.
    ///
    /// In real time this never blocks. Offline it may wait for decks, and renders fewer frames when the render is to
    /// stop at a layer's end; 0 means that the render stops here until the output is advanced again.
    ///
    /// - Parameters:
    ///   - frames: The maximum number of frames to render.
    ///   - buffer: Returns the memory for one layer's interleaved frames, with room for `frames` frames.
    /// - Returns: What was rendered.
    func render(frames: Int, buffer: (LayerID) -> UnsafeMutablePointer<Float>) -> RenderedBlock
}

/// One rendered block: the same frames of every active layer.
package struct RenderedBlock: Sendable {
    /// The block's first frame on the output's timeline.
    package var frame: Int64
    /// How many frames were rendered; the same for every layer.
    package var frames: Int
    /// The layers that were rendered, in order; `isSilent` tells that all samples are zero.
    package var layers: [(id: LayerID, isSilent: Bool)]
    /// Whether nothing will sound until ``MixOutput/wake()`` is called; an output may sleep until then.
    package var isQuiet: Bool

    package init(frame: Int64, frames: Int, layers: [(id: LayerID, isSilent: Bool)], isQuiet: Bool = false) {
        self.frame = frame
        self.frames = frames
        self.layers = layers
        self.isQuiet = isQuiet
    }
}

/// An event of an output; reported on any of its threads. The receiver must not block.
package enum OutputEvent: Sendable {
    /// The device or server went away. No layer is rendered until it is back.
    case lost(reason: String)
    /// The device is back; playback continues at the frame where it was lost.
    case restored
    /// The sound goes to another device.
    case deviceChanged(String)
    /// The sum of a block, after the limiter: peak and RMS per channel, interleaved samples only when tapped. Told when it is
    /// rendered; frames that are rendered again are told again.
    case levels(frame: Int64, LevelReading.Meter)
    case tapped(PCMBlock)
}

/// Sums the layers, applies equaliser, limiter and master volume, and plays or stores the result.
///
/// An output numbers its frames from 0 for its whole life: releasing and acquiring the device, losing it and changing
/// it leave the numbering as it is.
package protocol MixOutput: AnyObject, Sendable {
    var format: PCMFormat { get }

    /// Whether frames are rendered only inside `advance`.
    var isOffline: Bool { get }

    /// Connects the output to its source; called once, before everything else.
    func connect(source: any MixSource, onEvent: @escaping @Sendable (OutputEvent) -> Void)

    /// Whether ``change(_:)`` can replace frames that were rendered and not heard.
    var canRewind: Bool { get }

    /// Runs a closure while nothing is rendered.
    ///
    /// An output that can rewind plays frames of its queue that were not heard again, rendered anew: the source
    /// continues at the frame that the closure receives. The frame never decreases between two calls, and lies behind
    /// ``heardFrame``, up to which events have been told.
    ///
    /// - Parameter body: Receives the first output frame that can still be changed; `nil` when the next frame to be
    ///   rendered is the first one. Called once, on the caller's thread.
    func change<Result>(_ body: (Int64?) throws -> Result) rethrows -> Result

    /// Acquires the device and begins to pull; does nothing when started. Returns when the device has accepted the
    /// stream, after 5 s at most.
    ///
    /// - Throws: `CoreError.ioError` with server and remedy when there is no device.
    func start() async throws

    /// Ends the sleep of an output and lets it render the next block early: something new sounds with the next frame,
    /// and its samples are there.
    ///
    /// Any thread; never waits.
    func wake()

    /// Releases the device after what was rendered has been heard; harmless when stopped.
    ///
    /// - Parameter isUnused: Called when all earlier operations are done. A start that came meanwhile uses the device,
    ///   which must then stay.
    func suspend(if isUnused: @escaping @Sendable () -> Bool) async

    /// Stops for good.
    func shutdown() async

    /// The number of frames that have left the loudspeaker: rendered frames less the latency. Offline, the frames
    /// rendered. Never decreases. Any thread, does not block for longer than a lock.
    var heardFrame: Int64 { get }

    /// Sets the master gain with a 10 ms ramp, 0…1.
    func setVolume(_ volume: Double)

    func setLimiter(enabled: Bool)

    /// Sets the role of the stream on a sound server; an output without a server has none.
    func setRole(_ role: AudioRole)

    /// Sets the equaliser of the sum, before the limiter, from the next rendered frame on.
    func setEqualizer(_ settings: EqualizerSettings)

    /// Sets the effects of the sum, behind the equaliser, from the next rendered frame on.
    func setEffects(_ plan: EffectPlan)

    /// Sets whether `levels` and `tapped` are reported.
    func setMetering(levels: Bool, tap: Bool)

    func devices() async throws -> [OutputDevice]
    func selectDevice(_ identifier: String?) async throws

    /// Offline: pulls until `frames` more frames were rendered or the source gives 0; returns the number rendered.
    func advance(frames: Int64) async throws -> Int64

    /// Offline: completes the file.
    func finish() async throws
}

extension MixOutput {
    package var canRewind: Bool { false }

    package func setRole(_ role: AudioRole) {}

    package func change<Result>(_ body: (Int64?) throws -> Result) rethrows -> Result { try body(nil) }

    /// Releases the device after what was rendered has been heard; harmless when stopped.
    package func suspend() async { await suspend { true } }
}
