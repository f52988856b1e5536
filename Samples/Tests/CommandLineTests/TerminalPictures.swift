import Foundation

/// A terminal as programs ask it: what it answers about itself.
struct AskedTerminal {
    /// The answer to XTVERSION.
    var version: String?
    /// The answer to DA1.
    var attributes: String?
    /// Whether the size of a cell, 10 × 20 pixels, is told.
    var tellsCellSize = true
    /// The number of colours of a sixel picture.
    var colorRegisters: Int?
    var knowsKitty = false
    /// The questions so far.
    private(set) var questions: [String] = []
    private var unread = ""

    /// The size of a cell, in pixels.
    static let cell = (width: 10, height: 20)

    static let kitty = AskedTerminal(version: "kitty(0.35.2)", attributes: "?62", knowsKitty: true)
    static let sixel = AskedTerminal(version: "XTerm(379)", attributes: "?63;1;2;4;6;9;15;22", colorRegisters: 16)
    static let tmux = AskedTerminal(version: "tmux 3.3a", attributes: "?1;2", tellsCellSize: false)

    init(
        version: String? = nil, attributes: String? = nil, tellsCellSize: Bool = true, colorRegisters: Int? = nil,
        knowsKitty: Bool = false
    ) {
        self.version = version
        self.attributes = attributes
        self.tellsCellSize = tellsCellSize
        self.colorRegisters = colorRegisters
        self.knowsKitty = knowsKitty
    }

    /// The answers to the questions in a part of the output.
    mutating func answers(to output: String) -> String {
        unread += output
        var answers = ""
        while let question = unread.firstMatch(
            of: #/\u{1b}\[(?:>q|16t|c|\?1;1;0S)|\u{1b}_G[^;\u{1b}]*a=q[^\u{1b}]*\u{1b}\\/#)
        {
            questions.append(String(question.0.dropFirst()))
            answers += answer(to: String(question.0.dropFirst()))
            unread = String(unread[question.range.upperBound...])
        }
        // A question may come in two reads.
        unread = String(unread.suffix(80))
        return answers
    }

    private func answer(to question: String) -> String {
        switch question {
        case "[>q": version.map { "\u{1b}P>|\($0)\u{1b}\\" } ?? ""
        case "[16t": tellsCellSize ? "\u{1b}[6;\(Self.cell.height);\(Self.cell.width)t" : ""
        case "[c": attributes.map { "\u{1b}[\($0)c" } ?? ""
        case "[?1;1;0S": colorRegisters.map { "\u{1b}[?1;0;\($0)S" } ?? ""
        default: knowsKitty ? "\u{1b}_G\(question.firstMatch(of: #/i=\d+/#).map { String($0.0) } ?? "");OK\u{1b}\\" : ""
        }
    }
}

/// The pictures that a terminal shows, and the pixels that were sent for them.
struct ShownPictures {
    struct Picture {
        /// The first cell.
        let row: Int
        let column: Int
        let rows: Int
        let columns: Int
        /// Red, green and blue of each pixel, row by row; `nil` for a pixel that was not sent.
        let pixels: [[[UInt8]?]]
        /// The number in kitty's protocol; `nil` for sixel.
        let number: String?
        /// The number of colours that were defined.
        var colors = 0

        func contains(_ row: Int, _ column: Int) -> Bool {
            (self.row..<self.row + rows).contains(row) && (self.column..<self.column + columns).contains(column)
        }

        /// The mean colour of a square of pixels.
        func mean(_ column: Int, _ row: Int, size: Int) -> [Int] {
            let square = pixels[row..<row + size].flatMap { $0[column..<column + size] }.compactMap { $0 }
            return (0..<3).map { channel in square.reduce(0) { $0 + Int($1[channel]) } / max(1, square.count) }
        }
    }

    private(set) var all: [Picture] = []
    /// What a terminal would have answered unasked, or would not have understood.
    private(set) var problems: [String] = []
    private var keys: [String: String] = [:]
    private var payload = ""

    /// Text erases the parts of sixel pictures that it covers.
    mutating func erase(row: Int, columns: Range<Int>) {
        all.removeAll { picture in
            picture.number == nil && columns.contains { picture.contains(row, $0) }
        }
    }

    /// Clearing the screen removes sixel pictures; those of kitty stay in some terminals.
    mutating func clear() { all.removeAll { $0.number == nil } }

    // MARK: Kitty

    /// Takes a command of kitty's protocol, without `ESC _ G` and the terminator.
    mutating func kitty(_ command: Substring, row: Int, column: Int) {
        let parts = command.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        let pairs = parts[0].split(separator: ",").map { $0.split(separator: "=").map(String.init) }
        let new = Dictionary(pairs.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }) { $1 }
        if new["a"] == "q" { return }
        if new["q"] != "2" { problems.append("an answer to \(command.prefix(40))") }
        if new["a"] == "d" {
            all.removeAll { $0.number == new["i"] }
            return
        }
        if new["a"] != nil { (keys, payload) = (new, "") }
        let data = parts.count > 1 ? parts[1] : ""
        if data.count > 4096 { problems.append("a part of \(data.count) characters") }
        payload += data
        guard new["m"] != "1" else { return }
        show(row: row, column: column)
    }

    private mutating func show(row: Int, column: Int) {
        let numbers = ["s", "v", "c", "r"].compactMap { keys[$0].flatMap { Int($0) } }
        guard numbers.count == 4, keys["a"] == "T", keys["f"] == "24", let data = Data(base64Encoded: payload),
            data.count == 3 * numbers[0] * numbers[1]
        else { return problems.append("a wrong picture: \(keys), \(payload.count) characters") }
        let bytes = Array(data)
        let pixels = (0..<numbers[1]).map { line in
            (0..<numbers[0]).map { place -> [UInt8]? in
                let first = 3 * (line * numbers[0] + place)
                return Array(bytes[first..<first + 3])
            }
        }
        all.removeAll { $0.number == keys["i"] }
        all.append(
            Picture(
                row: row, column: column, rows: numbers[3], columns: numbers[2], pixels: pixels, number: keys["i"]))
    }

    // MARK: Sixel

    /// Takes a sixel picture, without `ESC P` and the terminator.
    mutating func sixel(_ command: Substring, row: Int, column: Int) {
        var decoder = SixelDecoder()
        guard decoder.decode(command) else { return problems.append("a wrong picture: \(command.prefix(80))") }
        let cell = AskedTerminal.cell
        all.append(
            Picture(
                row: row, column: column, rows: (decoder.pixels.count + cell.height - 1) / cell.height,
                columns: ((decoder.pixels.first?.count ?? 0) + cell.width - 1) / cell.width, pixels: decoder.pixels,
                number: nil, colors: decoder.colors.count))
    }
}

/// Decodes a sixel picture that tells its size.
private struct SixelDecoder {
    var pixels: [[[UInt8]?]] = []
    var colors: [Int: [UInt8]] = [:]

    mutating func decode(_ command: Substring) -> Bool {
        guard let start = command.firstIndex(of: "q") else { return false }
        var bytes = command[command.index(after: start)...].utf8[...]
        var (color, row, column) = (0, 0, 0)
        func numbers() -> [Int] {
            var text = ""
            while let byte = bytes.first, byte == 0x3B || (0x30...0x39).contains(byte) {
                text.append(Character(Unicode.Scalar(byte)))
                bytes.removeFirst()
            }
            return text.split(separator: ";").compactMap { Int($0) }
        }
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                let size = numbers()
                guard size.count == 4, size[0] == 1, size[1] == 1, size[3] % 6 == 0 else { return false }
                pixels = Array(repeating: Array(repeating: nil, count: size[2]), count: size[3])
            case UInt8(ascii: "#"):
                let values = numbers()
                if values.count == 5 {
                    guard values[1] == 2, values[2...].allSatisfy({ (0...100).contains($0) }) else { return false }
                    colors[values[0]] = values[2...].map { UInt8(($0 * 255 + 50) / 100) }
                }
                color = values.first ?? 0
            case UInt8(ascii: "$"): column = 0
            case UInt8(ascii: "-"): (row, column) = (row + 6, 0)
            case UInt8(ascii: "!"), 0x3F...0x7E:
                let count = byte == UInt8(ascii: "!") ? numbers().first ?? 0 : 1
                guard let bits = byte == UInt8(ascii: "!") ? bytes.popFirst() : byte, (0x3F...0x7E).contains(bits),
                    let value = colors[color], column + count <= pixels.first?.count ?? 0, row + 6 <= pixels.count
                else { return false }
                for bit in 0..<6 where (bits - 0x3F) & (1 << UInt8(bit)) != 0 {
                    for place in column..<column + count { pixels[row + bit][place] = value }
                }
                column += count
            default: return false
            }
        }
        return !pixels.isEmpty
    }
}
