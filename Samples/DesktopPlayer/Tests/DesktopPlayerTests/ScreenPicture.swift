import Foundation

/// A picture of a part of the display in few cells, each with its mean colour, which is compared with a kept one within a tolerance.
///
/// A kept picture is a text: a line for each row of cells, six hexadecimal digits for a cell. `Scripts/window-pictures.sh` keeps what is
/// shown now.
struct ScreenPicture: Equatable {
    /// A colour; each part is 0…255.
    struct Color: Hashable {
        var red: Int
        var green: Int
        var blue: Int

        init(_ red: Int, _ green: Int, _ blue: Int) { (self.red, self.green, self.blue) = (red, green, blue) }

        /// Reads six hexadecimal digits.
        init?(_ text: some StringProtocol) {
            guard text.count == 6, let value = Int(text, radix: 16) else { return nil }
            self.init(value >> 16, value >> 8 & 255, value & 255)
        }

        var text: String { [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

        /// The largest difference of a part.
        func distance(to other: Color) -> Int {
            max(abs(red - other.red), abs(green - other.green), abs(blue - other.blue))
        }

        static func - (left: Color, right: Color) -> Color {
            Color(left.red - right.red, left.green - right.green, left.blue - right.blue)
        }
    }

    /// How much two pictures differ.
    struct Difference {
        /// The difference of the backgrounds, 0…255.
        let background: Int
        /// The difference of what lies on the background, as a share of it: 0 for none.
        let content: Double

        /// Whether fonts, icons and themes of other versions explain it. Content that lies 4 pixels beside its place differs by 0.35.
        var isSmall: Bool { background <= 24 && content <= 0.4 }
    }

    let columns: Int
    let cells: [Color]

    /// Reads pixels of three bytes, row by row.
    init(columns: Int, pixels: Data) {
        let bytes = [UInt8](pixels).map(Int.init)
        self.columns = columns
        cells = stride(from: 0, to: bytes.count - 2, by: 3).map { Color(bytes[$0], bytes[$0 + 1], bytes[$0 + 2]) }
    }

    /// Reads a kept picture.
    init(text: String) {
        let rows = text.split(separator: "\n").map(Array.init)
        columns = (rows.first?.count ?? 0) / 6
        cells = rows.flatMap { row in
            stride(from: 0, to: row.count, by: 6).compactMap { Color(String(row[$0..<min($0 + 6, row.count)])) }
        }
    }

    /// The text that is kept.
    var text: String {
        stride(from: 0, to: cells.count, by: max(1, columns)).map { start in
            cells[start..<min(start + columns, cells.count)].map(\.text).joined() + "\n"
        }.joined()
    }

    /// The colour of most cells.
    private var background: Color {
        let counts = Dictionary(cells.map { ($0, 1) }, uniquingKeysWith: +)
        return counts.max { ($0.value, $0.key.text) < ($1.value, $1.key.text) }?.key ?? Color(0, 0, 0)
    }

    /// Compares two pictures; those of different sizes have nothing in common.
    func difference(from other: ScreenPicture) -> Difference {
        guard columns == other.columns, cells.count == other.cells.count else {
            return Difference(background: 255, content: 1)
        }
        let (ground, otherGround, none) = (background, other.background, Color(0, 0, 0))
        let (ours, theirs) = (cells.map { $0 - ground }, other.cells.map { $0 - otherGround })
        let contents = [ours, theirs].map { $0.reduce(0) { $0 + $1.distance(to: none) } }
        let distance = zip(ours, theirs).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        return Difference(
            background: ground.distance(to: otherGround),
            content: Double(distance) / Double(max(1, contents[0], contents[1])))
    }
}

extension DesktopSession {
    /// A rectangle of the window, in pixels.
    struct Area {
        let x: Int
        let y: Int
        let width: Int
        let height: Int

        /// The smallest rectangle around some elements.
        init(around elements: [Element]) {
            x = elements.map(\.x).min() ?? 0
            y = elements.map(\.y).min() ?? 0
            width = (elements.map { $0.x + $0.width }.max() ?? 0) - x
            height = (elements.map { $0.y + $0.height }.max() ?? 0) - y
        }

        /// The place of the pages: beside the cover, between the tabs and the seek bar.
        init(ofPageIn elements: [Element]) {
            let cover = elements.first { $0.role == "image" && $0.width > 100 }
            let tab = elements.first { $0.role == "page tab" }
            x = (cover.map { $0.x + $0.width } ?? 0) + 16
            y = (tab.map { $0.y + $0.height } ?? 0) + 8
            width = (elements.first { $0.role == "frame" }?.width ?? x) - x
            height = (elements.first { $0.name == "Position" }?.y ?? y) - y
        }
    }

    /// The kept pictures.
    private static let pictures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Pictures")

    /// The mean colours of a part of the window.
    func colors(of area: Area, columns: Int, rows: Int) throws -> ScreenPicture {
        let pixels = folder.appendingPathComponent("cells.rgb")
        let place = "\(area.width)x\(area.height)+\(Self.origin + area.x)+\(Self.origin + area.y)"
        try run(
            "convert", try picture(), "-crop", place, "+repage", "-scale", "\(columns)x\(rows)!", "-alpha", "off",
            "-depth", "8", "rgb:\(pixels.path)")
        return ScreenPicture(columns: columns, pixels: try Data(contentsOf: pixels))
    }

    /// A kept picture.
    static func keptPicture(_ name: String) throws -> ScreenPicture {
        ScreenPicture(text: try String(contentsOf: pictures.appendingPathComponent("\(name).txt"), encoding: .utf8))
    }

    /// Waits until the window, or a part of it, looks like a kept picture.
    ///
    /// - Parameters:
    ///   - name: The name of the picture.
    ///   - part: The elements of the part.
    ///   - isPage: Whether the part is the page that is shown.
    ///   - columns: The columns of cells.
    ///   - rows: The rows of cells.
    func waitForPicture(
        _ name: String, of part: [Element] = [], isPage: Bool = false, columns: Int = 48, rows: Int = 34
    ) throws {
        // What is under the pointer is lit; without a window manager the keyboard belongs to the window under it.
        try run("xdotool", "mousemove", "20", "660")
        let all = try elements()
        let frames = all.filter { $0.role == "frame" }
        let area = isPage ? Area(ofPageIn: all) : Area(around: part.isEmpty ? frames : part)
        if ProcessInfo.processInfo.environment["DESCANT_UPDATE_PICTURES"] == "1" {
            let (last, now) = (try? Self.keptPicture(name), try stillPicture(of: area, columns, rows))
            // What does not differ is kept as it is.
            if last?.difference(from: now).isSmall != true {
                try Data(now.text.utf8).write(to: Self.pictures.appendingPathComponent("\(name).txt"))
            }
        }
        let expected = try Self.keptPicture(name)
        var shown = expected
        do {
            try wait("the picture \(name)") { _ -> Bool? in
                shown = try colors(of: area, columns: columns, rows: rows)
                return shown.difference(from: expected).isSmall ? true : nil
            }
        } catch {
            let difference = shown.difference(from: expected)
            throw Failure(
                description: "\(name): \(difference); Scripts/window-pictures.sh keeps\n\(shown.text)\(error)")
        }
    }

    /// A picture of a part of the window that has stopped to change.
    private func stillPicture(of area: Area, _ columns: Int, _ rows: Int) throws -> ScreenPicture {
        var (picture, repetitions) = (try colors(of: area, columns: columns, rows: rows), 0)
        // Colours of GTK change within some hundred milliseconds.
        while repetitions < 5 {
            let now = try colors(of: area, columns: columns, rows: rows)
            (picture, repetitions) = (now, now == picture ? repetitions + 1 : 0)
        }
        return picture
    }
}
