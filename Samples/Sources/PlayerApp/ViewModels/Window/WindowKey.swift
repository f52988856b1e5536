/// A pressed key of a window.
public struct WindowKey: Sendable, Hashable {
    /// What has the keyboard.
    public enum Focus: Sendable, Hashable {
        /// A field that takes text.
        case text
        /// A field that takes a number.
        case number
        /// A slider, which arrow keys move.
        case slider
        /// The list of tracks.
        case list
        /// A button or switch, which Space presses.
        case button
        /// Anything else.
        case other
    }

    /// The name of the key as the X Window System has it: `space`, `Left`, `m`.
    public let name: String
    /// Whether Control is held.
    public let control: Bool
    /// Whether Alt is held.
    public let alt: Bool

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - control: Whether Control is held.
    ///   - alt: Whether Alt is held.
    public init(_ name: String, control: Bool = false, alt: Bool = false) {
        self.name = name
        self.control = control
        self.alt = alt
    }
}

/// Keys of layouts for other scripts than Latin, which are used beside a Latin one.
extension WindowKey {
    /// A symbol of a key in one of the keyboard's layouts.
    public struct Symbol: Sendable, Hashable {
        /// The symbol's number in the X Window System; that of an ASCII character is the character's.
        public let value: UInt32
        /// The place among the symbols that the key has in the layout: 0 without modifiers, 1 with Shift.
        public let level: Int

        /// Creates a symbol.
        ///
        /// - Parameters:
        ///   - value: The number.
        ///   - level: The place in the layout.
        public init(_ value: UInt32, level: Int) {
            self.value = value
            self.level = level
        }
    }

    /// Returns the symbol that names a pressed key: the typed one or, for a letter or a digit of another script, the
    /// Latin one of the same key, so that its command does not depend on the chosen layout.
    ///
    /// - Parameters:
    ///   - value: The number of the symbol that was typed.
    ///   - character: The character that it types; `nil` for none.
    ///   - symbols: The symbols of the key in all layouts, the first layout first.
    public static func command(
        _ value: UInt32, typing character: Unicode.Scalar?, among symbols: [Symbol]
    ) -> UInt32 {
        guard let character, isOfAnotherScript(character) else { return value }
        let latin = symbols.filter { (0x21...0x7E).contains($0.value) }
        let level = symbols.first { $0.value == value }?.level
        return (latin.first { $0.level == level } ?? latin.first)?.value ?? value
    }

    /// Whether a character is a letter or a digit of another script than Latin.
    private static func isOfAnotherScript(_ character: Unicode.Scalar) -> Bool {
        guard character.value >= 0x370, !(0x1E00...0x1EFF).contains(character.value) else { return false }
        return character.properties.isAlphabetic || character.properties.generalCategory == .decimalNumber
    }
}

/// The keys of a window; those of dialogs and menus belong to the view.
extension PlayerWindowModel {
    /// The keys, for a page of help: the keys and what they do.
    public static let keys: [(keys: String, effect: String)] = [
        ("Space", "Play or pause"), ("← →", "Seek by 5 seconds"), ("0…9", "Go to 0…90 % of the track"),
        ("N, P", "Next and previous track"),
        (">, <", "Next and previous chapter"),
        ("+, −", "Volume"), ("M", "Mute"), ("R", "Repeat"), ("S", "Shuffle"), ("O", "Pause the overlay"),
        ("Enter", "Play the selected track"), ("Delete", "Remove the selected tracks"),
        ("Alt+↑, Alt+↓", "Move the selected tracks"), ("Ctrl+Z", "Undo"),
        ("Menu, Shift+F10", "The menu of a track in the playlist"),
        ("Ctrl+O, Ctrl+L", "Open files, open an address"), ("Ctrl+S", "Save the playlist"),
        ("Ctrl+F, Escape", "Search the playlist or the library, show all again"),
        ("Ctrl+J", "Show the playing track in the playlist"), ("Ctrl+Q", "Quit"),
        ("Backspace, Alt+←", "In the library: back"),
        ("Space", "In the reader: read or pause"), ("← →", "In the reader: by sentences"),
        ("N, P", "In the reader: by paragraphs"), (">, <", "In the reader: by chapters"),
        ("[, ]", "In the reader: slower and faster"),
    ]

    /// Carries out the command of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - focus: What has the keyboard.
    /// - Returns: Whether the key is used; others belong to what has the keyboard.
    public func press(_ key: WindowKey, focus: WindowKey.Focus) -> Bool {
        if key.control { return pressWithControl(key.name, focus) }
        if page == .library, canLeaveLibrary, key.alt ? key.name == "Left" : key.name == "BackSpace" && focus != .text {
            leaveLibrary()
            return true
        }
        if focus == .text { return false }
        if key.alt {
            // The playlist's selection is not seen on other pages.
            guard page == .playlist, key.name == "Up" || key.name == "Down" else { return false }
            moveSelection(down: key.name == "Down")
            return true
        }
        let share = Self.share(of: key.name)
        if focus == .number, share != nil || Self.numberKeys.contains(key.name) { return false }
        if let isUsed = pressInReader(key.name, focus) { return isUsed }
        switch key.name {
        case "space" where focus == .button: return false
        case "Left", "Right":
            if focus == .slider { return false }
            send(.seek(key.name == "Left" ? -5 : 5))
        case "Delete":
            guard focus == .list, page == .playlist else { return false }
            removeSelection()
        case "Escape":
            guard page == .playlist, !filterText.isEmpty else { return false }
            filter("")
        case "plus", "equal", "KP_Add": setVolume(state.volume + 0.05)
        case "minus", "KP_Subtract": setVolume(state.volume - 0.05)
        case _ where share != nil && page != .reader: seek(to: (share ?? 0) * seekLength)
        default:
            guard let intent = Self.intent(of: key.name) else { return false }
            send(intent)
        }
        return true
    }

    /// The share of the track that a digit stands for, also one of the number pad.
    private static func share(of name: String) -> Double? {
        let digit = name.hasPrefix("KP_") ? name.dropFirst(3) : name[...]
        guard digit.count == 1, let number = digit.first?.wholeNumberValue else { return nil }
        return Double(number) / 10
    }

    /// The keys that would be commands and belong to a field that takes a number.
    private static let numberKeys: Set<String> = [
        "Left", "Right", "Delete", "plus", "equal", "minus", "KP_Add", "KP_Subtract",
    ]

    private static func intent(of name: String) -> PlayerIntent? {
        switch name {
        case "space", "AudioPlay", "AudioPause": .togglePause
        case "n", "N", "AudioNext": .next
        case "p", "P", "AudioPrev": .previous
        case "AudioStop": .stop
        case "greater": .nextChapter
        case "less": .previousChapter
        case "m", "M": .toggleMute
        case "r", "R": .changeRepeat
        case "s", "S": .toggleShuffle
        case "o", "O": .toggleOverlay
        default: nil
        }
    }

    private func pressWithControl(_ name: String, _ focus: WindowKey.Focus) -> Bool {
        switch name {
        case "z", "Z":
            // A field takes back its own changes.
            if focus == .text || focus == .number { return false }
            send(.undo)
        case "q", "Q": send(.quit)
        default: return false
        }
        return true
    }
}
