import Descant
import DescantTesting
import Foundation
import Glibc

// Uses all services of a host by random operations, as fast as the machine renders, and finds what grows.
//
//   ServiceSoak HOURS SEED BUNDLES    hours of rendered sound; the folder of the built bundles
//
// Prints a line for each part of the time: hours, operations, refused ones, memory in MB, threads and descriptors. Ends with 1 when
// memory, threads or descriptors grow, when a player changes its state in a way that is not documented, and when no command of the
// desktop reaches one.

/// The kernel's counts for this process.
struct Footprint {
    var megabytes = 0
    var threads = 0
    var descriptors = 0

    /// `malloc_trim`, which Swift's module of the C library leaves out: what the allocator keeps for the next time is no growth.
    private static let trim = dlsym(nil, "malloc_trim").map {
        // Safe: the function has this type in every version of the GNU C library.
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    init() throws {
        _ = Self.trim?(0)
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        func value(_ key: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(key) } ?? ""
            return Int(line.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
        }
        megabytes = value("VmRSS:") / 1_024
        threads = value("Threads:")
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}

/// What grows: the lowest values of the last quarter are compared with the highest of the second one. In less than half an hour of sound
/// not everything was used so often that the memory for it is there, and caches fill for four hours. 1 KB that each operation loses are 3.5 MB
/// an hour. `MALLOC_ARENA_MAX=1` leaves out the allocator's further arenas, which fill much more slowly than the caches.
func growth(_ footprints: [Footprint], hours: Double) -> [String] {
    let quarter = footprints.count / 4
    guard quarter > 0 else { return [] }
    let (early, late) = (footprints[quarter..<2 * quarter], footprints.suffix(quarter))
    func grown(_ what: String, _ tolerance: Int, _ value: (Footprint) -> Int) -> String? {
        let (before, after) = (early.map(value).max() ?? 0, late.map(value).min() ?? 0)
        return after > before + tolerance ? "\(what) grew from \(before) to \(after)" : nil
    }
    return [
        hours < 0.5 ? nil : grown("the memory in MB", 12 + Int(2 * min(hours, 4)), \.megabytes),
        grown("the number of threads", 6, \.threads),
        grown("the number of descriptors", 6, \.descriptors),
    ].compactMap(\.self)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let hours = Double(arguments[1]), hours > 0, hours <= 10_000,
    let seed = UInt64(arguments[2])
else {
    fatalError("usage: ServiceSoak HOURS SEED BUNDLES")
}

/// Uses the services and ends them with their servers.
///
/// - Returns: What failed.
func soak(hours: Double, seed: UInt64, bundles: URL) async throws -> [String] {
    let parts = 40
    let services = try await SoakedServices(seed: seed, bundles: bundles)
    var footprints: [Footprint] = []
    for part in 1...parts {
        let end = hours * Double(part) / Double(parts)
        while services.hours < end {
            do {
                try await services.step()
            } catch {
                return ["operation \(services.counts.operations) fails: \(error)"]
            }
        }
        if let change = services.undocumentedChange { return [change] }
        let footprint = try Footprint()
        footprints.append(footprint)
        let (operations, refused) = services.counts
        print(
            String(format: "%.3f h", services.hours), "\(operations) operations, \(refused) refused,",
            "\(footprint.megabytes) MB, \(footprint.threads) threads, \(footprint.descriptors) descriptors")
        // A line is there when its part is over, in a file, too.
        fflush(nil)
    }
    await services.end()
    print("\(services.takenCommands) commands of the desktop were taken")
    // In half an hour there are some hundred, and a player is shown half of the time.
    let isUnheard = hours >= 0.5 && services.takenCommands == 0
    return growth(footprints, hours: hours) + (isUnheard ? ["no command of the desktop reached a player"] : [])
}

let failures = try await soak(hours: hours, seed: seed, bundles: URL(fileURLWithPath: arguments[3]))
for failure in failures { print("\(failure), seed \(seed)") }
exit(failures.isEmpty ? 0 : 1)
