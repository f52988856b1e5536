import Descant
import Foundation
import PlayerApp
import PlayerIntegration
import TerminalUI

// Plays files with the layers of the sample player: LayeredPlayer [--install LICENCE] FILE|FOLDER…
// The vendor's public key is in LICENSE_KEY; the licence and the preferences are kept in the folder STATE_FOLDER. With OUTPUT=null
// it needs no sound device. On a terminal it shows the terminal player.
let environment = ProcessInfo.processInfo.environment

/// Who has Pro: nobody without a vendor's key.
func makeManager(in folder: URL) throws -> any IAPManager {
    guard let key = environment["LICENSE_KEY"] else { return FreeTierIAPManager() }
    return LicenseFileIAPManager(
        file: folder.appendingPathComponent("licence.txt"), key: try LicenseKey(base64: key), product: "layered-player")
}

do {
    var paths = Array(CommandLine.arguments.dropFirst())
    let folder = URL(fileURLWithPath: environment["STATE_FOLDER"] ?? FileManager.default.currentDirectoryPath)
    let manager = try makeManager(in: folder)
    if paths.first == "--install", paths.count > 1, let licenses = manager as? LicenseFileIAPManager {
        try licenses.install(URL(fileURLWithPath: paths[1]))
        paths.removeFirst(2)
    }

    let files = PlayerFiles(preferencesFile: folder.appendingPathComponent("preferences.json"))
    let (preferences, problem) = files.readPreferences()
    if let problem { print("warning: \(problem)") }
    let state = AppState(
        factory: DescantCoreFactory(output: environment["OUTPUT"] == "null" ? .null : .pulse()), iap: manager,
        storage: files, preferences: preferences, staysOpen: false)
    print(PlaybackViewModel(state).product)
    let following = Task { await state.follow() }
    await state.loadFiles(urls: paths.map { URL(fileURLWithPath: $0) })
    try await state.play()

    let stop = { await state.shutDown() }
    let ending =
        isatty(STDOUT_FILENO) == 1
        ? await TerminalApp(player: state, environment: environment).run(atEnd: stop)
        : await PlainReporter(state: state) { print($0) }.run(atEnd: stop)
    await following.value
    let rows = PlaylistViewModel(state).rows
    for row in rows { print("\(row.failure == nil ? "played" : "left out"): \(row.title)") }
    if case .failed(let reason) = ending { throw CoreError.invalidState(reason) }
    guard rows.contains(where: { $0.failure == nil }) else {
        throw CoreError.unsupported("nothing could be played; the reasons are above")
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
