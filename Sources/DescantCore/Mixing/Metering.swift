/// Peak and RMS of one moment.
public struct LevelReading: Sendable, Hashable {
    /// One meter's values, linear, one element a channel.
    public struct Meter: Sendable, Hashable {
        /// The maximum magnitude.
        public var peak: [Float]
        /// The root of the mean square.
        public var rms: [Float]

        /// Creates a meter's values.
        ///
        /// - Parameters:
        ///   - peak: The maximum magnitude, a channel each.
        ///   - rms: The root of the mean square, a channel each.
        public init(peak: [Float], rms: [Float]) {
            self.peak = peak
            self.rms = rms
        }
    }

    /// The last frame of the measured span, on the output's timeline.
    public var frame: Int64
    /// The sum of all layers after the limiter, before the master volume.
    public var master: Meter
    /// Every sounding layer.
    public var layers: [LayerID: Meter]

    /// Creates a reading; engines do this.
    ///
    /// - Parameters:
    ///   - frame: The last frame of the measured span.
    ///   - master: The sum of all layers.
    ///   - layers: Every sounding layer.
    public init(frame: Int64, master: Meter, layers: [LayerID: Meter]) {
        self.frame = frame
        self.master = master
        self.layers = layers
    }
}

/// A block of the final mix, for visualisers.
public struct PCMBlock: Sendable, Hashable {
    /// The block's first frame on the output's timeline.
    public var frame: Int64
    /// The shape of the samples.
    public var format: PCMFormat
    /// Interleaved samples.
    public var samples: [Float]

    /// Creates a block.
    ///
    /// - Parameters:
    ///   - frame: The block's first frame on the output's timeline.
    ///   - format: The shape of the samples.
    ///   - samples: Interleaved samples.
    public init(frame: Int64, format: PCMFormat, samples: [Float]) {
        self.frame = frame
        self.format = format
        self.samples = samples
    }
}
