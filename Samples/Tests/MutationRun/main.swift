import Foundation

// Plays damaged files by the thousand in processes of their own, as `descant info`, `tags` and `render` do.
//
//   MutationRun run BUNDLES WHOLE-FILES FOLDER FIRST COUNT     prints findings and a line of totals; ends with 1 on any finding
//   MutationRun one BUNDLES WHOLE-FILES FOLDER INDEX           plays one mutant in this process
//   MutationRun write-dsd FOLDER                               writes whole files that no usual tool writes

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    if arguments.first == "write-dsd", arguments.count == 2 {
        try DSDSeeds.write(to: URL(fileURLWithPath: arguments[1]))
        exit(0)
    }
    guard arguments.count >= 5 else { throw Failure("usage: run|one BUNDLES WHOLE-FILES FOLDER NUMBERS…") }
    let numbers = arguments[4...].compactMap { Int($0) }
    let maker = try MutantMaker(folder: URL(fileURLWithPath: arguments[2]))
    let folder = URL(fileURLWithPath: arguments[3])
    let bundles = URL(fileURLWithPath: arguments[1])
    let worker = MutantWorker(maker: maker, folder: folder, bundles: bundles)
    switch arguments[0] {
    case "run":
        guard numbers.count == 2 else { throw Failure("say the first number and how many") }
        let supervisor = MutationSupervisor(maker: maker, arguments: Array(arguments[1...3]), folder: folder)
        let findings = try supervisor.run(numbers[0]..<numbers[0] + numbers[1])
        exit(findings.isEmpty ? 0 : 1)
    case "work":
        guard numbers.count == 3, let log = arguments.last else {
            throw Failure("a worker is told first, end and stride")
        }
        try await worker.run(stride(from: numbers[0], to: numbers[1], by: numbers[2]), log: URL(fileURLWithPath: log))
    case "one":
        guard let index = numbers.first else { throw Failure("say which") }
        print(maker.name(of: index))
        try await worker.run(stride(from: index, to: index + 1, by: 1), log: URL(fileURLWithPath: "/dev/stdout"))
    default: throw Failure("unknown command \(arguments[0])")
    }
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(2)
}
