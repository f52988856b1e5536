import Foundation
import Synchronization

/// Builds packages with the Swift that runs the tests.
enum SwiftPackage {
    /// The folder of this clone.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// One scratch folder for everything that tests build, kept from run to run: the library is compiled once in it.
    static let scratch = root.appendingPathComponent("Tests/Integration/.build/nested")

    // SwiftPM lets one process at a time into a scratch folder; without this lock the others would only wait there.
    private static let building = Mutex(())

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Builds a product, if it is not fresh.
    ///
    /// - Returns: The folder of what was built.
    static func build(
        _ package: URL, product: String? = nil, scratch: URL = SwiftPackage.scratch
    ) async throws -> URL {
        // A build takes minutes, for which a thread that tasks share would be missing to other tests.
        try await withCheckedThrowingContinuation { built in
            Thread.detachNewThread {
                built.resume(with: Result { try buildNow(package, product: product, scratch: scratch) })
            }
        }
    }

    /// The same, with the caller's thread waiting meanwhile.
    static func buildNow(_ package: URL, product: String? = nil, scratch: URL = SwiftPackage.scratch) throws -> URL {
        try building.withLock { _ in
            // Several packages share the scratch folder, so a plan that was kept there may be another one's.
            var arguments = ["build", "--disable-build-manifest-caching"]
            arguments += ["--package-path", package.path, "--scratch-path", scratch.path]
            try Tool.run("swift", arguments + (product.map { ["--product", $0] } ?? []))
            arguments.append("--show-bin-path")
            let path = String(decoding: try Tool.run("swift", arguments), as: UTF8.self)
            return URL(fileURLWithPath: path.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
