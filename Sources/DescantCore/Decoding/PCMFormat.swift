/// The shape of decoded audio inside Descant: 32-bit floating-point samples, interleaved, nominally in -1…1.
public struct PCMFormat: Sendable, Hashable, Codable {
    /// Frames per second, in Hz; greater than 0.
    public var sampleRate: Int
    /// Samples per frame; 1…8.
    ///
    /// Order: FL FR FC LFE then side or back pairs, as in WAVE files.
    public var channels: Int

    /// Creates a format.
    ///
    /// Values are kept as given; a consumer refuses a format that it does not support.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second, in Hz.
    ///   - channels: Samples per frame.
    public init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// The sample rates that are played, in Hz: 1…1,536,000. A header or a plugin that names another is refused.
    package static let supportedSampleRates = 1...1_536_000

    /// The nearest whole number of frames in a span of time.
    ///
    /// - Parameter seconds: A span of time, in seconds.
    /// - Returns: At most 2^40 frames (265 days at 48 kHz) in either direction, also for an infinite span; 0 for what is not a
    ///   number.
    public func frames(in seconds: Double) -> Int64 {
        FrameCount(seconds: seconds, sampleRate: Double(sampleRate)).value
    }

    /// How long a number of frames lasts, in seconds.
    ///
    /// - Parameter frames: A count of frames.
    public func seconds(of frames: Int64) -> Double { Double(frames) / Double(sampleRate) }
}

/// A count or position of frames that came from a file, a plugin or a host, brought into a range in which sums are safe.
///
/// The magnitude never exceeds ``limit``. The product with a supported sample rate
/// (``PCMFormat/supportedSampleRates``, below 2^21) fits into 64 bits, so arithmetic on ``value`` may add a few counts and
/// multiply by a rate without a trap. Arithmetic on the type itself stays in the range.
///
/// A header that announces more frames than the limit is damaged; use ``init(exactly:)`` there and refuse `nil`.
package struct FrameCount: Sendable, Hashable, Comparable {
    /// 2^40 frames: 265 days at 48 kHz.
    package static let limit: Int64 = 1 << 40

    /// The number of frames, -2^40…2^40.
    package let value: Int64

    /// The nearest number within the range.
    package init(clamping frames: some BinaryInteger) {
        value = min(max(Int64(clamping: frames), -Self.limit), Self.limit)
    }

    /// The nearest whole number of frames within the range; 0 for what is not a number.
    package init(clamping frames: Double) {
        value = frames.isNaN ? 0 : Int64(min(max(frames.rounded(), -Double(Self.limit)), Double(Self.limit)))
    }

    /// The number itself; `nil` outside of the range.
    package init?(exactly frames: some BinaryInteger) {
        guard let frames = Int64(exactly: frames), (-Self.limit...Self.limit).contains(frames) else { return nil }
        value = frames
    }

    /// The nearest whole number of frames in a span of time, within the range; 0 for what is not a number.
    ///
    /// - Parameters:
    ///   - seconds: Any span of time.
    ///   - sampleRate: Frames per second, in Hz.
    package init(seconds: Double, sampleRate: Double) { self.init(clamping: seconds * sampleRate) }

    /// The number of frames that last as long at another sample rate, rounded up, within the range.
    ///
    /// - Parameters:
    ///   - rate: The present sample rate, in Hz; greater than 0.
    ///   - other: The other sample rate, in Hz.
    package func converted(from rate: Int, to other: Int) -> FrameCount {
        let (product, isOver) = value.multipliedReportingOverflow(by: Int64(other))
        guard !isOver else { return FrameCount(clamping: value < 0 ? Int64.min : .max) }
        let (quotient, remainder) = product.quotientAndRemainder(dividingBy: Int64(rate))
        return FrameCount(clamping: quotient + (remainder > 0 ? 1 : 0))
    }

    package static func < (left: FrameCount, right: FrameCount) -> Bool { left.value < right.value }

    package static func + (left: FrameCount, right: FrameCount) -> FrameCount {
        FrameCount(clamping: left.value + right.value)
    }

    package static func - (left: FrameCount, right: FrameCount) -> FrameCount {
        FrameCount(clamping: left.value - right.value)
    }

    package static func * (count: FrameCount, factor: Int64) -> FrameCount {
        let (product, isOver) = count.value.multipliedReportingOverflow(by: factor)
        guard isOver else { return FrameCount(clamping: product) }
        return FrameCount(clamping: (count.value < 0) == (factor < 0) ? Int64.max : .min)
    }
}
