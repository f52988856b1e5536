internal import DescantCore
public import Foundation
internal import Synchronization

/// Where a controller keeps which engine was selected, from one run of a program to the next.
public protocol EngineSelection: Sendable {
    /// The engine that was selected last; `nil` when none was.
    ///
    /// - Throws: The error of reading; the controller then goes on as if no engine was selected.
    func load() throws -> String?

    /// Keeps the selected engine.
    ///
    /// - Parameter identifier: The engine.
    /// - Throws: Why it cannot be kept; the engine is selected all the same.
    func save(_ identifier: String) throws
}

/// Keeps the selected engine in a small JSON file, `$XDG_STATE_HOME/APPLICATION/engine.json`.
public struct FileEngineSelection: EngineSelection {
    private struct Content: Codable {
        var selectedEngine: String
    }

    /// The file; it need not exist, and neither does its folder.
    public let file: URL

    /// Keeps it in a file of the host's choice.
    ///
    /// - Parameter file: The file.
    public init(file: URL) { self.file = file }

    /// Keeps it where the desktop keeps the state of programs: below `$XDG_STATE_HOME`, or `~/.local/state`.
    ///
    /// - Parameters:
    ///   - application: The name of the host's folder.
    ///   - environment: The variables of the process.
    public init(application: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "/"
        // The XDG specification has relative paths ignored.
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
        file = URL(fileURLWithPath: state).appendingPathComponent(application).appendingPathComponent("engine.json")
    }

    /// The engine that was selected last.
    ///
    /// - Throws: `CoreError.ioError` when the file cannot be read, `CoreError.decodeError` when it is damaged; both name it.
    public func load() throws -> String? {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw CoreError.ioError("\(file.path) cannot be read: \(error.localizedDescription)")
        }
        guard let content = try? JSONDecoder().decode(Content.self, from: data) else {
            throw CoreError.decodeError(
                "\(file.path) holds no selected engine; it is written anew with the next selection")
        }
        return content.selectedEngine
    }

    /// Keeps the selected engine. The file is replaced as a whole, so that a crash leaves the old one or the new one.
    ///
    /// - Parameter identifier: The engine.
    /// - Throws: `CoreError.ioError` when the file cannot be written; it names the file.
    public func save(_ identifier: String) throws {
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try JSONEncoder().encode(Content(selectedEngine: identifier)).write(to: file, options: .atomic)
        } catch {
            throw CoreError.ioError("\(file.path) cannot be written: \(error.localizedDescription)")
        }
    }
}

/// Keeps the selected engine for as long as the process lives.
public final class MemoryEngineSelection: EngineSelection {
    private let selected: Mutex<String?>

    /// Creates it.
    ///
    /// - Parameter identifier: The engine that is selected at first; `nil` for none.
    public init(_ identifier: String? = nil) { selected = Mutex(identifier) }

    /// The engine that was selected last.
    public func load() -> String? { selected.withLock { $0 } }

    /// Keeps the selected engine.
    ///
    /// - Parameter identifier: The engine.
    public func save(_ identifier: String) { selected.withLock { $0 = identifier } }
}
