internal import Descant
internal import Foundation
internal import Synchronization

/// Mixes a number of layers, each a tone from memory, without a device, as fast as possible.
struct LayersBench {
    private static let seconds = 20.0
    private let count: Int

    init(_ arguments: inout Arguments) throws {
        count = try arguments.integer()
        guard (1...1_000).contains(count) else { throw BenchError.failed("1 to 1000 layers are mixed") }
    }

    func run() async throws {
        let format = PCMFormat(sampleRate: 48_000, channels: 2)
        let engine = try AudioEnvironment.shared.makeEngine(output: .discard, format: format)
        for number in 0..<count {
            let layer = number == 0 ? engine.mainLayer : await engine.addLayer(.overlay)
            let source = BenchTones(format: format, [(Double(100 + 10 * number), Self.seconds + 1)])
            let deck = try await engine.openDeck(.pcm(source), gain: 1 / Double(count), isClip: true)
            try await engine.play(deck.id, on: layer, entry: .cut, loop: LoopPlan(passes: nil))
        }
        let begin = ProcessCost.now
        _ = try await engine.advance(frames: format.frames(in: Self.seconds), untilIdle: nil)
        let spent = (ProcessCost.now.seconds - begin.seconds) / Self.seconds * 1e3
        BenchReport.line(("layers_ms", BenchReport.decimals(spent, 3)))
        await engine.shutdown()
    }
}

/// Posts events that a number of subscribers read.
struct SubscribersBench {
    private static let events = 200
    private let count: Int

    init(_ arguments: inout Arguments) throws {
        count = try arguments.integer()
        guard (1...100_000).contains(count) else { throw BenchError.failed("1 to 100000 subscribers read") }
    }

    func run() async throws {
        let hub = EventHub<Int>()
        let streams = (0..<count).map { _ in hub.stream(buffer: .bounded(Self.events)).numbered }
        let begin = BenchOutput.now
        for event in 0..<Self.events { hub.post(event) }
        let posted = BenchOutput.now
        hub.finish()
        let read = await withTaskGroup(of: Int.self) { group in
            for stream in streams {
                group.addTask {
                    var read = 0
                    for await _ in stream { read += 1 }
                    return read
                }
            }
            return await group.reduce(0, +)
        }
        guard read == count * Self.events else {
            throw BenchError.failed("\(count * Self.events - read) events are lost")
        }
        let each = { (time: Int64) in BenchReport.decimals(Double(time) / Double(Self.events) / 1e3, 3) }
        BenchReport.line(("post_us", each(posted - begin)), ("read_us", each(BenchOutput.now - begin)))
    }
}

/// The cost of what can grow, at each of some numbers: a table, and as files JSON and a plot of each.
struct GrowthBench {
    /// What grows, and the cost that is measured.
    struct Curve {
        let title: String
        let unit: String
        let command: String
        let figure: String
        let counts: [Int]
        /// Whether the cost is that of all of them, or else of one.
        let isOfAll: Bool

        /// The cost of one among the largest number, divided by the cost of one among at most an eighth of it; 1 when it costs the
        /// same. Fewer are no measure, because fixed costs count there.
        func growth(_ medians: [Double]) -> Double {
            let each = zip(counts, medians).map { count, median in isOfAll ? median / Double(count) : median }
            let reference = counts.lastIndex { $0 <= (counts.last ?? 0) / 8 } ?? 0
            return (each.last ?? .nan) / each[reference]
        }
    }

    /// The growth of the cost of one that `--check` accepts.
    private static let greatestGrowth = 2.0

    struct Points: Encodable {
        let title: String
        let unit: String
        let counts: [Int]
        let medians: [Double]
    }

    private static let curves = [
        Curve(
            title: "layers: processor time of a second of the mix", unit: "ms", command: "layers", figure: "layers_ms",
            counts: [1, 2, 4, 8, 16, 32, 64], isOfAll: true),
        Curve(
            title: "entries: adding one", unit: "µs", command: "playlist", figure: "add_us",
            counts: [10, 100, 1_000, 10_000, 100_000, 1_000_000], isOfAll: false),
        Curve(
            title: "entries: loading them", unit: "ms", command: "playlist", figure: "load_ms",
            counts: [10, 100, 1_000, 10_000, 100_000, 1_000_000], isOfAll: true),
        Curve(
            title: "plugins: a scan", unit: "ms", command: "plugins", figure: "scan_ms",
            counts: [1, 5, 20, 50, 100, 200], isOfAll: true),
        Curve(
            title: "subscribers: posting an event", unit: "µs", command: "subscribers", figure: "post_us",
            counts: [1, 10, 100, 1_000], isOfAll: true),
    ]

    private let json: URL?
    private let plots: URL?
    private let rounds: Int
    private let checks: Bool

    init(_ arguments: inout Arguments) throws {
        checks = arguments.wantsCheck()
        json = try arguments.text(after: "--json").map { URL(fileURLWithPath: $0) }
        plots = try arguments.text(after: "--plots").map { URL(fileURLWithPath: $0) }
        rounds = max(1, try arguments.option("--runs") ?? 3)
        guard arguments.isEmpty else {
            throw BenchError.usage("usage: descant-bench growth [--check] [--runs N] [--json FILE] [--plots FOLDER]")
        }
    }

    func run() async throws {
        let measured = try Self.curves.map(measure)
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(measured).write(to: json)
        }
        if let plots {
            try FileManager.default.createDirectory(at: plots, withIntermediateDirectories: true)
            for (curve, points) in zip(Self.curves, measured) {
                let file = plots.appendingPathComponent("growth-\(curve.command)-\(curve.figure).svg")
                try Data(GrowthPlot(points).svg.utf8).write(to: file)
            }
        }
        let grown = zip(Self.curves, measured).filter { $0.growth($1.medians) > Self.greatestGrowth }
        guard checks, !grown.isEmpty else { return }
        throw BenchError.failed(
            "the cost of one more than doubles with the number: \(grown.map(\.0.title).joined(separator: "; "))")
    }

    private func measure(_ curve: Curve) throws -> Points {
        print("\n\(curve.title) (\(curve.unit), median of \(rounds))")
        let medians = try curve.counts.map { count in
            let figures = try (0..<rounds).map { _ in
                let got = try ChildProcess(ChildProcess.this, [curve.command, "\(count)"]).finish().figures
                guard let figure = got[curve.figure] else {
                    throw BenchError.failed("\(curve.command) prints no \(curve.figure)")
                }
                return figure
            }
            let median = Statistics(figures).median ?? .nan
            BenchReport.text(
                "  \(count)".padding(toLength: 12, withPad: " ", startingAt: 0) + BenchReport.decimals(median, 3))
            return median
        }
        return Points(title: curve.title, unit: curve.unit, counts: curve.counts, medians: medians)
    }
}

/// A curve with both axes logarithmic, as an SVG picture.
private struct GrowthPlot {
    private let points: GrowthBench.Points
    private let xs: [Double]
    private let ys: [Double]

    private static let (width, height, margin) = (480.0, 280.0, 56.0)

    init(_ points: GrowthBench.Points) {
        self.points = points
        xs = points.counts.map { log10(Double($0)) }
        ys = points.medians.map { log10(max($0, 1e-3)) }
    }

    var svg: String {
        let (left, right) = (xs.min() ?? 0, xs.max() ?? 1)
        let (low, high) = ((ys.min() ?? 0).rounded(.down), max((ys.max() ?? 1).rounded(.up), (ys.min() ?? 0) + 1))
        let x = { Self.margin + ($0 - left) / max(right - left, 1e-9) * (Self.width - 1.5 * Self.margin) }
        let y = { Self.height - Self.margin - ($0 - low) / (high - low) * (Self.height - 1.75 * Self.margin) }
        let line = zip(xs, ys).map { "\(number(x($0))),\(number(y($1)))" }.joined(separator: " ")
        let grid = stride(from: low, through: high, by: 1).map { level in
            """
            <line x1="\(Self.margin)" x2="\(Self.width - Self.margin / 2)" y1="\(number(y(level)))" y2="\(number(y(level)))" stroke="#ddd"/>
            <text x="\(Self.margin - 6)" y="\(number(y(level) + 4))" text-anchor="end">\(label(pow(10, level)))</text>
            """
        }
        let marks = zip(zip(xs, ys), zip(points.counts, points.medians)).map { place, value in
            """
            <circle cx="\(number(x(place.0)))" cy="\(number(y(place.1)))" r="3" fill="#1565c0"><title>\(value.0): \(value.1) \(points.unit)</title></circle>
            <text x="\(number(x(place.0)))" y="\(Self.height - Self.margin + 18)" text-anchor="middle">\(label(Double(value.0)))</text>
            """
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" font-family="sans-serif" font-size="11">
            <rect width="100%" height="100%" fill="white"/>
            <text x="\(Self.margin)" y="22" font-size="13">\(points.title) (\(points.unit))</text>
            \(grid.joined(separator: "\n"))
            <polyline points="\(line)" fill="none" stroke="#1565c0" stroke-width="2"/>
            \(marks.joined(separator: "\n"))
            </svg>

            """
    }

    private func number(_ value: Double) -> String { BenchReport.decimals(value, 1) }

    private func label(_ value: Double) -> String {
        value >= 1e6
            ? "\(Int(value / 1e6))M" : value >= 1e3 ? "\(Int(value / 1e3))k" : value >= 1 ? "\(Int(value))" : "\(value)"
    }
}
