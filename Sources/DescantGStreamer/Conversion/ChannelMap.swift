internal import CGStreamer

/// Maps the channels of a decoded stream to those of a deck.
///
/// All channel reordering and downmixing is done here. GStreamer 1.22 refuses streams without a channel mask, remixes
/// 5.1 with side speakers to 5.1 with rear speakers, and plays the LFE channel in stereo at the level of a front
/// channel.
struct ChannelMap: Sendable, Equatable {
    /// The gain of one input channel in one output channel.
    private struct Route: Sendable, Equatable {
        var input: Int
        var output: Int
        var gain: Float
    }

    /// Channels of the stream.
    let inputs: Int
    /// Channels of the deck.
    let outputs: Int
    private let routes: [Route]
    /// Whether samples are copied unchanged.
    let isIdentity: Bool

    /// Keeps a number of channels in their order.
    init(channels: Int) { self.init((0..<channels).map { Route(input: $0, output: $0, gain: 1) }, channels, channels) }

    /// - Parameters:
    ///   - speakers: The loudspeaker of every input channel. Without positions, the channels have the order of WAVE
    ///     files.
    ///   - outputs: 1…8 channels in the order of WAVE files.
    init(speakers: [GstAudioChannelPosition], outputs: Int) {
        let hasPositions = speakers.allSatisfy { $0.rawValue >= 0 || $0 == GST_AUDIO_CHANNEL_POSITION_MONO }
        let positions = hasPositions ? speakers : Self.speakers(channels: speakers.count)
        let layout = SpeakerLayout(Self.speakers(channels: outputs), beside: positions)
        var routes: [Route] = []
        for (input, speaker) in positions.enumerated() {
            for (target, gain) in layout.targets(of: speaker) {
                for (output, position) in layout.speakers.enumerated() where position == target {
                    routes.append(Route(input: input, output: output, gain: gain))
                }
            }
        }
        // No output exceeds full scale when all inputs are at full scale; the balance of the channels is kept.
        let maximum =
            (0..<outputs).map { output in
                routes.filter { $0.output == output }.reduce(0) { $0 + $1.gain }
            }.max() ?? 0
        if maximum > 1 { for index in routes.indices { routes[index].gain /= maximum } }
        self.init(routes, speakers.count, outputs)
    }

    private init(_ routes: [Route], _ inputs: Int, _ outputs: Int) {
        self.routes = routes
        self.inputs = inputs
        self.outputs = outputs
        isIdentity =
            inputs == outputs && routes == (0..<inputs).map { Route(input: $0, output: $0, gain: 1) }
    }

    /// The same map for a stream whose channels have another order.
    ///
    /// - Parameter order: For every channel in WAVE order, its index in the stream.
    func reading(order: [Int]) -> ChannelMap {
        ChannelMap(
            routes.map { Route(input: order[$0.input], output: $0.output, gain: $0.gain) }, inputs, outputs)
    }

    /// Maps interleaved frames.
    func apply(_ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, frames: Int) {
        if isIdentity { return target.update(from: source, count: frames * inputs) }
        target.update(repeating: 0, count: frames * outputs)
        for route in routes {
            var (from, to) = (source + route.input, target + route.output)
            for _ in 0..<frames {
                to.pointee += from.pointee * route.gain
                from += inputs
                to += outputs
            }
        }
    }

    /// The loudspeakers of a number of channels in the order of WAVE files; more than 8 channels have no positions.
    static func speakers(channels: Int) -> [GstAudioChannelPosition] {
        if channels == 1 { return [GST_AUDIO_CHANNEL_POSITION_MONO] }
        guard channels <= 8 else {
            return Array(repeating: GST_AUDIO_CHANNEL_POSITION_NONE, count: channels)
        }
        let mask = RawAudioCaps.mask(channels: channels)
        return (0..<64).filter { mask >> UInt64($0) & 1 == 1 }.map { GstAudioChannelPosition(rawValue: Int32($0)) }
    }
}

/// The loudspeakers of an output, and the downmix of channels for which it has none.
private struct SpeakerLayout {
    typealias Target = (speaker: GstAudioChannelPosition, gain: Float)

    let speakers: [GstAudioChannelPosition]
    private let sources: [GstAudioChannelPosition]

    /// Minus 3 dB: half the power.
    private static let half = Float(0.5).squareRoot()

    private static let fronts = (GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT, GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT)
    private static let sides = (GST_AUDIO_CHANNEL_POSITION_SIDE_LEFT, GST_AUDIO_CHANNEL_POSITION_SIDE_RIGHT)
    private static let rears = (GST_AUDIO_CHANNEL_POSITION_REAR_LEFT, GST_AUDIO_CHANNEL_POSITION_REAR_RIGHT)
    private static let center = GST_AUDIO_CHANNEL_POSITION_FRONT_CENTER
    private static let mono = GST_AUDIO_CHANNEL_POSITION_MONO

    init(_ speakers: [GstAudioChannelPosition], beside sources: [GstAudioChannelPosition]) {
        self.speakers = speakers
        self.sources = sources
    }

    private func has(_ speaker: GstAudioChannelPosition) -> Bool { speakers.contains(speaker) }

    /// The loudspeakers that play a channel; none for an LFE channel without a loudspeaker of its own.
    func targets(of speaker: GstAudioChannelPosition) -> [Target] {
        if has(speaker) { return [(speaker, 1)] }
        switch speaker {
        case Self.mono:
            if has(Self.center) { return [(Self.center, 1)] }
            return [(Self.fronts.0, 1), (Self.fronts.1, 1)]
        case GST_AUDIO_CHANNEL_POSITION_NONE:
            // More than 8 channels without positions: each in every loudspeaker.
            return speakers.map { (speaker: $0, gain: Float(1)) }
        case GST_AUDIO_CHANNEL_POSITION_LFE1, GST_AUDIO_CHANNEL_POSITION_LFE2: return []
        default: break
        }
        if has(Self.mono) { return [(Self.mono, Self.half)] }
        switch speaker {
        case Self.sides.0, GST_AUDIO_CHANNEL_POSITION_SURROUND_LEFT: return surround(\.0, other: Self.rears)
        case Self.sides.1, GST_AUDIO_CHANNEL_POSITION_SURROUND_RIGHT: return surround(\.1, other: Self.rears)
        case Self.rears.0: return surround(\.0, other: Self.sides)
        case Self.rears.1: return surround(\.1, other: Self.sides)
        case GST_AUDIO_CHANNEL_POSITION_REAR_CENTER, GST_AUDIO_CHANNEL_POSITION_TOP_REAR_CENTER:
            for pair in [Self.rears, Self.sides] where has(pair.0) {
                return [(pair.0, Self.half), (pair.1, Self.half)]
            }
            return [(Self.fronts.0, 0.5), (Self.fronts.1, 0.5)]
        case GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER, GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_LEFT,
            GST_AUDIO_CHANNEL_POSITION_TOP_REAR_LEFT, GST_AUDIO_CHANNEL_POSITION_TOP_SIDE_LEFT,
            GST_AUDIO_CHANNEL_POSITION_BOTTOM_FRONT_LEFT, GST_AUDIO_CHANNEL_POSITION_WIDE_LEFT:
            return [(Self.fronts.0, Self.half)]
        case GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER, GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_RIGHT,
            GST_AUDIO_CHANNEL_POSITION_TOP_REAR_RIGHT, GST_AUDIO_CHANNEL_POSITION_TOP_SIDE_RIGHT,
            GST_AUDIO_CHANNEL_POSITION_BOTTOM_FRONT_RIGHT, GST_AUDIO_CHANNEL_POSITION_WIDE_RIGHT:
            return [(Self.fronts.1, Self.half)]
        default: return [(Self.fronts.0, Self.half), (Self.fronts.1, Self.half)]
        }
    }

    /// One side of a surround pair: in the other surround pair, otherwise in front.
    private func surround(
        _ side: KeyPath<(GstAudioChannelPosition, GstAudioChannelPosition), GstAudioChannelPosition>,
        other: (GstAudioChannelPosition, GstAudioChannelPosition)
    ) -> [Target] {
        guard has(other.0) else { return [(Self.fronts[keyPath: side], Self.half)] }
        return [(other[keyPath: side], sources.contains(other.0) ? Self.half : 1)]
    }
}
