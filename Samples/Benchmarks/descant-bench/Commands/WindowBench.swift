internal import Foundation

/// The desktop player with the tracks of a library as its queue, and in front of the library: its start, and its frames under keys and pointer.
struct WindowBench {
    private let library: LibraryCorpus
    private let sound: URL
    /// Whether all is done once, to see that it works.
    private let isShort: Bool

    init(_ arguments: inout Arguments) throws {
        isShort = arguments.flag("--short")
        (library, sound) = try arguments.library()
    }

    func run() throws {
        let desktop = try BenchDesktop(library)
        let state = library.home.appendingPathComponent("STATE/descant/desktop")
        try? FileManager.default.removeItem(at: state)
        // The first run reads from the disk.
        _ = try started(on: desktop, lines: 0)
        BenchReport.times("start", try (0..<rounds).map { _ in try started(on: desktop, lines: 0).time })
        let openings = try (0..<rounds).map { _ in
            try openLibrary(of: started(on: desktop, lines: 0).window, on: desktop)
        }
        BenchReport.times("library", openings)
        try makeQueue(in: state, on: desktop)
        BenchReport.times("queue", try (0..<rounds).map { _ in try started(on: desktop, lines: queueCount).time })
        let window = try BenchWindow([], on: desktop)
        try window.wait(for: "the queue") { $0.lines == queueCount }
        // Without a window manager the keyboard belongs to the window under the pointer.
        try desktop.act("mousemove", "700", "400")
        try measure(window, on: desktop, "")
        _ = try openLibrary(of: window, on: desktop)
        try desktop.act("mousemove", "700", "400")
        try measure(window, on: desktop, "library_")
    }

    /// Starts the player.
    ///
    /// - Returns: The time until a frame shows a number of lines, in milliseconds.
    private func started(on desktop: BenchDesktop, lines: Int) throws -> (window: BenchWindow, time: Double) {
        let window = try BenchWindow([], on: desktop)
        let frame = try window.wait(for: "\(lines) lines") { $0.lines == lines }
        return (window, Double(frame.time - window.start) / 1e6)
    }

    /// Starts the player for the first time with a playlist, and keeps its queue.
    private func makeQueue(in state: URL, on desktop: BenchDesktop) throws {
        // Of the tracks of the library the first one would fail, because they have no sound.
        let window = try BenchWindow([sound.path, library.playlist.path], on: desktop)
        let list = try window.wait(for: "the playlist") { $0.lines == queueCount }
        BenchReport.times("open", [Double(list.time - window.start) / 1e6])
        try window.wait(for: "the kept queue") { _ in
            let kept = try? Data(contentsOf: state.appendingPathComponent("queue.tsv"), options: .mappedIfSafe)
            return kept?.range(of: Data("/\(library.artistCount - 1)/9.flac".utf8)) != nil
        }
    }

    /// Clicks along the tabs of the pages until the library is shown.
    ///
    /// - Returns: The time until its artists are there, in milliseconds.
    private func openLibrary(of window: BenchWindow, on desktop: BenchDesktop) throws -> Double {
        for x in stride(from: 260, to: 700, by: 30) {
            let began = BenchOutput.now
            try desktop.act("mousemove", "\(x)", "25", "click", "1")
            let frame = try window.wait(for: "frames", after: BenchOutput.now + 100_000_000) { _ in true }
            guard frame.page == "library" else { continue }
            let list = try window.wait(for: "the artists", after: began) {
                $0.page == "library" && $0.lines == library.artistCount
            }
            return Double(list.time - began) / 1e6
        }
        throw BenchError.failed("the window shows no library")
    }

    /// Scrolls the list of the page, and types letters into its field.
    private func measure(_ window: BenchWindow, on desktop: BenchDesktop, _ prefix: String) throws {
        let all = try window.wait(for: "frames", after: BenchOutput.now) { _ in true }.lines
        func frames(_ name: String, _ body: () throws -> Void) throws {
            let start = BenchOutput.now
            try body()
            BenchReport.times("\(prefix)\(name)_frame", try window.intervals(from: start, to: BenchOutput.now))
        }
        func key(_ name: String, _ count: Int) throws {
            try desktop.act(["key", "--delay", "25"] + [String](repeating: name, count: count))
        }
        try frames("wheel") {
            for button in ["5", "4"] { try desktop.act("click", "--repeat", "\(30 * rounds)", "--delay", "20", button) }
        }
        try desktop.act("click", "1")
        try frames("page") {
            for (name, end) in [("Next", "End"), ("Prior", "Home")] {
                try key(name, 20 * rounds)
                try key(end, 1)
            }
        }
        try frames("drag") { try drag(window, on: desktop) }
        try key("ctrl+f", 1)
        var found: [Double] = []
        try frames("type") {
            for word in (["river 99", "band 04", "lantern 3"] + Self.letters).prefix(isShort ? 1 : .max) {
                let began = BenchOutput.now
                try desktop.act("type", "--delay", "0", String(word.prefix(1)))
                let frame = try window.wait(for: "what was found", after: began) { $0.lines != all && $0.lines > 0 }
                found.append(Double(frame.time - began) / 1e6)
                if word.count > 1 { try desktop.act("type", "--delay", "200", String(word.dropFirst())) }
                let erased = BenchOutput.now
                try desktop.act(["key", "--delay", "200"] + word.map { _ in "BackSpace" })
                try window.wait(for: "everything", after: erased) { $0.lines == all }
            }
        }
        BenchReport.times("\(prefix)find", found)
        try key("Escape", 1)
    }

    /// Drags the slider of the scroll bar from one end to the other and back.
    private func drag(_ window: BenchWindow, on desktop: BenchDesktop) throws {
        let (x, top, bottom) = (980, 112, 600)
        try desktop.act("mousemove", "\(x - 40)", "\(top)", "mousemove", "\(x)", "\(top)")
        // The scroll bar grows under the pointer.
        try desktop.act("sleep", "0.3", "mousedown", "1")
        for y in Array(stride(from: top, to: bottom, by: 4)) + stride(from: bottom, through: top, by: -4) {
            try desktop.act("mousemove", "\(x)", "\(y)")
        }
        try desktop.act("mouseup", "1", "mousemove", "700", "400")
        let places = window.frames.map(\.place)
        guard places.max() ?? 0 > 0.98 else { throw BenchError.failed("the scroll bar is not dragged") }
    }

    private var rounds: Int { isShort ? 1 : 5 }

    /// The queue: the tracks of the library behind the file that is played.
    private var queueCount: Int { library.count + 1 }

    /// Letters that find less than everything: each track contains the n of "Band".
    private static let letters = LibraryCorpus.words.map { String($0.prefix(1)) }.filter { $0 != "n" }
}
