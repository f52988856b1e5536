internal import CALSA
internal import CGStreamer
internal import Glibc

/// The order of the channels of ALSA's devices.
enum ALSAChannels {
    /// For each channel of a device, the channel of the mix; `nil` where both have the same order, and where a device has other speakers.
    static func order(of pcm: OpaquePointer, channels: Int) -> [Int]? {
        let mix = speakers(channels)
        let order = (positions(of: pcm, channels: channels) ?? usual(channels)).compactMap { mix.firstIndex(of: $0) }
        return order.count == channels && order != Array(0..<channels) ? order : nil
    }

    /// The speakers of the mix.
    private static func speakers(_ channels: Int) -> [snd_pcm_chmap_position] {
        ChannelMap.speakers(channels: channels).compactMap(position(of:))
    }

    private static func position(of speaker: GstAudioChannelPosition) -> snd_pcm_chmap_position? {
        switch speaker {
        case GST_AUDIO_CHANNEL_POSITION_MONO: SND_CHMAP_MONO
        case GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT: SND_CHMAP_FL
        case GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT: SND_CHMAP_FR
        case GST_AUDIO_CHANNEL_POSITION_FRONT_CENTER: SND_CHMAP_FC
        case GST_AUDIO_CHANNEL_POSITION_LFE1: SND_CHMAP_LFE
        case GST_AUDIO_CHANNEL_POSITION_REAR_LEFT: SND_CHMAP_RL
        case GST_AUDIO_CHANNEL_POSITION_REAR_RIGHT: SND_CHMAP_RR
        case GST_AUDIO_CHANNEL_POSITION_REAR_CENTER: SND_CHMAP_RC
        case GST_AUDIO_CHANNEL_POSITION_SIDE_LEFT: SND_CHMAP_SL
        case GST_AUDIO_CHANNEL_POSITION_SIDE_RIGHT: SND_CHMAP_SR
        default: nil
        }
    }

    /// The speakers of a device that does not name them: ALSA's numbering, in which the four corners come first.
    private static func usual(_ channels: Int) -> [snd_pcm_chmap_position] {
        guard [5, 6, 8].contains(channels) else { return speakers(channels) }
        let all = [
            SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FC, SND_CHMAP_LFE, SND_CHMAP_SL,
            SND_CHMAP_SR,
        ]
        return Array(all.prefix(channels))
    }

    /// The speakers that a device names; `nil` when it names none.
    private static func positions(of pcm: OpaquePointer, channels: Int) -> [snd_pcm_chmap_position]? {
        guard let map = snd_pcm_get_chmap(pcm) else { return nil }
        defer { free(map) }
        guard map.pointee.channels == UInt32(channels) else { return nil }
        // An array of `unsigned int` follows their number.
        let first = UnsafeRawPointer(map).advanced(by: MemoryLayout<UInt32>.stride)
        return (0..<channels).map { index in
            snd_pcm_chmap_position(rawValue: first.load(fromByteOffset: 4 * index, as: UInt32.self))
        }
    }
}
