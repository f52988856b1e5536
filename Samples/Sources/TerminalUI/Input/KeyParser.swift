/// Splits the input of a terminal into keys. One read may hold several keys, or a part of one.
///
/// An arrow key begins with the byte of the escape key. Whoever reads calls ``flush()`` when ``timeLimit`` has passed without another
/// byte: only then was it the escape key.
///
/// Answers of the terminal stand between the keys. The parts of one belong together however much time lies between them, so that
/// none of its characters is taken for a key.
public struct KeyParser: Sendable {
    /// How long the rest of a key may take, in milliseconds. Slow lines deliver a key in several parts.
    public static let timeLimit = 100

    /// Whether the terminal was asked and has not answered everything.
    public var expectsAnswers = false

    /// Whether what is read is a text that was pasted, up to its end mark.
    private var isPasting = false
    private static let endOfPaste = Array("\u{1b}[201~".utf8)
    /// The maximum length of a text that is pasted, in bytes; the rest is left out.
    private static let pasteLimit = 65_536

    private var pending: [UInt8] = []
    /// What was flushed while an answer was expected: it may have been the beginning of one.
    private var flushed: [UInt8] = []

    /// Creates a parser.
    public init() {}

    /// Adds bytes and returns the complete keys.
    ///
    /// An escape byte at the very end, an unfinished sequence and an unfinished character wait for the next bytes.
    ///
    /// - Parameter bytes: The bytes that were read.
    public mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        if !flushed.isEmpty, TerminalAnswer.mayBegin(with: flushed + bytes) { pending = flushed }
        flushed = []
        pending.append(contentsOf: bytes)
        var keys: [Key] = []
        var index = 0
        while index < pending.count {
            if isPasting {
                guard let (pasted, length) = Self.paste(in: pending[index...]) else { break }
                keys += pasted
                index += length
                isPasting = false
                continue
            }
            guard let (key, length) = Self.key(in: pending[index...]) else { break }
            index += length
            if key == .beginningOfPaste { isPasting = true } else { keys.append(key) }
            if case .answer(.attributes) = key { expectsAnswers = false }
        }
        pending.removeFirst(index)
        if isPasting, pending.count > Self.pasteLimit {
            pending.removeSubrange(Self.pasteLimit / 2..<pending.count - Self.endOfPaste.count)
        }
        return keys
    }

    /// The characters of the first line of a text that was pasted, and its length with the end mark; `nil` when its end is missing.
    private static func paste(in bytes: ArraySlice<UInt8>) -> ([Key], Int)? {
        guard let end = bytes.firstRange(of: endOfPaste) else { return nil }
        let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let line = text.prefix { !$0.isNewline }.filter {
            $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        }
        return (line.map(Key.pasted), end.upperBound - bytes.startIndex)
    }

    /// Whether a part of a key, or of a text that is pasted, was read.
    public var isWaiting: Bool { isPasting || !pending.isEmpty }

    /// How long the rest of what was read may take, in milliseconds: a long text comes in many parts.
    public var patience: Int { isPasting ? 3_000 : Self.timeLimit }

    /// Takes the part that was read for a whole key, because the rest did not come in time.
    public mutating func flush() -> [Key] {
        if isPasting {
            // Its end mark was lost.
            isPasting = false
            pending += Self.endOfPaste
            defer { pending = [] }
            return Self.paste(in: pending[...])?.0 ?? []
        }
        guard !pending.isEmpty else { return [] }
        defer { pending = [] }
        if expectsAnswers { flushed = pending }
        return pending == [0x1B] ? [.escape] : [.unknown]
    }

    /// The first key and its length in bytes; `nil` when bytes are missing.
    private static func key(in bytes: ArraySlice<UInt8>) -> (Key, Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1B: return sequence(in: bytes)
        case 0x09: return (.tab, 1)
        case 0x0D, 0x0A: return (.enter, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x1A: return (.suspend, 1)
        case 0x01..<0x1A: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
        case 0x20..<0x7F: return (.character(Character(Unicode.Scalar(first))), 1)
        case 0xC2..<0xF5: return multibyte(in: bytes, length: first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4)
        default: return (.unknown, 1)
        }
    }

    private static func multibyte(in bytes: ArraySlice<UInt8>, length: Int) -> (Key, Int)? {
        guard bytes.count >= length else { return nil }
        let text = String(decoding: bytes.prefix(length), as: UTF8.self)
        guard let character = text.first, text.count == 1, character != "\u{FFFD}" else { return (.unknown, 1) }
        return (.character(character), length)
    }

    private static func sequence(in bytes: ArraySlice<UInt8>) -> (Key, Int)? {
        guard bytes.count > 1 else { return nil }
        let start = bytes.startIndex
        guard bytes[start + 1] == UInt8(ascii: "[") || bytes[start + 1] == UInt8(ascii: "O") else {
            // Two escape bytes are the escape key and the beginning of another key; any other is a key together with Alt.
            if bytes[start + 1] == 0x1B { return (.escape, 1) }
            if let answer = string(in: bytes) { return answer.length.map { (answer.key, $0) } }
            return key(in: bytes[(start + 1)...]).map { (.unknown, $0.1 + 1) }
        }
        // F1 to F5 of the Linux console: `ESC [ [ A` to `ESC [ [ E`.
        if bytes.count > 2, bytes[start + 1] == UInt8(ascii: "["), bytes[start + 2] == UInt8(ascii: "[") {
            guard bytes.count > 3 else { return nil }
            return (.unknown, (0x40...0x7E).contains(bytes[start + 3]) ? 4 : 3)
        }
        guard let end = bytes[(start + 2)...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            // Longer than the sequence of any key and answer, so the bytes are skipped.
            return bytes.count > 96 ? (.unknown, bytes.count) : nil
        }
        return (meaning(of: bytes[(start + 2)...end]), end - start + 1)
    }

    /// Reads a string of the terminal, such as `ESC _ G i=1;OK ESC \`, which is also Alt and a key when nothing follows.
    ///
    /// - Returns: The key and the number of bytes, which is `nil` when bytes are missing; `nil` for other bytes.
    private static func string(in bytes: ArraySlice<UInt8>) -> (key: Key, length: Int?)? {
        let start = bytes.startIndex
        let introducer = bytes[start + 1]
        guard introducer == UInt8(ascii: "_") || introducer == UInt8(ascii: "P") else { return nil }
        guard bytes.count > 2 else { return (.unknown, nil) }
        guard TerminalAnswer.mayBegin(with: bytes.prefix(3)) else { return nil }
        let rest = bytes[(start + 2)...]
        guard let end = rest.firstIndex(where: { $0 < 0x20 }) else {
            return (.unknown, rest.count > 256 ? bytes.count : nil)
        }
        // Any other control character, or another escape sequence, cancels the string.
        guard bytes[end] == 0x1B else { return (.unknown, end - start) }
        guard end + 1 < bytes.endIndex else { return (.unknown, nil) }
        guard bytes[end + 1] == UInt8(ascii: "\\") else { return (.unknown, end - start) }
        let text = String(decoding: bytes[(start + 2)..<end], as: UTF8.self)
        return (TerminalAnswer(string: introducer, text).map(Key.answer) ?? .unknown, end + 2 - start)
    }

    private static func meaning(of body: ArraySlice<UInt8>) -> Key {
        switch String(decoding: body, as: UTF8.self) {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "5~": .pageUp
        case "6~": .pageDown
        case "3~": .delete
        case "200~": .beginningOfPaste
        case "H", "1~", "7~": .home
        case "F", "4~", "8~": .end
        default: mouse(body).map(Key.mouse) ?? TerminalAnswer(controlSequence: body).map(Key.answer) ?? .unknown
        }
    }

    /// Reads a report of the mouse in SGR form: `<button;column;rowM`, both from 1.
    private static func mouse(_ body: ArraySlice<UInt8>) -> Mouse? {
        guard body.first == UInt8(ascii: "<"), body.last == UInt8(ascii: "M") else { return nil }
        let numbers = body.dropFirst().dropLast().split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 3, (1...10_000).contains(numbers[1]), (1...10_000).contains(numbers[2]) else {
            return nil
        }
        let action: Mouse.Action
        switch numbers[0] {
        case 0: action = .press
        case 64: action = .wheelUp
        case 65: action = .wheelDown
        default: return nil
        }
        return Mouse(action: action, row: numbers[2] - 1, column: numbers[1] - 1)
    }
}
