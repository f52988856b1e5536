public import PlayerApp

/// The keys of the reader.
public enum ReaderKeys {
    /// Returns the intent of a key; `nil` for a key without one.
    ///
    /// - Parameter key: The key.
    public static func intent(for key: Key) -> ReaderIntent? {
        switch key {
        case .character(" "), .enter: .togglePause
        case .right, .character("n"): .move(.sentence, forward: true)
        case .left, .character("p"): .move(.sentence, forward: false)
        case .down, .character("j"): .move(.paragraph, forward: true)
        case .up, .character("k"): .move(.paragraph, forward: false)
        case .pageDown, .character(">"): .move(.chapter, forward: true)
        case .pageUp, .character("<"): .move(.chapter, forward: false)
        case .character("]"), .character("."), .character("f"): .changeRate(0.1)
        case .character("["), .character(","), .character("s"): .changeRate(-0.1)
        case .character("+"), .character("="): .changeVolume(0.05)
        case .character("-"), .character("_"): .changeVolume(-0.05)
        case .character("m"): .toggleMute
        case .character("e"): .nextEngine
        case .character("v"): .nextVoice
        case .character("t"): .changeSleep
        case .character("?"), .character("h"): .toggleHelp
        case .escape: .dismiss
        case .character("q"), .character("Q"): .quit
        default: nil
        }
    }

    /// The keys for the help page: key and meaning.
    public static let help: [(key: String, meaning: String)] = [
        ("space", "pause and resume"),
        ("← →", "previous and next sentence"),
        ("↑ ↓", "previous and next paragraph"),
        ("<  >", "previous and next chapter, also PgUp and PgDn"),
        ("[  ]", "slower and faster"),
        ("e", "next engine, at the same word"),
        ("v", "next voice, at the same word"),
        ("+  -  m", "volume, mute"),
        ("t", "sleep timer: 15, 30, 60, 90 minutes, the end of the chapter, off"),
        ("?  Esc", "show this help, close it"),
        ("q", "keep the place and quit"),
    ]

    /// The keys in one line.
    public static let summary =
        "space pause · ←→ sentence · ↑↓ paragraph · [] speed · e engine · v voice · ? help · q quit"
}
