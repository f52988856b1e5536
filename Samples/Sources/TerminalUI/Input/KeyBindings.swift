public import PlayerApp

/// The keys of the player.
public struct KeyBindings: Sendable {
    /// The keys and what they do; the first key of an action is the one that help shows.
    private var keys: [(key: Key, action: PlayerAction)] = [
        (.character(" "), .pause), (.character("v"), .stop), (.character("n"), .next), (.character("p"), .previous),
        (.right, .forward), (.left, .back), (.pageUp, .forwardMinute), (.pageDown, .backMinute),
        (.character(">"), .nextChapter), (.character("<"), .previousChapter),
        (.character("+"), .louder), (.character("="), .louder), (.character("-"), .quieter),
        (.character("_"), .quieter), (.character("m"), .mute), (.character("["), .slower), (.character("]"), .faster),
        (.backspace, .normalSpeed), (.character("r"), .repeat), (.character("s"), .shuffle),
        (.character("x"), .crossfade), (.character("g"), .gain), (.character("e"), .equalizer),
        (.character("t"), .sleep), (.character("o"), .overlay), (.up, .up), (.character("k"), .up), (.down, .down),
        (.character("j"), .down),
        (.home, .top), (.end, .bottom), (.control("b"), .pageUp), (.control("f"), .pageDown),
        (.character("i"), .current), (.enter, .play), (.character("/"), .search), (.character("d"), .remove),
        (.delete, .remove), (.character("K"), .moveUp), (.character("J"), .moveDown), (.character("u"), .undo),
        (.character("w"), .save), (.character("b"), .library), (.tab, .browse), (.character("a"), .add),
        (.character("E"), .playNext), (.character("P"), .playAll), (.character("O"), .addInput),
        (.character("A"), .addFolder), (.character("l"), .lyrics),
        (.character("c"), .cover), (.character("f"), .spectrum), (.character("?"), .help),
        (.character("h"), .help), (.character("q"), .quit), (.character("Q"), .quit),
    ]

    /// The usual keys.
    public init() {}

    /// Gives a key another action.
    ///
    /// - Parameters:
    ///   - key: The key. Escape and the digits keep theirs.
    ///   - action: What it does; `nil` for nothing.
    public mutating func bind(_ key: Key, to action: PlayerAction?) {
        keys.removeAll { $0.key == key }
        if let action { keys.insert((key, action), at: 0) }
    }

    /// Returns the intent of a key; `nil` for a key without one.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - isTyping: Whether the person types a line, so that characters are text.
    ///   - showsHelp: Whether help is shown, which covers what other keys would act on.
    ///   - page: How many lines of the list are seen.
    public func intent(
        for key: Key, isTyping: Bool = false, showsHelp: Bool = false, page: Int = 1
    ) -> PlayerIntent? {
        let action = keys.first { $0.key == key }?.action
        switch key {
        case .escape: return .dismiss
        case .unknown, .answer, .mouse, .suspend: return nil
        case .character(let character) where isTyping: return .type(character)
        case .pasted(let character): return isTyping ? .type(character) : nil
        case .backspace where isTyping: return .erase
        case .enter where isTyping: return .accept
        case _ where isTyping: return action.flatMap { Self.selecting.contains($0) ? $0.intent(page: page) : nil }
        case _ where showsHelp: return action == .help || action == .quit ? action?.intent() : .dismiss
        case .character(let digit) where ("0"..."9").contains(digit):
            return digit.wholeNumberValue.map { .seekToShare(Double($0) / 10) }
        default: return action?.intent(page: page)
        }
    }

    /// What keys do while a person types: they choose among what a search has found.
    private static let selecting: Set<PlayerAction> = [.up, .down, .top, .bottom, .pageUp, .pageDown]

    // MARK: Names

    /// The names of keys that are no characters, in the settings and in help.
    private static let names: [(key: Key, name: String, label: String)] = [
        (.character(" "), "space", "space"), (.enter, "enter", "enter"), (.tab, "tab", "Tab"),
        (.backspace, "backspace", "Bksp"),
        (.delete, "delete", "Del"), (.up, "up", "↑"), (.down, "down", "↓"), (.left, "left", "←"),
        (.right, "right", "→"), (.pageUp, "page-up", "PgUp"), (.pageDown, "page-down", "PgDn"), (.home, "home", "Home"),
        (.end, "end", "End"),
    ]

    /// The letters that are keys together with Ctrl.
    private static let controlLetters = "abdefgklnopqrstuvwxy"

    /// Returns the key that a name in the settings means: one character, or a word such as `page-up` or `ctrl-b`.
    ///
    /// - Parameter name: The name; `nil` is returned for any other one, and for a digit.
    public static func key(named name: String) -> Key? {
        if let known = names.first(where: { $0.name == name }) { return known.key }
        if let letter = controlLetters.first(where: { name == "ctrl-\($0)" }) { return .control(letter) }
        guard let character = name.first, name.count == 1, !("0"..."9").contains(character) else { return nil }
        return .character(character)
    }

    /// The names of keys that are no characters, the last of which stands for several.
    public static var namedKeys: [String] { names.map(\.name) + ["ctrl- and a letter but c, h, i, j, m, z"] }

    /// The first key of an action, as help shows it.
    func label(_ action: PlayerAction) -> String { firstKey { $0 == action } ?? "–" }

    /// The first key of a command, as messages name it; `nil` for a command without a key.
    func label(of intent: PlayerIntent) -> String? { firstKey { $0.intent() == intent } }

    /// The name of the first key with such an action; `nil` when none has it, or when the key has no name.
    private func firstKey(where isMeant: (PlayerAction) -> Bool) -> String? {
        guard let key = keys.first(where: { isMeant($0.action) })?.key else { return nil }
        if let known = Self.names.first(where: { $0.key == key }) { return known.label }
        switch key {
        case .character(let character): return String(character)
        case .control(let letter): return "^\(letter.uppercased())"
        default: return nil
        }
    }

    // MARK: Help

    /// A part of a line of help: the key of an action, or a text.
    private enum Part {
        case key(PlayerAction)
        case text(String)
    }

    /// The lines of help. The first 14 fit on the smallest screen.
    private static let rows: [(parts: [Part], meaning: String)] = [
        ([.key(.pause), .key(.stop)], "pause and resume, stop"),
        ([.key(.next), .key(.previous)], "next and previous track"),
        ([.key(.back), .key(.forward)], "back and forward by 5 s"),
        ([.key(.backMinute), .key(.forwardMinute)], "back and forward by 1 min"),
        ([.text("0…9")], "go to 0…90 % of the track"),
        ([.key(.louder), .key(.quieter), .key(.mute)], "volume, mute"),
        ([.key(.slower), .key(.faster), .key(.normalSpeed)], "slower, faster, normal"),
        ([.key(.repeat), .key(.shuffle), .key(.overlay)], "repeat, shuffle, overlay"),
        ([.key(.crossfade), .key(.gain), .key(.equalizer), .key(.sleep)], "fades, gain, eq, sleep"),
        ([.key(.up), .key(.down), .key(.play)], "choose and play a track"),
        ([.key(.search), .key(.library), .key(.add)], "search, library, add item"),
        ([.key(.remove), .key(.undo), .key(.moveDown), .key(.moveUp)], "remove, undo, move track"),
        ([.key(.save), .key(.lyrics), .key(.cover), .key(.spectrum)], "save, lyrics, cover, bars"),
        ([.key(.help), .text("Esc"), .key(.quit)], "show, close this; quit"),
        ([], ""),
        ([.key(.pageUp), .key(.pageDown), .key(.current)], "page up, page down, the playing track"),
        ([.key(.playNext), .key(.playAll)], "library: play next, play all of it now"),
        ([.key(.addInput)], "add a file, folder, playlist or address"),
        ([.key(.browse), .key(.addFolder)], "library: artists, genres… folders; add a folder"),
        ([.key(.previousChapter), .key(.nextChapter)], "previous and next chapter"),
        ([.text("mouse")], "click to choose, again to play, or the seek bar; turn the wheel"),
    ]

    /// The keys for the help page: keys and meaning.
    public var help: [(key: String, meaning: String)] {
        Self.rows.map { parts, meaning in
            let labels = parts.map { part in
                switch part {
                case .key(let action): label(action)
                case .text(let text): text
                }
            }
            let wide = labels.joined(separator: "  ")
            return (DisplayWidth.columns(of: wide) > 10 ? labels.joined(separator: " ") : wide, meaning)
        }
    }

    /// The keys in one line, the most important first.
    ///
    /// - Parameter width: The columns of the line; keys that do not fit are left out.
    public func summary(width: Int) -> String {
        let parts: [(String, String)] = [
            (label(.pause), "pause"), (label(.help), "help"), (label(.quit), "quit"),
            (label(.next) + "/" + label(.previous), "track"), (label(.back) + label(.forward), "seek"),
            (label(.louder) + "/" + label(.quieter), "volume"), (label(.search), "search"),
            (label(.library), "library"), (label(.repeat), "repeat"),
            (label(.shuffle), "shuffle"), (label(.lyrics), "words"), (label(.sleep), "sleep"),
        ]
        var line = ""
        for part in parts.map({ "\($0) \($1)" }) {
            let longer = line.isEmpty ? part : line + " · " + part
            guard DisplayWidth.columns(of: longer) <= width else { break }
            line = longer
        }
        return line
    }
}
