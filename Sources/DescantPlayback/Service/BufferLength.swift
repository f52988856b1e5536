/// How many frames are rendered at a time.
enum BufferLength {
    /// The power of two nearest to a tenth of a second: 4,096 at 44.1 and 48 kHz, 8,192 at 96 kHz, 1,024 at 8 kHz.
    static func frames(sampleRate: Double) -> Int {
        let wanted = max(1, min(sampleRate / 10, Double(1 << 20)))
        var lower = 1
        while Double(lower * 2) <= wanted { lower *= 2 }
        return wanted - Double(lower) < Double(lower * 2) - wanted ? lower : lower * 2
    }
}
