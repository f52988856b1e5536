internal import ArgumentParser
internal import Foundation
internal import PlayerIntegration
internal import TerminalUI

/// What a person has chosen for `descant play` in the settings file. The theme is that of `descant read`, too.
struct PlaySettings {
    /// The options of the command line that the file stands for; those of the command line follow them and override them.
    private(set) var arguments: [String] = []
    /// Those of ``arguments`` that an engine of a plugin takes; the others are for the built-in player.
    private(set) var engineArguments: [String] = []
    /// The player's view.
    private(set) var view = TerminalApp.Settings()
    /// Whether the cover is shown.
    private(set) var showsCover = true

    /// The options that may stand in the file with a value.
    private static let options = [
        "volume", "crossfade", "curve", "repeat", "replaygain", "preamp", "eq", "rate", "duck", "output",
    ]
    /// The options that may stand in the file with yes or no.
    private static let flags = ["gapless-albums", "shuffle", "quit-at-end"]

    /// The usual settings.
    init() {}

    /// Reads the file, if there is one.
    ///
    /// - Parameter environment: The variables of the process.
    /// - Throws: ``CommandFailure`` naming the line and what is possible there.
    init(environment: [String: String]) throws {
        do {
            guard let file = try SettingsFile(environment: environment) else { return }
            for setting in file.settings {
                do {
                    try apply(setting)
                } catch {
                    throw CommandFailure(.usage, "\(file.url.path), line \(setting.line): \(error.reason)")
                }
            }
        } catch let error as InputError {
            throw CommandFailure(.usage, error.description)
        }
    }

    private struct Problem: Error {
        let reason: String
    }

    private mutating func apply(_ setting: SettingsFile.Setting) throws(Problem) {
        switch setting.section {
        case "": try applyOption(setting.name, setting.value)
        case "keys": try bind(setting.name, to: setting.value)
        default: throw Problem(reason: "there is no section [\(setting.section)]; use [keys]")
        }
    }

    private mutating func applyOption(_ name: String, _ value: String) throws(Problem) {
        switch name {
        case "theme":
            guard let theme = Theme.all.first(where: { $0.name == value }) else {
                throw Problem(reason: "theme: use \(Theme.all.map(\.name).joined(separator: ", "))")
            }
            view.theme = theme
        case "mouse": view.usesMouse = try Self.isOn(name, value)
        case "title": view.setsTitle = try Self.isOn(name, value)
        case "cover": showsCover = try Self.isOn(name, value)
        case "cover-pictures":
            guard let choice = PictureChoice(rawValue: value) else {
                let names = PictureChoice.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(reason: "cover-pictures: use \(names)")
            }
            view.pictures = choice
        case "remote": if try !Self.isOn(name, value) { add("--no-remote", forEngines: true) }
        case _ where Self.flags.contains(name): if try Self.isOn(name, value) { add("--\(name)") }
        case _ where Self.options.contains(name):
            do {
                _ = try PlayCommand.parse(["--\(name)", value, "a file"])
            } catch {
                let message = PlayCommand.message(for: error)
                throw Problem(reason: message.replacingOccurrences(of: "--\(name)", with: name))
            }
            add("--\(name)", value, forEngines: name == "output" && Self.isOutputOfEngines(value))
        default:
            let known =
                (Self.options + Self.flags + [
                    "theme", "mouse", "title", "cover", "cover-pictures", "remote",
                ]).sorted()
            throw Problem(reason: "there is no setting \(name); use \(known.joined(separator: ", "))")
        }
    }

    /// Whether an engine can play to an output.
    private static func isOutputOfEngines(_ output: String) -> Bool {
        switch OutputChoice(argument: output) {
        case .file, .snapcast: false
        default: true
        }
    }

    private mutating func add(_ words: String..., forEngines isForEngines: Bool = false) {
        arguments += words
        if isForEngines { engineArguments += words }
    }

    private static func isOn(_ name: String, _ value: String) throws(Problem) -> Bool {
        switch value.lowercased() {
        case "yes", "on", "true": return true
        case "no", "off", "false": return false
        default: throw Problem(reason: "\(name): use yes or no")
        }
    }

    private mutating func bind(_ name: String, to value: String) throws(Problem) {
        guard let key = KeyBindings.key(named: name) else {
            throw Problem(
                reason: "there is no key \(name); use a character that is no digit, or "
                    + KeyBindings.namedKeys.joined(separator: ", "))
        }
        let action = PlayerAction(rawValue: value)
        guard action != nil || value == "none" else {
            throw Problem(
                reason: "there is no action \(value); use none, "
                    + PlayerAction.allCases.map(\.rawValue).joined(separator: ", "))
        }
        view.keys.bind(key, to: action)
    }
}
