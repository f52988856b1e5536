internal import Foundation
internal import Synchronization

/// Lets one bundle at a time through the dynamic linker.
///
/// The linker holds its lock while a library's C constructors run. When one of them hangs, `dlopen`, `dlsym`, `dladdr` and
/// `exit` of every other thread wait for ever. A bundle that comes later is refused here instead, with the name of the one that hangs.
enum LoaderGate {
    /// The bundle that is in the linker; `nil` while none is.
    private static let holder = Mutex<String?>(nil)
    private static let released = EventCount()

    /// Runs what needs the linker, alone.
    ///
    /// - Parameters:
    ///   - path: Whose library it is.
    ///   - limit: How long another bundle is waited for, in seconds.
    /// - Throws: ``PluginError/loaderRefused(path:message:)`` when another bundle hangs in the linker; what the body throws.
    static func pass<Value>(_ path: String, limit: Double, _ body: () throws -> Value) throws -> Value {
        let deadline = EventCount.deadline(in: limit)
        let bundle = (path as NSString).deletingLastPathComponent
        while true {
            let seen = released.raises
            guard let other = enter(bundle) else { break }
            guard released.wait(after: seen, deadline: deadline) else {
                let message =
                    "it has not come back from a constructor of \(other); remove that bundle and start the program again"
                throw PluginError.loaderRefused(path: path, message: message)
            }
        }
        defer {
            holder.withLock { $0 = nil }
            released.raise()
        }
        return try body()
    }

    /// Takes the linker.
    ///
    /// - Returns: The bundle that has it; `nil` when it was free.
    private static func enter(_ bundle: String) -> String? {
        holder.withLock { holder in
            if holder == nil {
                holder = bundle
                return nil
            }
            return holder
        }
    }
}
