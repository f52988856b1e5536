import Descant
import DesktopUI
import Foundation
import PlayerApp
import PlayerIntegration

// The desktop player: descant-desktop [FILE|FOLDER|PLAYLIST|ADDRESS…]

let player = DesktopPlayer()
exit(DesktopApp(start: { try await player.start(in: $0) }, stop: { await player.stop() }).run(CommandLine.arguments))
