/// The gain of every frame: a level, or a short ramp that ends in it, so that no step is heard.
struct VolumeLine {
    /// The level that holds in the end.
    private(set) var level: Float = 1
    private var from: Float = 1
    private var start: Int64 = 0
    private var length: Int64 = 0

    /// Goes to a level.
    ///
    /// - Parameters:
    ///   - level: Where to.
    ///   - frame: The first frame of the ramp.
    ///   - frames: How long the ramp is; 0 for at once.
    mutating func move(to level: Float, from frame: Int64, over frames: Int64) {
        from = gain(at: frame)
        start = frame
        length = frames
        self.level = level
    }

    /// Forgets a ramp: playing goes on somewhere else.
    mutating func settle() { length = 0 }

    func gain(at frame: Int64) -> Float {
        let passed = frame - start
        guard length > 0, passed < length else { return level }
        return passed <= 0 ? from : from + (level - from) * Float(passed) / Float(length)
    }

    /// Applies the gains of frames in place; samples at full level are not touched.
    func apply(to samples: UnsafeMutablePointer<Float>, from frame: Int64, frames: Int, channels: Int) {
        let isRamping = length > 0 && frame < start + length
        if !isRamping, level == 1 { return }
        for index in 0..<frames {
            let gain = isRamping ? gain(at: frame + Int64(index)) : level
            for channel in 0..<channels { samples[index * channels + channel] *= gain }
        }
    }
}
