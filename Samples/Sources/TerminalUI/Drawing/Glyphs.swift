/// The characters that views draw with.
public struct Glyphs: Sendable, Hashable {
    /// Full cell of a bar.
    public let full: Character
    /// Empty cell of a bar.
    public let empty: Character
    /// Cells filled by one to seven eighths, for levels.
    public let eighths: [Character]
    /// Cells filled from below in equal steps, for the spectrum; the last one is full.
    public let heights: [Character]
    /// Passed part of the seek bar.
    public let passed: Character
    /// The position on the seek bar.
    public let knob: Character
    /// The beginning of a chapter on the seek bar.
    public let mark: Character
    /// The remaining part of the seek bar.
    public let coming: Character
    /// Beside the present track and the word "playing".
    public let playing: String
    /// Beside the word "paused".
    public let paused: String
    /// Beside the word "stopped" and its like.
    public let stopped: String
    /// Before the program's name.
    public let note: String
    /// Between facts on one line.
    public let separator: String
    /// Behind a factor.
    public let times: String
    /// Before an estimate.
    public let about: String

    /// Block elements and lines.
    public static let unicode = Glyphs(
        full: "█", empty: "░", eighths: ["▏", "▎", "▍", "▌", "▋", "▊", "▉"],
        heights: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"], passed: "━", knob: "●", mark: "┼", coming: "─",
        playing: "▶", paused: "⏸", stopped: "■", note: "♫", separator: " · ", times: "×", about: "≈ ")

    /// ASCII characters, for terminals without Unicode.
    public static let ascii = Glyphs(
        full: "#", empty: ".", eighths: [], heights: [".", ":", "#"], passed: "=", knob: "O", mark: "+", coming: "-",
        playing: ">",
        paused: "|",
        stopped: "x",
        note: "*", separator: " - ", times: "x", about: "~ ")

    /// Returns the glyphs that the locale of an environment can show: without a locale Unicode, as containers often have none.
    ///
    /// - Parameter environment: The process's environment.
    public static func forEnvironment(_ environment: [String: String]) -> Glyphs {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let locale else { return .unicode }
        let name = locale.lowercased()
        return name.contains("utf-8") || name.contains("utf8") ? .unicode : .ascii
    }
}
