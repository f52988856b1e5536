import Foundation
import Synchronization

/// Builds packages with the Swift that runs the tests.
enum SwiftPackage {
    /// The folder of this clone.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// One scratch folder for all builds of tests, kept between runs, so that the library is compiled once.
    static let scratch = root.appendingPathComponent("Tests/Integration/.build/nested")

    // SwiftPM locks a scratch folder for one process; this lock avoids waiting processes.
    private static let building = Mutex(())

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Builds a product if it is out of date.
    ///
    /// - Returns: The folder of the built products.
    static func build(
        _ package: URL, product: String? = nil, scratch: URL = SwiftPackage.scratch
    ) async throws -> URL {
        // A build takes minutes and must not block a thread of the task pool.
        try await withCheckedThrowingContinuation { built in
            Thread.detachNewThread {
                built.resume(with: Result { try buildNow(package, product: product, scratch: scratch) })
            }
        }
    }

    /// The same, blocking the caller's thread.
    static func buildNow(_ package: URL, product: String? = nil, scratch: URL = SwiftPackage.scratch) throws -> URL {
        try building.withLock { _ in
            // Several packages share the scratch folder, so a stored build plan may belong to another package.
            var arguments = ["build", "--disable-build-manifest-caching"]
            arguments += ["--package-path", package.path, "--scratch-path", scratch.path]
            try Tool.run("swift", arguments + (product.map { ["--product", $0] } ?? []))
            arguments.append("--show-bin-path")
            let path = String(decoding: try Tool.run("swift", arguments), as: UTF8.self)
            return URL(fileURLWithPath: path.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
