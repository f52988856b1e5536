import DescantTestSupport
import Foundation
import Testing

/// The menu of a line of the playlist, by pointer and by keys.
extension DesktopPlayerTests {
    /// Opens the menu with the pointer and chooses a command of it with the keyboard.
    ///
    /// - Parameter place: The place of the command in the menu, from 1. The first one has the keyboard when the menu is open.
    private func choose(_ place: Int, of title: String, in session: DesktopSession) throws {
        try session.click(try session.element(title, role: "label"), button: 3)
        try session.element("Copy Address")
        for _ in 1..<place { try session.press("Down") }
        try session.press("Return")
        try session.wait("the end of the menu") { $0.contains { $0.name == "Copy Address" } ? nil : true }
    }

    @Test func theMenuOfALineHasCommands() throws {
        let session = try DesktopSession()
        let names = ["one", "two", "three", "four"]
        for name in names { try session.tone("\(name).wav") }
        try session.startPortal(scheme: 0)
        try session.startList(names)
        try choose(2, of: "four", in: session)
        try session.waitForTitles(["one", "four", "two", "three"])
        try choose(3, of: "two", in: session)
        try session.waitForTitles(["one", "four", "three"])
        try choose(4, of: "four", in: session)
        let address = URL(fileURLWithPath: session.path("four.wav")).absoluteString
        try session.wait("the file in the file manager") { _ in try session.shownFiles() == [address] ? true : nil }
        // The keys open the menu of the line that has the keyboard, and Space is the menu's.
        try session.press("shift+F10")
        try session.element("Copy Address")
        try session.press("Down", "Down", "Down", "Down", "space")
        try session.wait("the end of the menu") { $0.contains { $0.name == "Copy Address" } ? nil : true }
        try session.element("Pause")
        try session.press("ctrl+f", "ctrl+v")
        try session.element("Nothing contains “\(address)”")
        try session.press("Escape")
        try session.waitForTitles(["one", "four", "three"])
        try choose(1, of: "three", in: session)
        try session.element("three – Descant", role: "frame")
        #expect(session.errors == "")
    }
}
