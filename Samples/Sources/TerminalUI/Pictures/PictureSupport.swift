/// How covers are drawn.
public enum PictureChoice: String, Sendable, CaseIterable {
    /// As the terminal says: kitty's protocol, sixel, or half blocks.
    case auto
    /// Half blocks.
    case blocks
    /// By kitty's graphics protocol.
    case kitty
    /// As sixel.
    case sixel
}

/// A picture protocol of terminals.
enum PictureFormat: Sendable, Hashable {
    /// Kitty's graphics protocol.
    case kitty
    /// Sixel, with a maximum number of colours.
    case sixel(colors: Int)
}

/// What is known about the pictures of a terminal: it is asked, and may answer late, in part or never.
///
/// The first questions are known to every terminal. The question of kitty's protocol follows only when the answers do not name a
/// terminal multiplexer: tmux takes its text for a title.
struct PictureSupport {
    private enum Stage { case unknown, asked, askedForPictures, known }

    /// The size of a cell, then the primary device attributes, whose answer ends the waiting.
    private static let sizeQuestion = "\u{1b}[16t"
    private static let endQuestion = "\u{1b}[c"
    private static let multiplexers = ["tmux", "screen"]

    private let choice: PictureChoice
    private var stage: Stage
    private var isInMultiplexer: Bool
    private var cell: CellSize?
    private var showsKitty = false
    private var showsSixel = false
    private var colors = 256

    /// Creates the knowledge of nothing.
    ///
    /// - Parameters:
    ///   - choice: What the person has chosen.
    ///   - environment: The environment of the process.
    init(_ choice: PictureChoice, environment: [String: String]) {
        let term = environment["TERM"] ?? ""
        // The console of Linux shows no pictures, and old ones print questions.
        self.choice = choice == .auto && term == "linux" ? .blocks : choice
        isInMultiplexer = environment["TMUX"] != nil || Self.multiplexers.contains(where: term.hasPrefix)
        stage = self.choice == .blocks ? .known : .unknown
    }

    /// Whether an answer is on its way, or will never come.
    var isWaiting: Bool { stage == .asked || stage == .askedForPictures }

    /// Takes what has not been answered for a no.
    mutating func giveUp() { if isWaiting { stage = .known } }

    /// The first questions; `nil` when the answers are known.
    mutating func begin() -> String? {
        guard stage != .known else { return nil }
        stage = .asked
        return "\u{1b}[>q" + Self.sizeQuestion + Self.endQuestion
    }

    /// The questions when the size of the window has changed, because the size of its characters may have changed, too.
    func questionsAfterResize() -> String? {
        stage == .known && choice != .blocks && cell != nil ? Self.sizeQuestion + Self.endQuestion : nil
    }

    /// Takes an answer.
    ///
    /// - Parameter answer: The answer.
    /// - Returns: Further questions.
    mutating func take(_ answer: TerminalAnswer) -> String? {
        switch answer {
        case .cellSize(let size): cell = size
        case .version(let name):
            if Self.multiplexers.contains(where: name.lowercased().hasPrefix) { isInMultiplexer = true }
        case .colorRegisters(let count): colors = min(256, count)
        case .kittyPictures(let isShown): showsKitty = isShown
        case .attributes(let features): return takeEnd(features)
        }
        return nil
    }

    private mutating func takeEnd(_ features: [Int]) -> String? {
        guard stage == .asked else {
            stage = .known
            return nil
        }
        // The first number is the kind of the terminal.
        showsSixel = features.dropFirst().contains(4)
        var questions = ""
        if choice == .auto, !isInMultiplexer { questions += KittyPicture.question }
        if choice == .sixel || (choice == .auto && showsSixel) { questions += "\u{1b}[?1;1;0S" }
        stage = questions.isEmpty ? .known : .askedForPictures
        return questions.isEmpty ? nil : questions + Self.endQuestion
    }

    /// The protocol and the size of a cell; `nil` for half blocks.
    ///
    /// - Parameter window: The size of a cell as the window's size has it, for terminals that do not answer.
    func format(window: CellSize?) -> (format: PictureFormat, cell: CellSize)? {
        let known = cell ?? window
        switch choice {
        case .blocks: return nil
        case .kitty:
            // The protocol fits a picture into cells of any size.
            return known.map { (.kitty, $0) } ?? CellSize(width: 8, height: 16).map { (.kitty, $0) }
        case .sixel: return known.map { (.sixel(colors: colors), $0) }
        case .auto:
            guard stage == .known, let known else { return nil }
            return showsKitty ? (.kitty, known) : showsSixel ? (.sixel(colors: colors), known) : nil
        }
    }
}
