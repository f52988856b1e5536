internal import CGStreamer

/// The loudspeakers of a mix, by the names of a sound server.
enum PulseChannels {
    /// The channel map of a stream, as libpulse reads it; a channel without a speaker is an auxiliary one.
    ///
    /// libpulse's own maps have other speakers for 4, 5, 7 and 8 channels.
    static func map(channels: Int) -> String {
        ChannelMap.speakers(channels: channels).enumerated()
            .map { channel, speaker in name(of: speaker) ?? "aux\(channel)" }
            .joined(separator: ",")
    }

    private static func name(of speaker: GstAudioChannelPosition) -> String? {
        switch speaker {
        case GST_AUDIO_CHANNEL_POSITION_MONO: "mono"
        case GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT: "front-left"
        case GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT: "front-right"
        case GST_AUDIO_CHANNEL_POSITION_FRONT_CENTER: "front-center"
        case GST_AUDIO_CHANNEL_POSITION_LFE1: "lfe"
        case GST_AUDIO_CHANNEL_POSITION_REAR_LEFT: "rear-left"
        case GST_AUDIO_CHANNEL_POSITION_REAR_RIGHT: "rear-right"
        case GST_AUDIO_CHANNEL_POSITION_REAR_CENTER: "rear-center"
        case GST_AUDIO_CHANNEL_POSITION_SIDE_LEFT: "side-left"
        case GST_AUDIO_CHANNEL_POSITION_SIDE_RIGHT: "side-right"
        default: nil
        }
    }
}
