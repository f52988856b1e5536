internal import CGStreamer

/// Text of GStreamer caps for the PCM of Descant: Float32, little endian, interleaved.
enum RawAudioCaps {
    /// Any channels and sample rate.
    static let anyShape = "audio/x-raw,format=F32LE,layout=interleaved"

    /// Any channels, at their own positions; GStreamer orders them as WAVE files do.
    static func text(sampleRate: Int) -> String { "\(anyShape),rate=\(sampleRate)" }

    /// - Parameters:
    ///   - channels: 1…8 in the order of WAVE files, or more without speakers.
    ///   - sampleRate: In Hz; `nil` for any.
    static func text(channels: Int, sampleRate: Int?) -> String {
        var text = "\(anyShape),channels=\(channels)"
        if let sampleRate { text += ",rate=\(sampleRate)" }
        // One channel has no mask: GStreamer describes it as mono by itself.
        if channels > 1 { text += ",channel-mask=(bitmask)0x\(String(mask(channels: channels), radix: 16))" }
        return text
    }

    /// The channel mask of Descant's channels, in GStreamer's numbering (side pairs are bits 10 and 11). More than
    /// eight channels have no speakers, and a mask of 0.
    static func mask(channels: Int) -> UInt64 {
        switch channels {
        case 1: 0x4  // FC
        case 2: 0x3  // FL FR
        case 3: 0x7  // FL FR FC
        case 4: 0x33  // FL FR BL BR
        case 5: 0x37  // FL FR FC BL BR
        case 6: 0x3F  // FL FR FC LFE BL BR
        case 7: 0xD0F  // FL FR FC LFE BC SL SR
        case 8: 0xC3F  // FL FR FC LFE BL BR SL SR
        default: 0
        }
    }
}
