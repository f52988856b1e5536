internal import Dispatch
internal import Foundation
internal import Synchronization

/// Lets one bundle at a time through the dynamic linker.
///
/// The linker holds its lock while a library's C constructors run. When one of them hangs, `dlopen`, `dlsym`, `dladdr` and
/// `exit` of every other thread wait for ever. A bundle that comes later is refused here instead, with the name of the one that hangs.
enum LoaderGate {
    private static let free = DispatchSemaphore(value: 1)
    private static let holder = Mutex("")

    /// Runs what needs the linker, alone.
    ///
    /// - Parameters:
    ///   - path: Whose library it is.
    ///   - limit: How long another bundle is waited for, in seconds.
    /// - Throws: ``PluginError/loaderRefused(path:message:)`` when another bundle hangs in the linker; what the body throws.
    static func pass<Value>(_ path: String, limit: Double, _ body: () throws -> Value) throws -> Value {
        guard free.wait(timeout: .now() + limit) == .success else {
            let other = holder.withLock { $0 }
            let message =
                "it has not come back from a constructor of \(other); remove that bundle and start the program again"
            throw PluginError.loaderRefused(path: path, message: message)
        }
        holder.withLock { $0 = (path as NSString).deletingLastPathComponent }
        defer { free.signal() }
        return try body()
    }
}
