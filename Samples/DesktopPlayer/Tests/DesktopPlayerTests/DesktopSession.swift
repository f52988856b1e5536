import DescantTestSupport
import Foundation
import Synchronization

/// A desktop session without a screen, and the program in it: a display, a bus, a sound server whose sound is recorded, and a person's hands.
final class DesktopSession {
    /// An element of the window as a screen reader knows it.
    struct Element: Decodable {
        let role: String
        let name: String
        let value: Double?
        let x: Int
        let y: Int
        let width: Int
        let height: Int
        let enabled: Bool
        let focusable: Bool
        let focused: Bool
        let selected: Bool
        let checked: Bool
        /// The text of a text view.
        let text: String?
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    let folder: URL
    let bus: PrivateBus
    let sound: PrivatePulseServer
    private let desktop: Process
    private let requests: FileHandle
    private let answers: FileHandle
    private var unread = Data()
    private var display = ""
    /// The process of the program.
    private(set) var program = 0

    /// Where the window lies on the display, beside its shadow.
    static let origin = 5

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("desktop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        bus = try PrivateBus()
        sound = try PrivatePulseServer()
        desktop = Process()
        desktop.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        desktop.arguments = [
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("desktop.py").path
        ]
        desktop.environment = ProcessInfo.processInfo.environment.merging([
            "DBUS_SESSION_BUS_ADDRESS": bus.address, "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path,
            "XDG_STATE_HOME": folder.appendingPathComponent("state").path,
            "XDG_CONFIG_HOME": folder.appendingPathComponent("config").path, "PULSE_SERVER": sound.address,
            "GSK_RENDERER": "cairo", "GDK_BACKEND": "x11", "GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8",
            "NO_AT_BRIDGE": "0", "GTK_THEME": "",
        ]) { $1 }
        let (input, output) = (Pipe(), Pipe())
        (desktop.standardInput, desktop.standardOutput) = (input, output)
        (requests, answers) = (input.fileHandleForWriting, output.fileHandleForReading)
        try desktop.run()
        display = try JSONDecoder().decode(String.self, from: try line())
    }

    deinit {
        try? requests.close()
        desktop.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: The program

    /// The lines that the program has written to its standard output and errors. GTK warns now and then that it draws a part of its
    /// own widgets, a GtkGizmo such as the groove of a scrollbar, before the layout; programs of others show that, too.
    var errors: String {
        let text = (try? String(contentsOf: folder.appendingPathComponent("errors"), encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").filter { !$0.contains("Trying to snapshot GtkGizmo ") }
        return lines.joined(separator: "\n")
    }

    /// Starts the program.
    @discardableResult
    func start(_ arguments: String..., environment: [String: String] = [:]) throws -> Int {
        try start(program: TestProgram.named("descant-desktop").path, arguments, environment)
    }

    /// Starts a copy of the program.
    @discardableResult
    func start(program path: String, _ arguments: [String] = [], _ environment: [String: String]) throws -> Int {
        let answer = try ask(
            "start",
            [
                "arguments": [path] + arguments, "environment": environment,
                "errors": folder.appendingPathComponent("errors").path,
            ])
        let identifier = try JSONDecoder().decode(Int.self, from: answer)
        if program == 0 || (try? status()) != nil { program = identifier }
        return identifier
    }

    /// Sends a signal to the program.
    func signal(_ number: Int32) throws { _ = try ask("signal", ["pid": program, "number": Int(number)]) }

    /// Halts the program by SIGSTOP as soon as its window is hidden.
    func halt(whenHidden window: String) throws { _ = try ask("halt", ["pid": program, "window": window]) }

    /// Sends the program what a further start sends, and does not wait for an answer.
    func handOver(_ files: [String]) throws {
        _ = try ask("hand over", ["uris": files.map { URL(fileURLWithPath: $0).absoluteString }])
    }

    /// The exit status of the program; `nil` while it runs.
    func status(of identifier: Int? = nil) throws -> Int? {
        try JSONDecoder().decode(Int?.self, from: try ask("status", ["pid": identifier ?? program]))
    }

    /// Waits until the program has ended.
    ///
    /// - Returns: Its exit status.
    func waitForEnd(of identifier: Int? = nil) throws -> Int {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline { if let status = try status(of: identifier) { return status } }
        throw Failure(description: "the program does not end. \(errors)")
    }

    // MARK: What is on the screen

    /// The elements that are on the screen.
    func elements() throws -> [Element] { try JSONDecoder().decode([Element].self, from: try ask("tree")) }

    /// Waits for something on the screen.
    @discardableResult
    func wait<Found>(_ what: String, for find: ([Element]) throws -> Found?) throws -> Found {
        let deadline = ContinuousClock.now + .seconds(60)
        var last: [Element] = []
        while ContinuousClock.now < deadline {
            // Each question takes some milliseconds.
            last = try elements()
            if let found = try find(last) { return found }
            if let status = try status() {
                throw Failure(description: "\(what): the program has ended with \(status): \(errors)")
            }
        }
        let names = last.map { "\($0.role) \($0.name)" }.joined(separator: "\n")
        throw Failure(description: "\(what) did not come. \(errors)\n\(names)")
    }

    /// Waits for an element with a name.
    @discardableResult
    func element(_ name: String, role: String? = nil) throws -> Element {
        try wait(name) { $0.first { $0.name == name && (role == nil || $0.role == role) && $0.width > 0 } }
    }

    /// The titles of the lines of the playlist.
    func titles() throws -> [String] { Self.titles(try elements()) }

    static func titles(_ all: [Element]) -> [String] {
        // Other pages keep their lists.
        let playlist = all.drop { $0.role != "list" || $0.name != "Playlist" }.dropFirst().prefix { $0.role != "list" }
        let elements = Array(playlist)
        return elements.indices.filter { elements[$0].role == "list item" }.compactMap { index in
            elements[index...].dropFirst().prefix { $0.role != "list item" }.first { $0.role == "label" }?.name
        }
    }

    /// Waits until the playlist has these titles.
    func waitForTitles(_ titles: [String]) throws {
        try wait("the titles \(titles)") { Self.titles($0) == titles ? true : nil }
    }

    // MARK: Hands

    /// Runs a tool on the display and in the session.
    ///
    /// - Returns: What it has written.
    @discardableResult
    func run(_ arguments: String...) throws -> String { try run(arguments) }

    @discardableResult
    private func run(_ arguments: [String]) throws -> String {
        struct Result: Decodable {
            let status: Int
            let output: String
            let errors: String
            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                (status, output, errors) = (
                    try values.decode(Int.self), try values.decode(String.self), try values.decode(String.self)
                )
            }
        }
        let result = try JSONDecoder().decode(Result.self, from: try ask("run", ["arguments": arguments]))
        guard result.status == 0 else { throw Failure(description: "\(arguments): \(result.errors)") }
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func press(_ keys: String...) throws { try run(["xdotool", "key", "--delay", "20"] + keys) }

    func type(_ text: String) throws { try run("xdotool", "type", "--delay", "20", text) }

    /// Clicks into an element, at shares of its width and height.
    func click(
        _ element: Element, at share: (Double, Double) = (0.5, 0.5), times: Int = 1, button: Int = 1
    ) throws {
        let (x, y) = Self.place(element, share)
        try run(
            "xdotool", "mousemove", "\(x)", "\(y)", "click", "--repeat", "\(times)", "--delay", "60", "\(button)")
    }

    func click(_ name: String, role: String? = nil) throws { try click(try element(name, role: role)) }

    /// Chooses a file or folder in a dialog of the desktop.
    func choose(_ path: String, in title: String) throws {
        try element(title)
        // Without a window manager the keyboard belongs to the window under the pointer.
        try run("xdotool", "mousemove", "300", "150")
        // A slash opens the field for a path.
        try press("slash")
        try wait("the field for a path") { elements in
            elements.last { $0.focused && ($0.role == "text" || $0.role == "entry") }
        }
        try type(String(path.dropFirst()))
        try press("Return")
        try wait("the end of \(title)") { elements -> Bool? in elements.contains { $0.name == title } ? nil : true }
    }

    /// Opens or plays a line of the library by a double click, and waits for an element that only then is there. A list that has just got other
    /// lines may take the clicks for two single ones, and GTK counts those that follow at the same place on.
    func open(_ line: String, until next: String, role: String = "label") throws {
        var questions = 0
        try wait("\(next) by a double click on \(line)") { elements -> Bool? in
            if elements.contains(where: { $0.name == next && $0.role == role && $0.width > 0 }) { return true }
            let label = elements.first { $0.name == line && $0.role == "label" && $0.width > 0 }
            if let label, questions % 10 == 0 {
                try click(label, at: (questions % 20 == 0 ? 0.5 : 0.6, 0.5), times: 2)
            }
            questions += 1
            return nil
        }
    }

    /// Clicks on a line of the list until it is selected: a list that changes may take a click for another line.
    func select(_ title: String) throws {
        try wait("the selection of \(title)") { elements -> Element? in
            guard let label = elements.first(where: { $0.name == title && $0.role == "label" }) else { return nil }
            let middle = label.y + label.height / 2
            let line = elements.first { $0.role == "list item" && ($0.y..<$0.y + $0.height).contains(middle) }
            if line?.selected == true { return line }
            try click(label)
            return nil
        }
    }

    /// Starts the player with a playlist of tones, and waits until the first one is heard.
    func startList(_ names: [String]) throws {
        try file("list.m3u", names.map { "\($0).wav\n" }.joined())
        try start(path("list.m3u"))
        try element("\(names[0]) – Descant", role: "frame")
        try waitForTitles(names)
    }

    /// Selects a line and those from it to another one.
    func select(_ title: String, to other: String) throws {
        try select(title)
        try run("xdotool", "keydown", "shift")
        try select(other)
        try run("xdotool", "keyup", "shift")
    }

    /// Drags a line of the list, or those up to a last one, onto the upper half of another, or below all lines when that is `nil`, again when
    /// the display has lost the drag.
    func drag(_ name: String, through last: String? = nil, to other: String?, until titles: [String]) throws {
        for _ in 0..<20 {
            // A drag that is lost is a click, which selects one line alone.
            if let last { try select(name, to: last) }
            try drag(name, to: other)
            for _ in 0..<20 where try self.titles() == titles { return }
        }
        throw Failure(description: "\(titles) did not come by dragging, but \(try self.titles())")
    }

    private func drag(_ name: String, to other: String?) throws {
        let (x, y) = Self.place(try element(name, role: "label"), (0.2, 0.5))
        let (endX, endY) =
            if let other {
                Self.place(try element(other, role: "label"), (0.2, 0.2))
            } else {
                Self.place(try element("Playlist", role: "list"), (0.2, 0.9))
            }
        try run("xdotool", "mousemove", "\(x)", "\(y)", "mousedown", "1")
        // A drag begins when the pointer has moved some pixels with the button down.
        for step in 1...8 {
            try run("xdotool", "mousemove", "\(x + (endX - x) * step / 8)", "\(y + (endY - y) * step / 8)")
        }
        // What is dragged is taken when the window has answered that it takes it there.
        for _ in 0..<2 { _ = try elements() }
        try run("xdotool", "mousemove", "\(endX)", "\(endY)", "mouseup", "1")
    }

    /// Drags files from another program into an element, and drops them at shares of its width and height.
    func drop(_ names: [String], on element: Element, at share: (Double, Double) = (0.5, 0.5)) throws {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("drag.py")
        let (x, y) = Self.place(element, share)
        try run(
            ["/usr/bin/python3", program.path, "\(x)", "\(y)"]
                + names.map { URL(fileURLWithPath: path($0)).absoluteString })
    }

    private static func place(_ element: Element, _ share: (Double, Double)) -> (Int, Int) {
        (
            origin + element.x + Int(Double(element.width) * share.0),
            origin + element.y + Int(Double(element.height) * share.1)
        )
    }

    // MARK: The desktop

    /// Starts the portal of the desktop for settings and inhibitions, and its file manager: 0 for no preference, 1 for dark.
    func startPortal(scheme: Int) throws { _ = try ask("portal", ["scheme": scheme]) }

    func setScheme(_ scheme: Int) throws { _ = try ask("scheme", ["scheme": scheme]) }

    /// What keeps the machine awake, by the portal: the flags and the reason.
    func inhibitions() throws -> [String] { try JSONDecoder().decode([String].self, from: try ask("inhibitions")) }

    /// The addresses of the files that the file manager was asked to show.
    func shownFiles() throws -> [String] { try JSONDecoder().decode([String].self, from: try ask("shown files")) }

    @discardableResult
    func playerctl(_ arguments: String...) throws -> String {
        try run(["playerctl", "--player", "descant_desktop"] + arguments)
    }

    /// Calls a method of the player on the bus.
    @discardableResult
    func remote(_ method: String, _ arguments: String...) throws -> String {
        try run(
            [
                "dbus-send", "--session", "--print-reply", "--dest=org.mpris.MediaPlayer2.descant_desktop",
                "/org/mpris/MediaPlayer2", method,
            ] + arguments)
    }

    /// The answer to the question for a property of the player on the bus.
    func remoteProperty(_ name: String, of interface: String = "org.mpris.MediaPlayer2.Player") throws -> String {
        try remote("org.freedesktop.DBus.Properties.Get", "string:\(interface)", "string:\(name)")
    }

    /// A picture of the display.
    ///
    /// - Returns: Its file.
    func picture() throws -> String {
        let path = folder.appendingPathComponent("screen.png").path
        try run("import", "-silent", "-window", "root", path)
        return path
    }

    /// How many pixels of the display have a colour.
    func pixels(of color: String) throws -> Int {
        let masked = ["-fill", "black", "+opaque", color, "-fill", "white", "-opaque", color]
        let count = try run(["convert", try picture()] + masked + ["-format", "%[fx:int(mean*w*h+0.5)]", "info:"])
        return Int(count) ?? -1
    }

    /// A folder with some of the bundles.
    ///
    /// - Returns: The variables with which the program finds them.
    func bundles(_ names: String...) throws -> [String: String] {
        guard let all = ProcessInfo.processInfo.environment["DESCANT_TEST_BUNDLES"] else {
            throw Failure(description: "DESCANT_TEST_BUNDLES names no folder with bundles; see: make test")
        }
        let shelf = folder.appendingPathComponent("bundles")
        try FileManager.default.createDirectory(at: shelf, withIntermediateDirectories: true)
        for name in names.map({ $0 + ".descantplugin" }) {
            try FileManager.default.createSymbolicLink(
                at: shelf.appendingPathComponent(name),
                withDestinationURL: URL(fileURLWithPath: all).appendingPathComponent(name))
        }
        return ["DESCANT_PLUGIN_PATH": shelf.path]
    }

    /// The mean brightness of the display, 0…1.
    func brightness() throws -> Double {
        let path = try picture()
        return Double(try run("convert", path, "-colorspace", "Gray", "-format", "%[fx:mean]", "info:")) ?? -1
    }

    // MARK: Files

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Writes a tone as a WAVE file.
    @discardableResult
    func tone(_ name: String, frequency: Double = 440, seconds: Double = 60) throws -> String {
        let rate = 8_000
        var samples = Data()
        for frame in 0..<Int(seconds * Double(rate)) {
            let value = Int16(8_000 * sin(2 * .pi * frequency * Double(frame) / Double(rate)))
            withUnsafeBytes(of: value.littleEndian) { samples.append(contentsOf: $0) }
        }
        func number<Number: FixedWidthInteger>(_ value: Number) -> Data {
            withUnsafeBytes(of: value.littleEndian) { Data($0) }
        }
        var file = Data("RIFF".utf8) + number(UInt32(36 + samples.count)) + Data("WAVEfmt ".utf8)
        file += number(UInt32(16)) + number(UInt16(1)) + number(UInt16(1)) + number(UInt32(rate))
        file += number(UInt32(rate * 2)) + number(UInt16(2)) + number(UInt16(16))
        file += Data("data".utf8) + number(UInt32(samples.count)) + samples
        try file.write(to: folder.appendingPathComponent(name))
        return path(name)
    }

    @discardableResult
    func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        return path(name)
    }

    /// Whether a file, which may not be there yet, contains a text.
    func hasText(_ text: String, in file: URL) throws -> Bool {
        if let status = try status() { throw Failure(description: "the program has ended with \(status): \(errors)") }
        return (try? String(contentsOf: file, encoding: .utf8))?.contains(text) == true
    }

    // MARK: The helper

    private func ask(_ what: String, _ arguments: [String: Any] = [:]) throws -> Data {
        let request = try JSONSerialization.data(withJSONObject: arguments.merging(["do": what]) { $1 })
        try requests.write(contentsOf: request + Data("\n".utf8))
        return try line()
    }

    private func line() throws -> Data {
        while true {
            if let end = unread.firstIndex(of: 10) {
                defer { unread = Data(unread[(end + 1)...]) }
                return Data(unread[..<end])
            }
            let data = answers.nextBytes()
            guard !data.isEmpty else { throw Failure(description: "the helper of the desktop has ended") }
            unread += data
        }
    }
}
