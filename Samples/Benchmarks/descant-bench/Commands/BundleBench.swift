internal import Descant
internal import Foundation
internal import Glibc

/// The time to make a decoder of an installed bundle: the check of the file, its digest and the loading, then again without them.
struct BundleBench {
    /// Where the bundle's files are before.
    private enum Files: String {
        /// In the memory of the system.
        case cached
        /// On the disk.
        case uncached
    }

    private static let identifier = "flac"
    private let files: Files

    init(_ arguments: inout Arguments) throws { files = try arguments.choice(Files.self) }

    func run() throws {
        let registry = AudioEnvironment.shared.plugins
        let begin = BenchOutput.now
        registry.scan()
        let scanned = BenchOutput.now
        let bundle = registry.available.first { plugin in
            plugin.manifest.provides.contains { $0.kind == .decoder && $0.identifier == Self.identifier }
        }
        guard let bundle, let name = bundle.manifest.library else {
            throw BenchError.failed("no bundle provides the decoder '\(Self.identifier)'; run make build")
        }
        let library = URL(fileURLWithPath: bundle.path).appendingPathComponent(name)
        try prepare(library)
        let (called, made, again) = try (BenchOutput.now, time(registry), time(registry))
        // The library is there already: what is measured is a second copy of its file.
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString).so")
        try FileManager.default.copyItem(at: library, to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        try prepare(copy)
        let opened = BenchOutput.now
        guard dlopen(copy.path, RTLD_NOW | RTLD_LOCAL) != nil else {
            throw BenchError.failed(String(cString: dlerror()))
        }
        let loaded = BenchOutput.now
        BenchReport.line(
            ("scan_ms", BenchReport.milliseconds(scanned - begin)),
            ("load_ms", BenchReport.milliseconds(made - called)),
            ("again_ms", BenchReport.milliseconds(again - made)),
            ("dlopen_ms", BenchReport.milliseconds(loaded - opened)))
    }

    /// Makes a decoder.
    ///
    /// - Returns: The time afterwards.
    private func time(_ registry: PluginRegistry) throws -> Int64 {
        _ = try registry.makeDecoder(Self.identifier)
        return BenchOutput.now
    }

    /// Brings a file into the system's memory, or out of it.
    private func prepare(_ file: URL) throws {
        _ = try Data(contentsOf: file)
        guard files == .uncached else { return }
        let descriptor = open(file.path, O_RDONLY)
        guard descriptor >= 0 else { throw BenchError.failed("\(file.path) cannot be opened") }
        defer { close(descriptor) }
        fsync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
}
