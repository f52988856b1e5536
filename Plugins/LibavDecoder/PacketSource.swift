/// The coded packets of one stream of a file.
///
/// Positions count decoded frames at ``EncodedStream/sampleRate`` in the time of the container, in which the sound is only a part.
protocol PacketSource: AnyObject {
    /// What the headers tell.
    var stream: EncodedStream { get }

    /// Calls a function with the next packet and its bytes.
    ///
    /// - Returns: Whether there was one; `false` at the end.
    /// - Throws: `CoreError` for a read that failed.
    func next(_ take: (CodedPacket, UnsafeBufferPointer<UInt8>) -> Void) throws -> Bool

    /// Moves to a packet from which decoding must begin so that the frame at a position and all frames after it are right.
    func seek(to position: Int64) throws
}

/// The place of a packet in the stream.
struct CodedPacket {
    /// The position of the first frame that is decoded from it, where the container tells it.
    var position: Int64?
    /// The number of frames that it adds, by its headers.
    var duration: Int64
    /// Whether bytes before it were lost, so that the decoder must forget what it knows of them.
    var isInterrupted: Bool
}

/// What the headers of a file tell about its sound.
struct EncodedStream {
    enum Codec: String {
        // The names of the decoders in libavcodec.
        case mp3 = "mp3float"
        case aac
        case alac
        case vorbis
        case opus = "libopus"
    }

    var codec: Codec
    /// The header of the codec, which is empty for MP3.
    var header: [UInt8]
    /// Frames per second, in Hz: the unit of the container's times.
    var sampleRate: Int
    /// As the headers tell; the first decoded packet decides.
    var channels: Int
    /// The position at which the sound begins.
    var lead: Int64
    /// The number of frames of sound.
    var frames: Int64
    /// The number of frames in every packet, where the container times packets by it.
    var framesPerPacket: Int64?
    /// Whether the file ends within the stream.
    var isTruncated = false

    /// The same stream at the rate of the decoder, which doubles a rate where spectral band replication is not announced; `nil` for
    /// a rate that is not a whole multiple.
    func decoded(at rate: Int) -> EncodedStream? {
        guard (1...1_536_000).contains(rate), (1...1_536_000).contains(sampleRate), rate % sampleRate == 0 else {
            return nil
        }
        var stream = self
        let factor = Int64(rate / sampleRate)
        guard max(lead, frames) < 1 << 40, factor <= 4 else { return nil }
        (stream.sampleRate, stream.lead, stream.frames) = (rate, lead * factor, frames * factor)
        return stream
    }
}
