/// The size of a cell of the terminal, in pixels.
public struct CellSize: Sendable, Hashable {
    /// Columns of pixels.
    public let width: Int
    /// Rows of pixels.
    public let height: Int

    /// Two pixels, one above the other: a half block.
    static let halfBlock = CellSize(unchecked: 1, 2)

    private init(unchecked width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    /// Creates a size; `nil` outside of 2…256 pixels.
    ///
    /// - Parameters:
    ///   - width: Columns of pixels.
    ///   - height: Rows of pixels.
    public init?(width: Int, height: Int) {
        guard (2...256).contains(width), (2...256).contains(height) else { return nil }
        self.init(unchecked: width, height)
    }
}

/// What a terminal says about itself when it is asked.
public enum TerminalAnswer: Sendable, Hashable {
    /// The features of the primary device attributes (DA1); 4 is sixel.
    case attributes([Int])
    /// The name and the version (XTVERSION).
    case version(String)
    /// The size of a cell.
    case cellSize(CellSize)
    /// The number of colours of a sixel picture (XTSMGRAPHICS).
    case colorRegisters(Int)
    /// Whether pictures of kitty's graphics protocol are shown.
    case kittyPictures(Bool)

    /// How answers begin.
    private static let beginnings = ["\u{1b}[?", "\u{1b}[6;", "\u{1b}_G", "\u{1b}P>|"].map { Array($0.utf8) }

    /// Returns whether bytes may be the first ones of an answer.
    ///
    /// - Parameter bytes: The bytes that were read.
    static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
        beginnings.contains { zip($0, bytes).allSatisfy { $0 == $1 } }
    }

    /// Reads the part of a control sequence behind its introducer; `nil` for other sequences and wrong numbers.
    ///
    /// - Parameter body: Parameters and the final byte.
    init?(controlSequence body: ArraySlice<UInt8>) {
        guard let final = body.last else { return nil }
        let isPrivate = body.first == UInt8(ascii: "?")
        let numbers = body.dropLast().dropFirst(isPrivate ? 1 : 0)
            .split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Int(String(decoding: $0, as: UTF8.self)) ?? -1 }
        switch (isPrivate, Character(Unicode.Scalar(final))) {
        case (true, "c"): self = .attributes(numbers)
        case (true, "S"):
            // The first two numbers say that it is about colours, and that they are known.
            guard numbers.count == 3, numbers[0] == 1, numbers[1] == 0, numbers[2] >= 2 else { return nil }
            self = .colorRegisters(numbers[2])
        case (false, "t"):
            guard numbers.count == 3, numbers[0] == 6, let size = CellSize(width: numbers[2], height: numbers[1])
            else { return nil }
            self = .cellSize(size)
        default: return nil
        }
    }

    /// Reads a string of the terminal; `nil` for other strings.
    ///
    /// - Parameters:
    ///   - introducer: The byte behind the escape byte.
    ///   - text: What stands between the introducer and the terminator.
    init?(string introducer: UInt8, _ text: String) {
        switch introducer {
        case UInt8(ascii: "_"):
            guard text.hasPrefix("G"), let message = text.split(separator: ";").dropFirst().first else { return nil }
            self = .kittyPictures(message == "OK")
        case UInt8(ascii: "P"):
            guard text.hasPrefix(">|") else { return nil }
            self = .version(String(text.dropFirst(2)))
        default: return nil
        }
    }
}
