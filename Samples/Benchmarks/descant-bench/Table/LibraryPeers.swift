internal import Foundation

/// The measures of both players in front of a library of 100,000 tracks, and with a playlist of them.
struct LibraryPeers {
    private let runs: ChildRuns
    private let queueRuns: ChildRuns
    /// Of the desktop player; `nil` where it or a display without a screen is not installed.
    private let windowRuns: ChildRuns?

    /// Makes the library; `nil` where `descant` or `descant-library` is not beside this program.
    init?(corpus: BenchCorpus) throws {
        let programs = ["descant", "descant-library"].map(LibraryBench.sibling)
        guard programs.allSatisfy({ FileManager.default.isExecutableFile(atPath: $0.path) }) else { return nil }
        let library = try LibraryCorpus(in: corpus.folder, program: programs[1])
        runs = ChildRuns(ChildProcess.this, ["library", library.home.path, corpus.long.path])
        queueRuns = ChildRuns(ChildProcess.this, ["queue", library.home.path, corpus.long.path])
        let hasWindow =
            FileManager.default.isExecutableFile(atPath: LibraryBench.sibling("descant-desktop").path)
            && ["Xvfb", "xdotool"].allSatisfy { ChildProcess.find($0) != nil }
        windowRuns = hasWindow ? ChildRuns(ChildProcess.this, ["window", library.home.path, corpus.long.path]) : nil
    }

    /// Whether the desktop player is measured.
    var hasWindow: Bool { windowRuns != nil }

    var measures: [Measure] {
        [
            measure("start of the player to its view", "start_ms", atMost: 500),
            measure("start of the player to the artists of 100,000 tracks", "library_ms", atMost: 500),
            measure("slowest of seven searches in 100,000 tracks, to the answer", "search_ms", atMost: 20),
            measure("a line further in 10,000 artists, key to screen, 95th percentile", "scroll_95_ms", atMost: 100),
            measure("a letter of a search, key to found tracks, 95th percentile", "find_95_ms", atMost: 100),
            measure("start of the player to a playlist of 100,000 tracks", "start_ms", of: queueRuns, atMost: 1_000),
            measure("start of the player with a folder of 100,000 files", "folder_ms", of: queueRuns, atMost: 1_000),
            measure(
                "a line further in 100,000 tracks while tags are read, key to screen, 95th percentile",
                "scroll_95_ms", of: queueRuns, atMost: 50),
            measure(
                "a letter of a filter of 100,000 tracks while tags are read, key to screen, 95th percentile",
                "filter_95_ms", of: queueRuns, atMost: 50),
        ] + (windowRuns.map(measures) ?? [])
    }

    /// Frames of a display with 60 of them a second.
    private func measures(of window: ChildRuns) -> [Measure] {
        let kinds = [
            ("wheel", "the wheel"), ("page", "Page Down and Up"), ("drag", "the slider"), ("type", "typed letters"),
        ]
        return [
            measure("start of the desktop player to its window", "start_ms", of: window, atMost: 500),
            measure("click to the artists of 100,000 tracks in the window", "library_ms", of: window, atMost: 500),
            measure(
                "start of the desktop player to a restored queue of 100,000 tracks", "queue_ms", of: window, atMost: 500
            ),
        ]
            + kinds.flatMap { name, title in
                [("", "queue"), ("library_", "library")].map { prefix, place in
                    measure(
                        "a frame of the window after \(title) in the \(place), 95th percentile",
                        "\(prefix)\(name)_frame_95_ms", of: window, atMost: 50)
                }
            }
    }

    private func measure(
        _ title: String, _ figure: String, of other: ChildRuns? = nil, atMost limit: Double
    ) -> Measure {
        let runs = other ?? runs
        return Measure(
            title: title, unit: "ms", isLessBetter: true,
            peers: [.init(name: TableBench.ownName) { try await runs.next(figure) }],
            demand: .limit(limit))
    }
}
