internal import DescantTestSupport
internal import Foundation
internal import Glibc

/// A desktop without a screen: a display of 60 frames a second, a bus, a sound server, and keys and a pointer.
final class BenchDesktop {
    /// The variables with which programs run on it.
    let environment: [String: String]
    /// Where they may write.
    let folder: URL
    private let display: Process
    private let number: String
    /// xdotool.
    private let tool: URL
    private let bus: PrivateBus
    private let sound: PrivatePulseServer

    /// - Parameter library: What programs on it have.
    init(_ library: LibraryCorpus) throws {
        guard let server = ChildProcess.find("Xvfb"), let tool = ChildProcess.find("xdotool") else {
            throw BenchError.failed("Xvfb and xdotool are not installed: apt install xvfb xdotool")
        }
        (self.tool, folder) = (tool, library.home)
        (bus, sound, display) = (try PrivateBus(), try PrivatePulseServer(), Process())
        let output = Pipe()
        display.executableURL = server
        display.arguments = ["-displayfd", "1", "-screen", "0", "1000x720x24", "-nolisten", "tcp", "-noreset"]
        (display.standardInput, display.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        display.standardOutput = output
        try display.run()
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        number = answer.trimmingCharacters(in: .whitespacesAndNewlines)
        environment = library.environment.merging([
            "DISPLAY": ":" + number, "DBUS_SESSION_BUS_ADDRESS": bus.address, "PULSE_SERVER": sound.address,
            "XDG_RUNTIME_DIR": library.home.path, "GSK_RENDERER": "cairo", "GDK_BACKEND": "x11",
            "GSETTINGS_BACKEND": "memory",
        ]) { $1 }
    }

    deinit {
        // SIGTERM does not work, because a process that was started on a dispatch thread inherits that signal blocked.
        kill(display.processIdentifier, SIGKILL)
        display.waitUntilExit()
        for file in ["/tmp/.X\(number)-lock", "/tmp/.X11-unix/X\(number)"] { unlink(file) }
    }

    /// Presses keys and moves the pointer, in the words of xdotool.
    func act(_ words: String...) throws { try act(words) }

    func act(_ words: [String]) throws {
        _ = try ChildProcess(tool, words, environment: environment).finish()
    }
}

/// The desktop player, which is timed by the frames that it draws.
final class BenchWindow {
    /// A frame of the window.
    struct Frame {
        /// When the display had drawn it, in nanoseconds of the monotonic clock.
        let time: Int64
        /// The page that is shown.
        let page: String
        /// The number of the page's lines.
        let lines: Int
        /// How far they are scrolled, 0…1.
        let place: Double
    }

    /// When the program was started.
    let start = BenchOutput.now
    private let program: ChildProcess
    private let log: FileHandle
    private var unread = Data()
    /// The frames that were read so far.
    private(set) var frames: [Frame] = []

    init(_ arguments: [String], on desktop: BenchDesktop) throws {
        let file = desktop.folder.appendingPathComponent("frames")
        try Data().write(to: file)
        log = try FileHandle(forReadingFrom: file)
        program = try ChildProcess(
            LibraryBench.sibling("descant-desktop"), arguments,
            environment: desktop.environment.merging(["DESCANT_FRAME_LOG": file.path]) { $1 })
    }

    deinit { program.end() }

    /// Waits for a frame.
    ///
    /// - Parameters:
    ///   - what: What the frame shows, for the error.
    ///   - time: The frame is drawn after it.
    @discardableResult
    func wait(
        for what: String, after time: Int64 = 0, seconds: Int64 = 30, until isFound: (Frame) -> Bool
    ) throws -> Frame {
        var next = 0
        let limit = BenchOutput.now + seconds * 1_000_000_000
        while BenchOutput.now < limit, program.process.isRunning {
            readSome()
            for frame in frames[next...] where frame.time > time && isFound(frame) { return frame }
            next = frames.count
            usleep(2_000)
        }
        throw BenchError.failed("the window does not show \(what), but \(frames.last.map { "\($0)" } ?? "nothing")")
    }

    /// The times between the frames of a while, in milliseconds.
    func intervals(from start: Int64, to end: Int64) throws -> [Double] {
        // The frame after the end may be the late one.
        let last = try wait(for: "more frames", after: end) { _ in true }
        let shown = frames.filter { $0.time > start && $0.time <= last.time }.map(\.time)
        return zip(shown, shown.dropFirst()).map { Double($1 - $0) / 1e6 }
    }

    private func readSome() {
        unread += log.availableData
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            let words = String(decoding: unread[..<end], as: UTF8.self).split(separator: " ")
            unread = Data(unread[(end + 1)...])
            guard words.count == 4, let time = Int64(words[0]), let lines = Int(words[2]), let place = Double(words[3])
            else { continue }
            frames.append(Frame(time: time * 1_000, page: String(words[1]), lines: lines, place: place))
        }
    }
}
