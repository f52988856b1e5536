internal import Foundation

/// Runs of one program, each of which gives the figures of one round of several measures.
actor ChildRuns {
    private let program: URL
    private let arguments: [String]
    private var figures: [[String: Double]] = []
    /// How many rounds of each figure are handed out.
    private var rounds: [String: Int] = [:]

    init(_ program: URL, _ arguments: [String]) {
        self.program = program
        self.arguments = arguments
    }

    /// The figure of the next round; runs the program when no measure has done so in this round.
    func next(_ figure: String) throws -> Double {
        let round = rounds[figure, default: 0]
        if round == figures.count { figures.append(try ChildProcess(program, arguments).finish().figures) }
        rounds[figure] = round + 1
        guard let value = figures[round][figure] else {
            throw BenchError.failed("\(arguments.first ?? program.lastPathComponent) prints no \(figure)")
        }
        return value
    }
}
