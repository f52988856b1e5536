public import PlayerApp

/// The keys of the player.
public enum KeyBindings {
    /// Returns the intent of a key; `nil` for a key without one.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - isTyping: Whether the person types a line, so that characters are text.
    public static func intent(for key: Key, isTyping: Bool = false) -> PlayerIntent? {
        switch key {
        case .up: .moveSelection(-1)
        case .down: .moveSelection(1)
        case .home: .moveSelection(-.max)
        case .end: .moveSelection(.max)
        case .escape: .dismiss
        case .character(let character) where isTyping: .type(character)
        case .backspace where isTyping: .erase
        case .enter where isTyping: .accept
        case .character(let character): intent(for: character)
        case .right: .seek(5)
        case .left: .seek(-5)
        case .pageUp: .seek(60)
        case .pageDown: .seek(-60)
        case .enter: .playSelection
        case .backspace: .resetRate
        case .delete: .removeSelection
        case .unknown: nil
        }
    }

    private static func intent(for character: Character) -> PlayerIntent? {
        switch character {
        case " ": .togglePause
        case "v": .stop
        case "n": .next
        case "p": .previous
        case "0"..."9": character.wholeNumberValue.map { .seekToShare(Double($0) / 10) }
        case "+", "=": .changeVolume(0.05)
        case "-", "_": .changeVolume(-0.05)
        case "m": .toggleMute
        case "[": .changeRate(-0.1)
        case "]": .changeRate(0.1)
        case "r": .changeRepeat
        case "s": .toggleShuffle
        case "o": .toggleOverlay
        case "k": .moveSelection(-1)
        case "j": .moveSelection(1)
        case "K": .moveEntry(-1)
        case "J": .moveEntry(1)
        case "d": .removeSelection
        case "u": .undo
        case "w": .begin(.save)
        case "/": .begin(.search)
        case "?", "h": .toggleHelp
        case "q", "Q": .quit
        default: nil
        }
    }

    /// The keys for the help page: key and meaning. They fit into 13 rows of 36 columns.
    public static let help: [(key: String, meaning: String)] = [
        ("space  v", "pause and resume, stop"),
        ("n  p", "next and previous track"),
        ("← →", "back and forward by 5 s"),
        ("PgDn PgUp", "back and forward by 1 min"),
        ("0…9", "go to 0…90 % of the track"),
        ("+  -  m", "volume, mute"),
        ("[ ] Bksp", "slower, faster, normal"),
        ("r  s  o", "repeat, shuffle, overlay"),
        ("↑ ↓ enter", "choose and play a track"),
        ("/", "search the playlist"),
        ("d  u  J K", "remove, undo, move track"),
        ("w", "save the playlist"),
        ("?  Esc  q", "show, close this; quit"),
    ]

    /// The keys in one line, the most important first.
    public static let summary =
        "space pause · ? help · q quit · n/p track · ←→ seek · +/- volume · / search · r repeat · s shuffle"
}
