internal import Foundation

/// The terminal player in front of a large library: from a key to what is drawn, and from a question to its answer.
struct LibraryBench {
    private let library: LibraryCorpus
    private let sound: URL

    init(_ arguments: inout Arguments) throws { (library, sound) = try arguments.library() }

    func run() throws {
        try answers()
        // The first run writes what later ones read.
        _ = try started()
        var (views, libraries): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
            // One player at a time: the one before has ended with its terminal.
            let (_, view, library) = try started()
            views.append(view)
            libraries.append(library)
        }
        BenchReport.line(
            ("start_ms", BenchReport.decimals(Statistics(views).median ?? .nan, 1)),
            ("library_ms", BenchReport.decimals(Statistics(libraries).median ?? .nan, 1)))
        try frames(of: try started().terminal)
    }

    /// Starts the player and opens the library.
    ///
    /// - Returns: The times from the start until the view, and until the artists are drawn, in milliseconds.
    private func started() throws -> (terminal: BenchTerminal, view: Double, library: Double) {
        let began = BenchOutput.now
        let terminal = try BenchTerminal(
            Self.sibling("descant"), ["play", "--output", "null", "--no-remote", sound.path],
            environment: library.environment)
        try terminal.wait(for: "playing")
        let view = Double(BenchOutput.now - began) / 1e6
        return (terminal, view, view + (try terminal.time("b", until: LibraryCorpus.artist(0))))
    }

    /// Scrolls line by line, and searches as a person types.
    private func frames(of terminal: BenchTerminal) throws {
        // With the selected line in the middle, each key brings a new last line.
        terminal.forget()
        terminal.type(String(repeating: "j", count: 40))
        try terminal.wait(for: LibraryCorpus.artist(40))
        terminal.read(for: 500)
        guard var next = (40..<80).last(where: { terminal.hasDrawn(LibraryCorpus.artist($0)) }) else { return }
        let scrolling = try (0..<300).map { _ in
            next += 1
            return try terminal.time("j", until: LibraryCorpus.artist(next))
        }
        _ = try terminal.time("/", until: "search:")
        // One letter finds the most. Names of albums begin with the letter of the ninth word.
        let searching = try (0..<10).flatMap { _ in
            try LibraryCorpus.words.prefix(8).map { word in
                let time = try terminal.time(String(word.prefix(1)), until: "– \(word)")
                _ = try terminal.time("\u{7f}", until: "1 album")
                return time
            }
        }
        BenchReport.times("scroll", scrolling)
        BenchReport.times("find", searching)
    }

    /// Asks the library's program as the players do.
    private func answers() throws {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = Self.sibling("descant-library")
        process.arguments = ["serve"]
        process.environment = ProcessInfo.processInfo.environment.merging(library.environment) { $1 }
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        var unread: [UInt8] = []
        func ask(_ text: String) throws -> Double {
            let began = BenchOutput.now
            let question = #"{"id":1,"ask":"search","text":"\#(text)","limit":500}"# + "\n"
            try input.fileHandleForWriting.write(contentsOf: Data(question.utf8))
            // An answer of 100 KB comes in many pieces: each byte is looked at once, as the time of this program counts too.
            var searched = unread.count
            while true {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { throw BenchError.failed("descant-library serve does not answer") }
                unread += data
                while let end = unread[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    // Lines without a number tell of the scan at the beginning.
                    let isAnswer = unread[..<end].firstRange(of: Array(#""id":"#.utf8)) != nil
                    unread.removeSubrange(...end)
                    searched = 0
                    if isAnswer { return Double(BenchOutput.now - began) / 1e6 }
                }
                searched = unread.count
            }
        }
        _ = try ask("warm")
        var medians: [Double] = []
        for text in ["r", "ri", "river", "river 99", "band 09 cello", "b r 1", "nothing at all"] {
            let median = Statistics(try (0..<20).map { _ in try ask(text) }).median ?? .nan
            BenchReport.line(
                ("search_\(text.split(separator: " ").joined(separator: "_"))_ms", BenchReport.decimals(median, 2)))
            medians.append(median)
        }
        BenchReport.line(("search_ms", BenchReport.decimals(medians.max() ?? .nan, 2)))
    }

    /// A program beside this one.
    static func sibling(_ name: String) -> URL {
        ChildProcess.this.deletingLastPathComponent().appendingPathComponent(name)
    }
}
