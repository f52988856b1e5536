internal import CTagPeer
internal import Descant
internal import Foundation

/// Tags and artwork of many files: through the service, or by a plain loop over TagLib.
struct ScanBench {
    private let files: [String]
    private let threads: Int
    private let usesTagLib: Bool

    init(_ name: String, _ arguments: inout Arguments) throws {
        let list = try String(contentsOf: try arguments.file(), encoding: .utf8)
        files = list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
        usesTagLib = name == "taglib-scan"
        threads = arguments.isEmpty ? ProcessInfo.processInfo.activeProcessorCount : try arguments.integer()
    }

    func run() async throws {
        let urls = files.map { URL(filePath: $0, directoryHint: .notDirectory) }
        let (began, cpu) = (BenchOutput.now, process_cpu_us())
        let (count, bytes) = usesTagLib ? readByTagLib() : await readByService(urls)
        let (wall, used) = (BenchOutput.now - began, process_cpu_us() - cpu)
        let peak = Self.peakKilobytes
        BenchReport.line(
            ("files", "\(count)"), ("files_per_s", BenchReport.decimals(Double(count) / (Double(wall) / 1e9), 1)),
            ("art_bytes", "\(bytes)"),
            ("cpu_us_per_file", BenchReport.decimals(Double(used) / Double(max(1, count)), 2)),
            ("rss_kb", "\(peak)"))
    }

    private func readByTagLib() -> (Int, Int64) {
        var (count, bytes): (Int, Int64) = (0, 0)
        for file in files where taglib_read(file, &bytes) == 0 { count += 1 }
        return (count, bytes)
    }

    private func readByService(_ urls: [URL]) async -> (Int, Int64) {
        let reader = AudioEnvironment.shared.makeTagReader()
        let service = DefaultTagReaderService(tagReaderPort: reader, parallelism: threads)
        var (count, bytes): (Int, Int64) = (0, 0)
        for await result in service.readMetadata(of: urls) {
            guard let track = result.track else { continue }
            count += 1
            bytes += (track.tags.pictures ?? []).reduce(0) { $0 + Int64($1.data.count) }
        }
        return (count, bytes)
    }

    private static var peakKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }.flatMap { Int($0.filter(\.isNumber)) }
            ?? 0
    }
}
