internal import CGStreamer
internal import CGStreamerShim
internal import DescantCore
internal import Synchronization

/// Keeps unused converters, because the filter of a new one takes some 30 ms to compute.
final class ConverterPool: Sendable {
    private struct Shapes: Hashable {
        let input: PCMFormat
        let output: PCMFormat
    }

    /// The maximum number of idle converters for each pair of formats.
    private static let depth = 4
    /// The maximum number of pairs of formats with idle converters: files may have any number of rates.
    private static let pairLimit = 32

    /// The resampler's quality, 0…10; 10 is the best.
    private static let quality: guint = 10

    /// The filter's phases per input frame. With 2048, the error of a 1 kHz tone is -83 dB (GStreamer 1.22); more take
    /// longer to compute.
    private static let oversampling = 2048

    private let idle = Mutex<[Shapes: [IdleConverter]]>([:])

    /// A converter at the beginning of a stream, between two formats that the factory has checked.
    ///
    /// - Throws: `CoreError.unsupported` for a shape that cannot be converted.
    func take(from input: PCMFormat, to output: PCMFormat) throws -> IdleConverter {
        let shapes = Shapes(input: input, output: output)
        if let waiting = idle.withLock({ $0[shapes]?.popLast() }) { return waiting }
        return try Self.make(from: input, to: output)
    }

    /// Takes back a converter that was reset.
    func giveBack(_ converter: IdleConverter) {
        let shapes = Shapes(input: converter.input, output: converter.output)
        idle.withLock { idle in
            if idle[shapes] == nil, idle.count >= Self.pairLimit { idle.removeAll() }
            if idle[shapes, default: []].count < Self.depth { idle[shapes, default: []].append(converter) }
        }
    }

    private static func make(from input: PCMFormat, to output: PCMFormat) throws -> IdleConverter {
        try GStreamerRuntime.start()
        var inputInfo = info(input)
        var outputInfo = info(output)
        let options = gst_structure_new_empty("converter")
        gst_audio_resampler_options_set_quality(
            GST_AUDIO_RESAMPLER_METHOD_KAISER, quality, gint(input.sampleRate), gint(output.sampleRate), options)
        descant_gst_use_kaiser_resampler(options, gint(oversampling))
        // The converter takes ownership of the options.
        guard let made = gst_audio_converter_new(GST_AUDIO_CONVERTER_FLAG_NONE, &inputInfo, &outputInfo, options)
        else {
            throw CoreError.unsupported(
                "GStreamer cannot convert \(input.channels) channels at \(input.sampleRate) Hz to "
                    + "\(output.channels) channels at \(output.sampleRate) Hz")
        }
        return IdleConverter(owning: made, from: input, to: output)
    }

    private static func info(_ format: PCMFormat) -> GstAudioInfo {
        var info = GstAudioInfo()
        var positions = [GstAudioChannelPosition](repeating: GST_AUDIO_CHANNEL_POSITION_MONO, count: 64)
        if format.channels > 1 {
            gst_audio_channel_positions_from_mask(
                gint(format.channels), guint64(RawAudioCaps.mask(channels: format.channels)), &positions)
        }
        gst_audio_info_set_format(
            &info, GST_AUDIO_FORMAT_F32LE, gint(format.sampleRate), gint(format.channels), positions)
        return info
    }
}

/// A GstAudioConverter, freed with this object.
final class IdleConverter: @unchecked Sendable {
    // Safe to share: the pointer never changes, and the object has one user at a time: the pool hands out each
    // converter once.
    let pointer: OpaquePointer
    let input: PCMFormat
    let output: PCMFormat

    init(owning pointer: OpaquePointer, from input: PCMFormat, to output: PCMFormat) {
        self.pointer = pointer
        self.input = input
        self.output = output
    }

    deinit { gst_audio_converter_free(pointer) }
}
