internal import DescantCore
internal import Foundation

/// The file that is loaded.
struct LoadedTrack {
    let handle: DecodeHandle
    let info: StreamInfo
    /// Frames rendered at a time.
    let blockFrames: Int

    init(handle: DecodeHandle, info: StreamInfo) {
        self.handle = handle
        self.info = info
        blockFrames = BufferLength.frames(sampleRate: info.sampleRate)
    }

    /// The frame nearest to a time.
    func frame(at seconds: Double) -> Int64 { FrameCount(clamping: seconds * info.sampleRate).value }

    /// Whether a position can be counted in frames: that of an endless stream may be any number.
    func isCountable(_ seconds: Double) -> Bool { seconds * info.sampleRate <= Double(FrameCount.limit) }

    func seconds(at frame: Int64) -> Double { Double(frame) / info.sampleRate }

    /// How many frames are decoded ahead: two seconds, and never less than what is rendered at once.
    var decodedAhead: Int64 { max(Int64(blockFrames) * 2, Int64(info.sampleRate * 2)) }
}

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

/// Decoded frames around the present place: those that were rendered and may not have been heard, and those to come.
struct FrameWindow {
    let channels: Int
    /// The source frame that the window begins with.
    private(set) var first: Int64
    private var samples: [Float] = []
    /// Samples at the beginning of the array that were dropped.
    private var dropped = 0

    init(channels: Int, first: Int64) {
        self.channels = channels
        self.first = first
    }

    /// The source frame behind the last one.
    var end: Int64 { first + Int64((samples.count - dropped) / channels) }

    /// Takes frames over that follow the last one.
    mutating func append(_ added: UnsafeBufferPointer<Float>) { samples.append(contentsOf: added) }

    /// Forgets what lies before a frame.
    mutating func drop(before frame: Int64) {
        let target = min(frame, end)
        guard target > first else { return }
        dropped += Int(target - first) * channels
        first = target
        // Moving what is left costs less the less of it there is.
        if dropped * 2 > samples.count {
            samples.removeFirst(dropped)
            dropped = 0
        }
    }

    /// Forgets a frame and what follows it.
    mutating func truncate(at frame: Int64) {
        guard frame < end else { return }
        samples.removeLast(Int(end - max(frame, first)) * channels)
    }

    /// Copies frames that the window holds.
    func copy(from frame: Int64, frames: Int, to target: UnsafeMutablePointer<Float>) {
        let offset = dropped + Int(frame - first) * channels
        samples.withUnsafeBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            target.update(from: start + offset, count: frames * channels)
        }
    }
}
