internal import CALSA
internal import DescantCore
internal import Glibc

/// A device of ALSA, opened for the samples of a mix. One thread at a time uses it.
// @unchecked: the pointer belongs to ALSA, whose devices may be used by any thread.
struct ALSADevice: @unchecked Sendable {
    private let pcm: OpaquePointer
    private let setup: Setup
    /// Whether the device gives back what it has not played.
    let rewinds: Bool
    private var encoder: SampleEncoder

    /// Opens a device. Does not wait for one that another program uses.
    ///
    /// - Parameters:
    ///   - name: ALSA's name of it, such as `hw:0`.
    ///   - format: The format of the mix. ALSA converts where the device lacks its channels or its rate.
    ///   - queue: The length of the queue, in seconds.
    ///   - rewinds: Whether the device gives back what it has not played; `nil` for what its kind usually does.
    /// - Throws: `CoreError.ioError` with ALSA's reason.
    init(_ name: String, format: PCMFormat, queue: Double, rewinds: Bool?) throws(CoreError) {
        // ALSA would print why it cannot open a device.
        snd_lib_error_set_local { _, _, _, _, _, _ in }
        defer { snd_lib_error_set_local(nil) }
        for name in [name, "plug:'\(name)'"] {
            var opened: OpaquePointer?
            let code = snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK)
            guard code >= 0, let pcm = opened else { throw Self.error(Int(code)) }
            let setup: Setup
            if rewinds ?? Self.isCard(pcm), Self.mayGiveBack(pcm), let whole = Setup(pcm, format, length: queue * 1.1),
                Self.givesBack(pcm, whole)
            {
                setup = whole
                self.rewinds = true
            } else if let short = Setup(pcm, format, length: Self.longestKept) {
                setup = short
                self.rewinds = false
            } else {
                snd_pcm_close(pcm)
                continue
            }
            self.pcm = pcm
            self.setup = setup
            encoder = SampleEncoder(
                setup.encoding, format: format, order: ALSAChannels.order(of: pcm, channels: format.channels))
            return
        }
        throw .ioError("it does not play \(format.channels) channels at \(format.sampleRate) Hz")
    }

    /// The buffer of a device that does not give back what it has not played, in seconds: commands wait for it, and a busy machine has
    /// half of it to write the next block.
    private static let longestKept = 0.1

    /// Cards give back what they have not played. Plugins that lead to sound servers only say so.
    private static func isCard(_ pcm: OpaquePointer) -> Bool { snd_pcm_type(pcm) == SND_PCM_TYPE_HW }

    /// A plugin that converts holds sound that cannot be taken back.
    private static func mayGiveBack(_ pcm: OpaquePointer) -> Bool { snd_pcm_type(pcm) != SND_PCM_TYPE_PLUG }

    /// Tries with silence, before anything plays: some drivers take nothing back.
    private static func givesBack(_ pcm: OpaquePointer, _ setup: Setup) -> Bool {
        let frames = min(64, setup.bufferFrames / 2)
        let silence = [UInt8](repeating: 0, count: Int(frames) * setup.frameBytes)
        let isGiven =
            snd_pcm_writei(pcm, silence, snd_pcm_uframes_t(frames)) == frames
            && snd_pcm_rewind(pcm, snd_pcm_uframes_t(frames)) == frames
        snd_pcm_drop(pcm)
        return snd_pcm_prepare(pcm) >= 0 && isGiven
    }

    func close() {
        snd_pcm_drop(pcm)
        snd_pcm_close(pcm)
    }

    private static func error(_ code: Int) -> CoreError {
        if code == -Int(EBUSY) { return .ioError("another program plays on it") }
        return .ioError(snd_strerror(Int32(truncatingIfNeeded: code)).map { String(cString: $0) } ?? "error \(code)")
    }

    /// Whether the device has stopped: it ran out of sound, or the system was asleep. What it held then is left out.
    private static func isStop(_ code: Int) -> Bool { code == -Int(EPIPE) || code == -Int(ESTRPIPE) }

    /// The frames that the device holds, at most.
    var bufferFrames: Int64 { setup.bufferFrames }

    /// The frames that were written and are not heard yet; 0 when the device has stopped.
    ///
    /// - Throws: `CoreError.ioError` for a device that is gone.
    var delay: Int64 {
        get throws(CoreError) {
            var frames: snd_pcm_sframes_t = 0
            let code = Int(snd_pcm_delay(pcm, &frames))
            guard code >= 0 || Self.isStop(code) else { throw Self.error(code) }
            return code >= 0 ? max(0, Int64(frames)) : 0
        }
    }

    /// The frames that the device can give back.
    var rewindable: Int64 { rewinds ? max(0, Int64(snd_pcm_rewindable(pcm)) - setup.step) : 0 }

    /// Takes back the frames that were written last.
    ///
    /// - Returns: How many were taken back.
    func rewind(_ frames: Int64) -> Int64 {
        frames > 0 ? max(0, Int64(snd_pcm_rewind(pcm, snd_pcm_uframes_t(frames)))) : 0
    }

    /// Writes as many frames as there is room for, and has the device play them.
    ///
    /// - Returns: How many were written.
    /// - Throws: `CoreError.ioError` for a device that is gone.
    mutating func write(_ samples: UnsafePointer<Float>, frames: Int64) throws(CoreError) -> Int64 {
        var code = writeOnce(samples, frames: frames)
        // It begins again with these frames.
        if Self.isStop(code), snd_pcm_prepare(pcm) >= 0 { code = writeOnce(samples, frames: frames) }
        guard code >= 0 || code == -Int(EAGAIN) else { throw Self.error(code) }
        if snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED { snd_pcm_start(pcm) }
        return Int64(max(0, code))
    }

    /// - Returns: How many frames were written, or ALSA's code of an error.
    private mutating func writeOnce(_ samples: UnsafePointer<Float>, frames: Int64) -> Int {
        let room = Int(snd_pcm_avail(pcm))
        let (count, pcm) = (min(Int(frames), room), pcm)
        guard count > 0 else { return room }
        return encoder.encode(samples, frames: count) { Int(snd_pcm_writei(pcm, $0, snd_pcm_uframes_t(count))) }
    }

    /// The parameters that a device plays with.
    private struct Setup {
        let encoding: SampleEncoder.Encoding
        let frameBytes: Int
        let bufferFrames: Int64
        /// The frames by which its position advances at once; 0 when the position is exact.
        let step: Int64

        /// Sets up a device in the most exact encoding that it takes; `nil` when it does not play the format.
        ///
        /// - Parameter seconds: The length that its buffer is to have.
        init?(_ pcm: OpaquePointer, _ format: PCMFormat, length seconds: Double) {
            var memory: OpaquePointer?
            guard snd_pcm_hw_params_malloc(&memory) >= 0, let parameters = memory else { return nil }
            defer { snd_pcm_hw_params_free(parameters) }
            func fits(_ encoding: SampleEncoder.Encoding) -> Bool {
                snd_pcm_hw_params_any(pcm, parameters) >= 0
                    && snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED) >= 0
                    && snd_pcm_hw_params_set_format(pcm, parameters, encoding.alsaFormat) >= 0
                    && snd_pcm_hw_params_set_channels(pcm, parameters, UInt32(format.channels)) >= 0
                    && snd_pcm_hw_params_set_rate(pcm, parameters, UInt32(format.sampleRate), 0) >= 0
            }
            /// - Parameter period: The frames after which the device asks for more, or whose position it knows.
            func apply(_ encoding: SampleEncoder.Encoding, period: Int64) -> Bool {
                guard fits(encoding) else { return false }
                var length = snd_pcm_uframes_t(format.frames(in: seconds))
                var period = snd_pcm_uframes_t(max(1, period))
                snd_pcm_hw_params_set_buffer_size_near(pcm, parameters, &length)
                snd_pcm_hw_params_set_period_size_near(pcm, parameters, &period, nil)
                return snd_pcm_hw_params(pcm, parameters) >= 0
            }
            guard let encoding = SampleEncoder.Encoding.allCases.first(where: fits),
                apply(encoding, period: format.frames(in: seconds / 4))
            else { return nil }
            // Some devices know their position only at the end of a period.
            let isCoarse = snd_pcm_hw_params_is_batch(parameters) == 1
            if isCoarse { guard apply(encoding, period: format.frames(in: 0.01)) else { return nil } }
            var (buffer, period) = (snd_pcm_uframes_t(), snd_pcm_uframes_t())
            snd_pcm_hw_params_get_buffer_size(parameters, &buffer)
            snd_pcm_hw_params_get_period_size(parameters, &period, nil)
            self.encoding = encoding
            frameBytes = format.channels * encoding.bytes
            bufferFrames = Int64(buffer)
            step = isCoarse ? Int64(period) : 0
            guard Self.startsWhenAsked(pcm) else { return nil }
        }

        /// Has a device begin to play when it is started, and not when its buffer is full.
        private static func startsWhenAsked(_ pcm: OpaquePointer) -> Bool {
            var memory: OpaquePointer?
            guard snd_pcm_sw_params_malloc(&memory) >= 0, let parameters = memory else { return false }
            defer { snd_pcm_sw_params_free(parameters) }
            var boundary = snd_pcm_uframes_t()
            return snd_pcm_sw_params_current(pcm, parameters) >= 0
                && snd_pcm_sw_params_get_boundary(parameters, &boundary) >= 0
                && snd_pcm_sw_params_set_start_threshold(pcm, parameters, boundary) >= 0
                && snd_pcm_sw_params(pcm, parameters) >= 0
        }
    }
}
