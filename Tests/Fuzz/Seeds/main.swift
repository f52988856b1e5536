import Foundation

// Writes the small files of the container tests into a folder, for Scripts/fuzz.sh.

let folder = URL(fileURLWithPath: CommandLine.arguments[1])
for file in SmallFile.allCases {
    try Data(file.bytes()).write(to: folder.appendingPathComponent("seed-\(file.rawValue)"))
}
