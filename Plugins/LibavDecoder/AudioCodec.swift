internal import CLibav

/// One decoder of libavcodec.
final class AudioCodec {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let frame: UnsafeMutablePointer<AVFrame>

    /// `nil` when this build of libavcodec does not have the decoder, or does not accept the header.
    init?(_ stream: EncodedStream) {
        guard let packet = av_packet_alloc() else { return nil }
        guard let frame = av_frame_alloc() else {
            var packet: UnsafeMutablePointer<AVPacket>? = packet
            av_packet_free(&packet)
            return nil
        }
        (self.packet, self.frame) = (packet, frame)
        let context = stream.header.withUnsafeBufferPointer { header in
            descant_av_open(
                stream.codec.rawValue, header.baseAddress, Int32(clamping: header.count), Int32(stream.sampleRate),
                Int32(stream.channels))
        }
        guard let context else {
            Self.free(packet, frame)
            return nil
        }
        self.context = context
    }

    deinit {
        descant_av_close(context)
        Self.free(packet, frame)
    }

    private static func free(_ packet: UnsafeMutablePointer<AVPacket>, _ frame: UnsafeMutablePointer<AVFrame>) {
        var (packet, frame): (UnsafeMutablePointer<AVPacket>?, UnsafeMutablePointer<AVFrame>?) = (packet, frame)
        av_packet_free(&packet)
        av_frame_free(&frame)
    }

    /// Bits per sample in the source; 32 for codecs that lose something.
    var bitDepth: Int {
        let bits = Int(context.pointee.bits_per_raw_sample)
        return context.pointee.codec_id == AV_CODEC_ID_ALAC && (1...32).contains(bits) ? bits : 32
    }

    /// Decodes a packet, whose frames ``receive()`` returns.
    ///
    /// - Returns: Whether it can be decoded.
    func send(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return false }
        return descant_av_send(context, packet, base, Int32(clamping: bytes.count)) >= 0
    }

    /// Announces that no packet follows. ``flush()`` makes the decoder usable again.
    func finish() { avcodec_send_packet(context, nil) }

    /// The next decoded frames, valid until the next call; `nil` when there are none.
    func receive() -> DecodedFrames? {
        guard avcodec_receive_frame(context, frame) >= 0 else { return nil }
        return DecodedFrames(frame)
    }

    /// Forgets everything that was sent.
    func flush() { avcodec_flush_buffers(context) }
}

/// Frames in the memory of a decoder.
struct DecodedFrames {
    let count: Int
    let channels: Int
    let sampleRate: Int
    private let frame: UnsafeMutablePointer<AVFrame>
    private let format: AVSampleFormat

    /// `nil` for a frame in an unknown format, or without samples.
    init?(_ frame: UnsafeMutablePointer<AVFrame>) {
        self.frame = frame
        count = Int(frame.pointee.nb_samples)
        channels = Int(descant_av_channels(frame))
        sampleRate = Int(frame.pointee.sample_rate)
        format = AVSampleFormat(frame.pointee.format)
        guard count > 0, (1...64).contains(channels), frame.pointee.extended_data != nil else { return nil }
    }

    /// Writes frames as interleaved Float32 samples. A mono stream fills all channels of the output.
    ///
    /// - Returns: Whether the format of the samples is known, and their number of channels fits.
    func copy(_ range: Range<Int>, to output: UnsafeMutablePointer<Float>, channels wanted: Int) -> Bool {
        guard channels == wanted || channels == 1, range.lowerBound >= 0, range.upperBound <= count else {
            return false
        }
        switch format {
        case AV_SAMPLE_FMT_FLTP: return planar(Float.self, range, output, wanted) { $0 }
        case AV_SAMPLE_FMT_FLT: return packed(Float.self, range, output, wanted) { $0 }
        case AV_SAMPLE_FMT_S16P: return planar(Int16.self, range, output, wanted) { Float($0) * 0x1p-15 }
        case AV_SAMPLE_FMT_S16: return packed(Int16.self, range, output, wanted) { Float($0) * 0x1p-15 }
        case AV_SAMPLE_FMT_S32P: return planar(Int32.self, range, output, wanted) { Float($0) * 0x1p-31 }
        case AV_SAMPLE_FMT_S32: return packed(Int32.self, range, output, wanted) { Float($0) * 0x1p-31 }
        default: return false
        }
    }

    @inline(__always)
    private func planar<Sample>(
        _: Sample.Type, _ range: Range<Int>, _ output: UnsafeMutablePointer<Float>, _ wanted: Int,
        _ convert: (Sample) -> Float
    ) -> Bool {
        if channels == 2, let left = plane(0, Sample.self), let right = plane(1, Sample.self) {
            var target = output
            for index in range {
                target[0] = convert(left[index])
                target[1] = convert(right[index])
                target += 2
            }
            return true
        }
        for channel in 0..<wanted {
            guard let samples = plane(channels == 1 ? 0 : channel, Sample.self) else { return false }
            var target = output + channel
            for index in range {
                target.pointee = convert(samples[index])
                target += wanted
            }
        }
        return true
    }

    @inline(__always)
    private func packed<Sample>(
        _: Sample.Type, _ range: Range<Int>, _ output: UnsafeMutablePointer<Float>, _ wanted: Int,
        _ convert: (Sample) -> Float
    ) -> Bool {
        guard let samples = plane(0, Sample.self) else { return false }
        if channels == wanted {
            let first = samples + range.lowerBound * wanted
            for index in 0..<range.count * wanted { output[index] = convert(first[index]) }
        } else {
            for (index, frame) in range.enumerated() {
                for channel in 0..<wanted { output[index * wanted + channel] = convert(samples[frame]) }
            }
        }
        return true
    }

    private func plane<Sample>(_ channel: Int, _: Sample.Type) -> UnsafePointer<Sample>? {
        guard let bytes = frame.pointee.extended_data[channel] else { return nil }
        return UnsafeRawPointer(bytes).assumingMemoryBound(to: Sample.self)
    }
}
