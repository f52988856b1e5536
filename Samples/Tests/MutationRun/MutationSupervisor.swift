import Foundation
import Glibc

/// Runs workers over many mutants, two at a time. Crashes, hangs, excessive memory and slow refusals are findings.
///
/// A finding that load may have caused is repeated alone, because a busy machine is slow.
final class MutationSupervisor {
    struct Finding {
        var index: Int
        var kind: String
        var detail: String
    }

    private let maker: MutantMaker
    private let arguments: [String]
    private let folder: URL
    private var outcomes: [String: Int] = [:]
    /// The number of a file's mutants that played, and their total number.
    private var played: [String: (played: Int, all: Int)] = [:]
    private var findings: [Finding] = []
    private var slowest = (seconds: 0.0, index: 0)

    private static let hangLimit = 15.0
    private static let refusalLimit = 2.0
    private static let memoryLimit = 512 * 1_024
    /// The number of mutants of one process. A new process limits the effect of its own memory growth.
    private static let batch = 400

    /// Creates a supervisor.
    ///
    /// - Parameters:
    ///   - maker: Makes the mutants.
    ///   - arguments: The arguments of a worker before its numbers.
    ///   - folder: The folder for mutants and logs; those with findings are kept.
    init(maker: MutantMaker, arguments: [String], folder: URL) {
        (self.maker, self.arguments, self.folder) = (maker, arguments, folder)
    }

    /// Plays mutants.
    ///
    /// - Returns: The findings.
    func run(_ range: Range<Int>) throws -> [Finding] {
        let workers = 2
        var lanes = (0..<workers).map { Lane(next: range.lowerBound + $0, end: range.upperBound, stride: workers) }
        let began = ContinuousClock.now
        while lanes.contains(where: { !$0.isOver }) {
            for index in lanes.indices where !lanes[index].isOver { try drive(&lanes[index], named: "lane-\(index)") }
            usleep(20_000)
        }
        for finding in findings.filter({ $0.kind != "crash" && $0.kind != "wrong" }) { try confirm(finding) }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        say(
            "\(range.count) mutants of \(maker.seeds.count) files in \(Int(seconds)) s: "
                + outcomes.sorted { $0.value > $1.value }.prefix(12).map { "\($0.value) \($0.key)" }.joined(
                    separator: ", "))
        say(
            "played of each: "
                + played.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.played)/\($0.value.all)" }
                .joined(separator: ", "))
        say("slowest: \(maker.name(of: slowest.index)), \(slowest.seconds) s")
        for finding in findings {
            say("FINDING \(finding.kind): \(maker.name(of: finding.index)) (index \(finding.index)): \(finding.detail)")
        }
        say("\(findings.count) findings; their files are in \(folder.path)")
        return findings
    }

    /// Prints a line at once, also into a file.
    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    // MARK: Lanes

    /// A worker's share of the numbers, and its process.
    private struct Lane {
        var next: Int
        let end: Int
        let stride: Int
        var process: Process?
        var log: FileHandle?
        var pending = ""
        var step = ""
        var present: (index: Int, began: ContinuousClock.Instant)?
        var isOver: Bool { process == nil && next >= end }
    }

    private func drive(_ lane: inout Lane, named name: String) throws {
        guard let process = lane.process else { return try start(&lane, named: name) }
        let isRunning = process.isRunning
        if let data = try lane.log?.readToEnd() { lane.pending += String(decoding: data, as: UTF8.self) }
        while let end = lane.pending.firstIndex(of: "\n") {
            take(lane.pending[..<end], &lane)
            lane.pending.removeSubrange(...end)
        }
        if !isRunning {
            if let present = lane.present { settle(present.index, "crash", describe(process, lane, name), &lane) }
            lane.process = nil
        } else if let present = lane.present {
            let memory = residentKilobytes(process.processIdentifier)
            let seconds = (ContinuousClock.now - present.began) / .seconds(1)
            guard seconds > Self.hangLimit || memory > 4 * Self.memoryLimit else { return }
            let (kind, detail) =
                seconds > Self.hangLimit ? ("hang", "in \(lane.step)") : ("memory", "\(memory) kB in \(lane.step)")
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            settle(present.index, kind, detail, &lane)
            lane.process = nil
        }
    }

    private func start(_ lane: inout Lane, named name: String) throws {
        let log = folder.appendingPathComponent("\(name).log")
        try Data().write(to: log)
        let end = min(lane.end, lane.next + Self.batch * lane.stride)
        lane.process = try launch([String(lane.next), String(end), String(lane.stride), log.path], errors: name)
        lane.log = try FileHandle(forReadingFrom: log)
        (lane.pending, lane.present) = ("", nil)
    }

    private func launch(_ numbers: [String], errors name: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["work"] + arguments + numbers
        let errors = folder.appendingPathComponent("\(name).err")
        try Data().write(to: errors)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func take(_ line: Substring, _ lane: inout Lane) {
        let words = line.split(separator: " ", maxSplits: 5)
        guard words.count > 1, let index = Int(words[1]) else { return }
        switch words[0] {
        case "begin": lane.present = (index, .now)
        case "step": lane.step = String(words[2])
        default:
            lane.present = nil
            lane.next = index + lane.stride
            guard words.count == 6, let seconds = Double(words[2]), let refusal = Double(words[3]),
                let peak = Int(words[4])
            else { return }
            outcomes[words[5].hasPrefix("WRONG") ? "wrong" : String(words[5]), default: 0] += 1
            let seed = maker.origin(of: index).seed.lastPathComponent
            played[seed, default: (0, 0)].all += 1
            if words[5] == "played" || words[5] == "stopped" { played[seed, default: (0, 0)].played += 1 }
            if seconds > slowest.seconds { slowest = (seconds, index) }
            if words[5].hasPrefix("WRONG") { note(index, "wrong", String(words[5])) }
            if refusal > Self.refusalLimit { note(index, "slow refusal", "\(refusal) s") }
            if peak > Self.memoryLimit { note(index, "memory", "\(peak) kB") }
        }
    }

    private func settle(_ index: Int, _ kind: String, _ detail: String, _ lane: inout Lane) {
        outcomes[kind, default: 0] += 1
        note(index, kind, detail)
        lane.present = nil
        lane.next = index + lane.stride
    }

    private func note(_ index: Int, _ kind: String, _ detail: String) {
        findings.append(Finding(index: index, kind: kind, detail: detail))
        // The worker removes finished mutants.
        try? maker.mutant(index).write(to: kept(index))
        say("\(kind): \(maker.name(of: index)): \(detail)")
    }

    private func kept(_ index: Int) -> URL {
        let name = maker.name(of: index).replacingOccurrences(of: "#", with: "-")
        return folder.appendingPathComponent("found-\(name).\(maker.origin(of: index).seed.pathExtension)")
    }

    private func describe(_ process: Process, _ lane: Lane, _ name: String) -> String {
        let errors = (try? String(contentsOf: folder.appendingPathComponent("\(name).err"), encoding: .utf8)) ?? ""
        let last = errors.split(separator: "\n").last { $0.contains("atal") || $0.contains("ERROR") } ?? ""
        return "signal \(process.terminationStatus) in \(lane.step) \(last)"
    }

    private func residentKilobytes(_ process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    // MARK: Repetition

    /// Plays one mutant alone; a problem that does not occur again is not a finding.
    private func confirm(_ finding: Finding) throws {
        let before = findings
        findings = []
        var lane = Lane(next: finding.index, end: finding.index + 1, stride: 1)
        while !lane.isOver {
            try drive(&lane, named: "again")
            usleep(20_000)
        }
        let isAgain = !findings.isEmpty
        findings = isAgain ? before : before.filter { $0.index != finding.index || $0.kind != finding.kind }
        if !isAgain { say("not again when alone: \(finding.kind) of \(maker.name(of: finding.index))") }
    }
}
