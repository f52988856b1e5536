internal import DescantCore
internal import Foundation

/// Lowers a layer while others sound, frame by frame.
///
/// The level moves linearly in decibels from its present value to its target, so that neither a new plan nor a key that
/// starts or stops makes a step.
struct Ducker: Sendable {
    private let sampleRate: Int
    private(set) var plan: DuckingPlan
    private var isEnding = false
    /// The present level in decibels, 0 or less.
    private var level = 0.0
    private var start = 0.0
    private var target = 0.0
    /// The running ramp: its length and the frames of it that have passed.
    private var length: Int64 = 0
    private var passed: Int64 = 0
    /// Frames of the hold time that are left.
    private var holdLeft: Int64 = 0

    init(_ plan: DuckingPlan, sampleRate: Int) {
        self.sampleRate = sampleRate
        self.plan = plan
    }

    /// Continues with another plan; `nil` ends the ducking, and the level returns to 0.
    mutating func follow(_ plan: DuckingPlan?) {
        isEnding = plan == nil
        guard let plan else { return }
        self.plan = plan
    }

    /// Whether nothing is lowered and nothing will be.
    var isOver: Bool { isEnding && level == 0 && target == 0 }

    /// Ducks the next frames.
    ///
    /// - Parameters:
    ///   - buffer: Interleaved frames to lower; `nil` for a layer without sound.
    ///   - frames: How many frames.
    ///   - channels: Channels of a frame.
    ///   - keySpans: The frames in which a key sounds, counted from the first one of the block, in order of their
    ///     beginnings.
    mutating func process(
        _ buffer: UnsafeMutablePointer<Float>?, frames: Int, channels: Int, keySpans: [Range<Int>]
    ) {
        let spans = isEnding ? [] : keySpans
        var frame = 0
        while frame < frames {
            let isKeyed = spans.contains { $0.contains(frame) }
            let change = spans.flatMap { [$0.lowerBound, $0.upperBound] }.filter { $0 > frame }.min() ?? frames
            var end = min(frames, change)
            if isKeyed {
                holdLeft = FrameCount(seconds: plan.ducking.hold, sampleRate: Double(sampleRate)).value
            } else if holdLeft > 0, !isEnding {
                end = min(end, frame + Int(min(holdLeft, Int64(frames))))
                holdLeft -= Int64(end - frame)
            } else {
                send(to: 0, over: plan.ducking.release)
            }
            if isKeyed { send(to: -plan.ducking.amount, over: plan.ducking.attack) }
            move(buffer.map { $0 + frame * channels }, frames: end - frame, channels: channels)
            frame = end
        }
    }

    /// Starts a ramp, unless one leads to the target already. The time is that of the full range.
    private mutating func send(to goal: Double, over seconds: Double) {
        guard goal != target else { return }
        let whole = max(abs(goal - level), plan.ducking.amount)
        let share = whole > 0 ? abs(goal - level) / whole : 0
        start = level
        target = goal
        passed = 0
        length = max(
            Int64(sampleRate / 100), FrameCount(seconds: seconds * share, sampleRate: Double(sampleRate)).value)
    }

    private mutating func move(_ buffer: UnsafeMutablePointer<Float>?, frames: Int, channels: Int) {
        var frame = 0
        while frame < frames, level != target {
            level = passed >= length ? target : start + (target - start) * Double(passed) / Double(length)
            passed += 1
            if let buffer { apply(to: buffer + frame * channels, frames: 1, channels: channels) }
            frame += 1
        }
        if let buffer, level != 0 {
            apply(to: buffer + frame * channels, frames: frames - frame, channels: channels)
        }
    }

    private func apply(to buffer: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        let gain = Float(pow(10, level / 20))
        for sample in 0..<frames * channels { buffer[sample] *= gain }
    }
}
