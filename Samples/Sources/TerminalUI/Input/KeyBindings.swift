public import PlayerApp

/// The keys of the player.
public enum KeyBindings {
    /// Returns the intent of a key; `nil` for a key without one.
    ///
    /// - Parameter key: The key.
    public static func intent(for key: Key) -> PlayerIntent? {
        switch key {
        case .character(" "): .togglePause
        case .right: .seek(5)
        case .left: .seek(-5)
        case .pageUp: .seek(60)
        case .pageDown: .seek(-60)
        case .up, .character("k"): .moveSelection(-1)
        case .down, .character("j"): .moveSelection(1)
        case .enter: .playSelection
        case .character("n"): .next
        case .character("p"): .previous
        case .character("+"), .character("="): .changeVolume(0.05)
        case .character("-"), .character("_"): .changeVolume(-0.05)
        case .character("o"): .toggleOverlay
        case .character("?"), .character("h"): .toggleHelp
        case .character("q"), .character("Q"), .escape: .quit
        default: nil
        }
    }

    /// The keys for the help page: key and meaning.
    public static let help: [(key: String, meaning: String)] = [
        ("space", "pause and resume"),
        ("← →", "back and forward by 5 seconds"),
        ("PgDn PgUp", "back and forward by a minute"),
        ("n  p", "next and previous track"),
        ("↑ ↓ enter", "choose and play a track"),
        ("+  -", "volume"),
        ("o", "pause and resume the overlay"),
        ("?", "this help"),
        ("q", "quit"),
    ]

    /// The keys in one line.
    public static let summary = "space pause · ←→ seek · n/p track · +/- volume · o overlay · ? help · q quit"
}
