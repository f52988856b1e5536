internal import Foundation
internal import Glibc

/// A Music Player Daemon that plays one file.
enum MPDPeer {
    /// Starts a daemon of its own, without a library, and plays.
    ///
    /// - Parameters:
    ///   - folder: Where its files are.
    ///   - server: The sound server's address; `nil` for MPD's output without a device.
    static func play(_ file: URL, with program: URL, in folder: URL, on server: String?) throws -> ChildProcess {
        let place = folder.appendingPathComponent("mpd.\(UUID().uuidString.prefix(8))")
        let output = server.map { "type \"pulse\"\nserver \"\($0)\"" } ?? "type \"null\""
        let settings = """
            bind_to_address "\(place.path)"
            audio_output {
            name "bench"
            \(output)
            }

            """
        let list = place.appendingPathExtension("conf")
        try Data(settings.utf8).write(to: list)
        let child = try ChildProcess(program, ["--no-daemon", "--stderr", list.path])
        do {
            let descriptor = try child.connect(to: place.path)
            defer { close(descriptor) }
            let commands = Array("add \"\(file.path)\"\nplay\n".utf8)
            guard Glibc.write(descriptor, commands, commands.count) == commands.count else {
                throw BenchError.failed("mpd does not take commands")
            }
            // Its greeting and two answers.
            var answers: [UInt8] = []
            while answers.count(where: { $0 == UInt8(ascii: "\n") }) < 3 {
                var bytes = [UInt8](repeating: 0, count: 1_024)
                let count = read(descriptor, &bytes, bytes.count)
                guard count > 0 else { break }
                answers += bytes[..<count]
            }
            let text = String(decoding: answers, as: UTF8.self)
            guard text.hasSuffix("\nOK\nOK\n") else { throw BenchError.failed("mpd: \(text)") }
        } catch {
            child.end()
            throw error
        }
        return child
    }
}
