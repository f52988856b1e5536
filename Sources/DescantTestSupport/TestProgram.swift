public import Foundation

/// A program that a package builds beside its tests.
public enum TestProgram {
    /// Finds a program.
    ///
    /// - Parameter name: The name of its target.
    /// - Throws: ``TestSupportError`` naming the folders in which it is not.
    public static func named(_ name: String) throws -> URL {
        var folders = [Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
        folders += CommandLine.arguments.prefix(1).map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        // The test runner loads the tests as a library.
        if let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8),
            let line = maps.split(separator: "\n").first(where: { $0.contains("PackageTests.xctest") }),
            let start = line.firstIndex(of: "/")
        {
            folders.append(URL(fileURLWithPath: String(line[start...])).deletingLastPathComponent())
        }
        let found = folders.map { $0.appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        guard let found else {
            throw TestSupportError.failed("the program \(name) is not in \(folders.map(\.path))")
        }
        return found
    }
}
