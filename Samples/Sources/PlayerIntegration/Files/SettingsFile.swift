public import Foundation

/// The settings of a person: `$XDG_CONFIG_HOME/descant/config`, or `~/.config/descant/config`.
///
/// A line is `name = value`. A line `[section]` begins a section, and a line that begins with `#` is a comment.
public struct SettingsFile: Sendable {
    /// A setting.
    public struct Setting: Sendable, Hashable {
        /// The line, from 1.
        public let line: Int
        /// The section; empty before the first one.
        public let section: String
        /// The name.
        public let name: String
        /// The value; empty when there is none.
        public let value: String
    }

    /// The file.
    public let url: URL
    /// The settings in their order.
    public let settings: [Setting]

    /// The maximum size of the file, in bytes.
    private static let sizeLimit = 1 << 20

    /// Reads the file.
    ///
    /// - Parameter environment: The variables of the process.
    /// - Returns: `nil` when there is no file.
    /// - Throws: ``InputError`` for a file that cannot be read and for a line that is not a setting.
    public init?(environment: [String: String]) throws {
        url = DesktopFolder.config.url(environment).appendingPathComponent("descant/config")
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let data: Data
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            data = try file.read(upToCount: Self.sizeLimit + 1) ?? Data()
        } catch {
            throw InputError(description: "\(url.path) cannot be read: \(error.localizedDescription)")
        }
        guard data.count <= Self.sizeLimit, let text = String(validating: data, as: UTF8.self) else {
            throw InputError(description: "\(url.path): use a text file in UTF-8 of at most 1 MiB")
        }
        settings = try Self.settings(in: text, of: url)
    }

    private static func settings(in text: String, of url: URL) throws -> [Setting] {
        var section = ""
        var settings: [Setting] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (number, line) in zip(1..., lines.map { $0.trimmingCharacters(in: .whitespaces) }) {
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("["), line.hasSuffix("]"), line.count > 2 {
                section = line.dropFirst().dropLast().trimmingCharacters(in: .whitespaces)
                continue
            }
            // The first character may be the key of the sign itself.
            guard let sign = line.dropFirst().firstIndex(of: "=") else {
                throw InputError(description: "\(url.path), line \(number): write name = value")
            }
            settings.append(
                Setting(
                    line: number, section: section, name: line[..<sign].trimmingCharacters(in: .whitespaces),
                    value: line[line.index(after: sign)...].trimmingCharacters(in: .whitespaces)))
        }
        return settings
    }
}
