// Turns two dumps of swift-api-digester into one line per declaration, for Scripts/check-abi.sh.
//
//   dump-abi.swift API.json ABI.json
//
// The API dump has the public declarations. The ABI dump has the mangled names and the order of stored properties, cases and
// requirements. From its declarations that are not public, only stored properties are taken, which are part of a type's layout, and the structs
// and enums that these hold.

import Foundation

struct Node: Decodable {
    var printedName: String?
    var declKind: String?
    var usr: String?
    var mangledName: String?
    var fixedbinaryorder: Int?
    var protocolReq: Bool?
    var declAttributes: [String]?
    /// Whether the type is another module's, which this one extends.
    var isExternal: Bool?
    var conformances: [Conformance]?
    var children: [Node]?

    struct Conformance: Decodable {
        var printedName: String
    }

    var declarations: [Node] { (children ?? []).filter { $0.declKind != nil && $0.declKind != "Import" } }
}

struct Dump: Decodable {
    enum CodingKeys: String, CodingKey {
        case root = "ABIRoot"
    }

    var root: Node
}

func read(_ path: String) throws -> Node {
    try JSONDecoder().decode(Dump.self, from: Data(contentsOf: URL(fileURLWithPath: path))).root
}

/// The identities of everything public.
func identities(_ node: Node) -> Set<String> {
    Set(node.declarations.flatMap { [$0.usr].compactMap { $0 } + identities($0) })
}

/// The entry type's name tells the ABI number and the Swift release; the dump is to stay the same for both.
func neutral(_ text: String) -> String {
    text.replacing(/[0-9]*PluginEntry_abi[0-9]+_swift[0-9]+_[0-9]+/, with: "PluginEntry")
}

func line(_ node: Node, path: String, requirement: Int?) -> String {
    var words = [(node.declKind ?? "").lowercased(), path]
    if let conformances = node.conformances, !conformances.isEmpty {
        words.append(": " + Set(conformances.map(\.printedName)).sorted().joined(separator: ", "))
    }
    if let order = node.fixedbinaryorder {
        words.append(node.declKind == "EnumElement" ? "case \(order)" : "stored \(order)")
    }
    if let requirement { words.append("requirement \(requirement)") }
    if (node.declAttributes ?? []).contains("Final") { words.append("final") }
    if let name = node.mangledName { words.append(name) }
    return neutral(words.joined(separator: " "))
}

/// The declarations that are part of a layout, by their identities.
func structures(_ node: Node) -> [String: Node] {
    node.declarations.reduce(into: [:]) { all, child in
        if let usr = child.usr, child.isExternal != true, child.declKind == "Struct" || child.declKind == "Enum" {
            all[usr] = child
        }
        all.merge(structures(child)) { first, _ in first }
    }
}

/// The identities of the types that stored properties and cases name.
func heldTypes(_ node: Node) -> Set<String> {
    func named(_ type: Node) -> [String] { [type.usr].compactMap { $0 } + (type.children ?? []).flatMap(named) }
    let members = node.declarations.filter { $0.fixedbinaryorder != nil || $0.declKind == "EnumElement" }
    return Set(members.flatMap { ($0.children ?? []).filter { $0.declKind == nil }.flatMap(named) })
}

/// The public declarations, and the structs and enums that public types store, directly or indirectly: plugins depend on their layout, too.
func visible(in root: Node, isPublic: Set<String>) -> Set<String> {
    let all = structures(root)
    var found = isPublic
    var waiting = Array(isPublic)
    while let usr = waiting.popLast() {
        guard let node = all[usr] else { continue }
        for held in heldTypes(node) where all[held] != nil && found.insert(held).inserted { waiting.append(held) }
    }
    return found
}

func lines(_ node: Node, within parent: String, isPublic: Set<String>) -> [String] {
    var requirements = 0
    return node.declarations.flatMap { child -> [String] in
        let path = [parent, child.printedName ?? "?"].filter { !$0.isEmpty }.joined(separator: ".")
        var requirement: Int?
        if child.protocolReq == true {
            requirement = requirements
            requirements += 1
        }
        let isLayout = child.fixedbinaryorder != nil
        guard isLayout || child.usr.map(isPublic.contains) == true else { return [] }
        return [line(child, path: path, requirement: requirement)] + lines(child, within: path, isPublic: isPublic)
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { fatalError("usage: dump-abi.swift API.json ABI.json") }
let abi = try read(arguments[2])
let isPublic = visible(in: abi, isPublic: identities(try read(arguments[1])))
for line in lines(abi, within: "", isPublic: isPublic) { print(line) }
