import Foundation
import Glibc

/// The process that plays mutants one after the other and logs each step, so that a crash can be assigned to a mutant.
struct MutantWorker {
    let maker: MutantMaker
    let folder: URL
    let bundles: URL

    /// Plays every mutant of a sequence.
    ///
    /// - Parameters:
    ///   - indices: The mutants' numbers.
    ///   - log: A file; receives `begin INDEX`, `step INDEX NAME` and `end INDEX SECONDS REFUSAL KILOBYTES OUTCOME`.
    func run(_ indices: StrideTo<Int>, log: URL) async throws {
        guard let output = fopen(log.path, "ae") else { throw Failure("\(log.path) cannot be written") }
        defer { fclose(output) }
        func say(_ line: String) {
            fputs(line + "\n", output)
            fflush(output)
        }
        Self.limitMemory()
        let player = try MutantPlayer(bundles: bundles)
        let clock = ContinuousClock()
        for index in indices {
            let data = try maker.mutant(index)
            let seed = maker.origin(of: index).seed
            let file = folder.appendingPathComponent("mutant-\(index).\(seed.pathExtension)")
            try data.write(to: file)
            Self.forgetPeak()
            say("begin \(index)")
            let began = clock.now
            var outcome = MutantPlayer.Outcome(word: "")
            do {
                outcome = try await player.play(file, isNative: maker.origin(of: index).number % 2 == 0) {
                    say("step \(index) \($0)")
                }
            } catch {
                outcome.word = "WRONG: \(error)"
            }
            let seconds = (clock.now - began) / .seconds(1)
            say("end \(index) \(seconds) \(outcome.refusal) \(Self.peakKilobytes) \(outcome.word)")
            try FileManager.default.removeItem(at: file)
        }
        await player.close()
        say("over")
    }

    /// The memory limit of the process. Larger allocations fail instead of exhausting the machine's memory.
    private static func limitMemory() {
        var limit = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }

    private static func forgetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "we") else { return }
        fputs("5", file)
        fclose(file)
    }

    private static var peakKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
