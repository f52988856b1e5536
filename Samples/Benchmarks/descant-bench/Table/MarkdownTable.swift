internal import Foundation

/// Results as the table of a Markdown page: a line for each measure, its figures as medians with the range of all rounds.
struct MarkdownTable {
    let results: [MeasureResult]

    var text: String {
        let head = ["| what | demanded | Descant | peers, and Descant as a multiple of them |", "|---|---|---|---|"]
        return (head + results.map(line)).joined(separator: "\n") + "\n"
    }

    private func line(_ result: MeasureResult) -> String {
        let own = result.rows.first { $0.peer == TableBench.ownName }
        let peers = result.rows.filter { $0.peer != TableBench.ownName }.map(text)
        let demand =
            (result.demand ?? "") + (result.isMet == false ? " (missed\(result.reason.map { ": \($0)" } ?? ""))" : "")
        let cells = [
            "\(result.title) (\(result.unit))", demand, own.map(figures) ?? "", peers.joined(separator: "; "),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private func figures(_ row: MeasureResult.Row) -> String { spread(row.median, row.least, row.maximum) }

    private func text(_ row: MeasureResult.Row) -> String {
        "\(row.peer) \(figures(row)): \(spread(row.ratio, row.minimumRatio, row.maximumRatio)) ×"
    }

    private func spread(_ median: Double, _ least: Double, _ maximum: Double) -> String {
        let figures = [median, least, maximum].map(TableBench.figure)
        return Set(figures).count == 1 ? figures[0] : "\(figures[0]) (\(figures[1]) to \(figures[2]))"
    }
}
