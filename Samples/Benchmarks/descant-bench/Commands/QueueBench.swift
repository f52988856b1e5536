internal import Foundation

/// The terminal player with a playlist of 100,000 tracks: its start, and the time from a key to what is drawn.
struct QueueBench {
    private let library: LibraryCorpus
    private let sound: URL
    /// Whether the keys are timed once more when the tags of all tracks are read, which takes minutes.
    private let waitsForTags: Bool

    init(_ arguments: inout Arguments) throws {
        waitsForTags = arguments.flag("--tagged")
        (library, sound) = try arguments.library()
    }

    func run() throws {
        let (list, music) = (library.playlist.path, library.music.path)
        // The first track of a folder has the name of its file until its tags are read.
        for (name, input, sign) in [("start", list, Self.title(0)), ("folder", music, "/\(library.count + 1)")] {
            // The first run reads from the disk.
            _ = try started(input, until: sign)
            let times = try (0..<5).map { _ in try started(input, until: sign).time }
            BenchReport.line(("\(name)_ms", BenchReport.decimals(Statistics(times).median ?? .nan, 1)))
        }
        let terminal = try started(list, until: Self.title(0)).terminal
        try report(terminal, "")
        guard waitsForTags else { return }
        terminal.forget()
        terminal.type(Self.end)
        try terminal.wait(for: Self.title(library.count - 1) + " – Band", seconds: 600)
        try report(terminal, "tagged_")
    }

    /// Starts the player.
    ///
    /// - Returns: The time until a text is drawn, in milliseconds.
    private func started(_ input: String, until text: String) throws -> (terminal: BenchTerminal, time: Double) {
        let began = BenchOutput.now
        // Of the tracks of the library the first one would fail, because they have no sound.
        let terminal = try BenchTerminal(
            Self.player, ["play", "--output", "null", "--no-remote", sound.path, input],
            environment: library.environment)
        try terminal.wait(for: text)
        return (terminal, Double(BenchOutput.now - began) / 1e6)
    }

    /// Scrolls line by line at both ends of the list, and types filters letter by letter and back.
    private func report(_ terminal: BenchTerminal, _ prefix: String) throws {
        let (last, lines) = (library.count - 1, 150)
        var scrolling: [Double] = []
        // With the selected line in the middle, each key brings a new line at the edge.
        for (place, key, first, step) in [(Self.home, "j", 0, 1), (Self.end, "k", last, -1)] {
            terminal.forget()
            terminal.type(place + String(repeating: key, count: 40))
            try terminal.wait(for: Self.title(first + 40 * step))
            terminal.read(for: 500)
            // Messages come and go with the start of the first track, and change the number of lines that are shown.
            terminal.forget()
            terminal.type(key)
            terminal.read(for: 500)
            guard var next = (40..<80).last(where: { terminal.hasDrawn(Self.title(first + $0 * step)) }) else {
                throw BenchError.failed("the player does not scroll")
            }
            scrolling += try (0..<lines).map { _ in
                next += 1
                return try terminal.time(key, until: Self.title(first + next * step))
            }
        }
        var typing: [Double] = []
        for word in ["river 99", "band 04", "e", "lantern 3", "nothing"] {
            _ = try terminal.time("/", until: "search:")
            for count in 1...word.count {
                let letter = String(word.prefix(count).suffix(1))
                typing.append(try terminal.time(letter, until: "search: \(word.prefix(count))"))
            }
            for count in (1..<word.count).reversed() {
                typing.append(try terminal.time("\u{7f}", until: "search: \(word.prefix(count))"))
            }
            terminal.type("\u{1b}")
            terminal.read(for: 200)
        }
        BenchReport.times("\(prefix)scroll", scrolling)
        BenchReport.times("\(prefix)filter", typing)
    }

    /// The keys that go to both ends of the list.
    private static let (home, end) = ("\u{1b}[H", "\u{1b}[F")
    private static let player = LibraryBench.sibling("descant")

    /// The title of a track of the library.
    private static func title(_ number: Int) -> String { LibraryCorpus.title(album: number / 10, track: number % 10) }
}
