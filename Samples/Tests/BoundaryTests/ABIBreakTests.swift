import Foundation
import Testing

/// Scripts/abi-breaks.py on the dump of the plugin ABI and a copy with a change: whether it breaks plugins that are built.
@Suite(.timeLimit(.minutes(2))) struct ABIBreakTests {
    /// A change of the dump, and what is reported of it: nothing when built plugins stay intact.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var removed: [String] = []
        var added: [String] = []
        var report: [String] = []
    }

    private static let identifier = "var AudioDevice.identifier stored 0 $s11DescantCore11AudioDeviceV10identifierSSvp"
    private static let name = "var AudioDevice.name stored 1 $s11DescantCore11AudioDeviceV4nameSSvp"
    private static let reset = "func AudioEffect.reset() requirement 6 $s11DescantCore11AudioEffectP5resetyyF"

    static let changes: [Change] = [
        Change(testDescription: "none"),
        Change(
            testDescription: "a stored property in a struct",
            added: ["var AudioDevice.planted stored 2 $s11DescantCore11AudioDeviceV7plantedSSvp"],
            report: ["AudioDevice.planted, stored 2, is new in the struct AudioDevice"]),
        Change(
            testDescription: "a case of an enum",
            added: ["enumelement AudioSessionEvent.planted case 7 $s11DescantCore17AudioSessionEventO7plantedyA2CmF"],
            report: ["AudioSessionEvent.planted, case 7, is new in the enum AudioSessionEvent"]),
        Change(
            testDescription: "a requirement of a protocol",
            added: ["func AudioEffect.planted() requirement 7 $s11DescantCore11AudioEffectP7plantedyyF"],
            report: ["AudioEffect.planted(), requirement 7, is new in the protocol AudioEffect"]),
        Change(
            testDescription: "stored properties in another order", removed: [identifier, name],
            added: [
                identifier.replacingOccurrences(of: "stored 0", with: "stored 1"),
                name.replacingOccurrences(of: "stored 1", with: "stored 0"),
            ],
            report: [
                "AudioDevice.identifier was stored 0, and is stored 1",
                "AudioDevice.name was stored 1, and is stored 0",
            ]),
        Change(
            testDescription: "a stored property that is computed", removed: [name],
            added: [name.replacingOccurrences(of: "stored 1 ", with: "")],
            report: ["AudioDevice.name was stored 1, and is none"]),
        Change(
            testDescription: "a requirement less", removed: [reset], report: ["AudioEffect.reset() is gone"]),
        Change(
            testDescription: "a function",
            added: ["func AudioDevice.planted() $s11DescantCore11AudioDeviceV7plantedyyF"]),
        Change(
            testDescription: "a struct of its own",
            added: [
                "struct Planted : Copyable, Escapable $s11DescantCore7PlantedV",
                "var Planted.name stored 0 $s11DescantCore7PlantedV4nameSSvp",
            ]),
        Change(
            testDescription: "a stored property behind those of a class",
            added: ["var AsyncSemaphore.planted stored 2 final $s11DescantCore14AsyncSemaphoreC7plantedSivp"]),
    ]

    /// The folder of this repository.
    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test(arguments: changes) func changesOfALayoutAreFoundAndNothingElse(change: Change) throws {
        let dump = root.appendingPathComponent("Scripts/plugin-abi.txt")
        var lines = try String(contentsOf: dump, encoding: .utf8).split(separator: "\n").map(String.init)
        for line in change.removed {
            let index = try #require(lines.firstIndex(of: line), "Scripts/plugin-abi.txt has changed: \(line)")
            lines.remove(at: index)
        }
        let changed = FileManager.default.temporaryDirectory.appendingPathComponent("abi-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: changed) }
        try Data(((lines + change.added).joined(separator: "\n") + "\n").utf8).write(to: changed)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", root.appendingPathComponent("Scripts/abi-breaks.py").path, dump.path, changed.path,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let found = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(process.terminationStatus == (change.report.isEmpty ? 0 : 1))
        #expect(found.sorted() == change.report)
    }
}
