import Descant
import DesktopUI
import Foundation
import PlayerApp
import PlayerIntegration

// The desktop player: descant-desktop [FILE|FOLDER|PLAYLIST|ADDRESS…]

// Before GTK is asked: whoever installs the program may have no display.
switch CommandLine.arguments.dropFirst().first {
case "--help", "-h":
    print(
        """
        usage: descant-desktop [FILE|FOLDER|PLAYLIST|ADDRESS|BOOK…]

        Plays music and reads books aloud in a window. What is named is added to the queue and played; text, Markdown, HTML and
        EPUB files are books. A second start hands them over to the window that is open. F1 in the window shows the keys.
        """)
    exit(0)
case "--version":
    print(programVersion)
    exit(0)
default: break
}

let player = DesktopPlayer()
let app = DesktopApp(
    start: { try await player.start(in: $0) }, prepare: { try await player.prepare() }, stop: { await player.stop() })
exit(app.run(CommandLine.arguments))
