internal import Foundation

/// Times as text, as players show them.
public enum Timecode {
    /// Minutes and seconds, hours where there are any: "3:07", "1:00:00"; "-:--" for an unknown time.
    ///
    /// - Parameter seconds: A span of time; `nil` when unknown.
    public static func text(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "-:--" }
        let whole = Int(seconds)
        let tail = twoDigits(whole % 60)
        if whole < 3600 { return "\(whole / 60):\(tail)" }
        return "\(whole / 3600):\(twoDigits(whole / 60 % 60)):\(tail)"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
