// Fails when fewer public symbols of a module than the minimum share have a documentation comment, and prints the others.
// Usage: swift Scripts/check-doc-coverage.swift MODULE SYMBOLGRAPH MINIMUM-PERCENT

import Foundation

struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable { let precise: String }
        struct Kind: Decodable { let displayName: String }
        struct Comment: Decodable {}
        struct Location: Decodable {
            struct Position: Decodable { let line: Int }
            let uri: String
            let position: Position
        }

        let identifier: Identifier
        let kind: Kind
        let pathComponents: [String]
        let docComment: Comment?
        let location: Location?

        /// Symbols that the compiler synthesizes have no place in the sources.
        var isWritten: Bool { location != nil && !identifier.precise.contains("::SYNTHESIZED::") }
    }

    let symbols: [Symbol]
}

guard CommandLine.arguments.count == 4, let minimum = Double(CommandLine.arguments[3]) else {
    print("usage: check-doc-coverage.swift MODULE SYMBOLGRAPH MINIMUM-PERCENT")
    exit(64)
}
let module = CommandLine.arguments[1]
let data = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[2]))
let symbols = try JSONDecoder().decode(SymbolGraph.self, from: data).symbols.filter(\.isWritten)
let bare = symbols.filter { $0.docComment == nil }
let percent = symbols.isEmpty ? 100 : 100 * Double(symbols.count - bare.count) / Double(symbols.count)

let summary = "\(module): \(symbols.count - bare.count) of \(symbols.count) public symbols documented"
print("\(summary) (\(String(format: "%.1f", percent)) %)")
if percent < minimum {
    for symbol in bare {
        let place = symbol.location.map { "\($0.uri.replacing("file://", with: "")):\($0.position.line + 1)" } ?? "?"
        print("error: \(place): \(symbol.kind.displayName) \(symbol.pathComponents.joined(separator: ".")) has none")
    }
    exit(1)
}
