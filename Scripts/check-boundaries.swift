// Checks the dependencies, imports and public signatures of every target against an allow-list.
// Run by `make check-boundaries` from the root of the repository. A new target fails until it has a rule here.

import Foundation

// MARK: - The rules

/// The modules that one target of the library may use.
struct Rule {
    /// Targets it may declare as dependencies and import.
    let targets: Set<String>
    /// Modules of the toolchain and the system it may import besides.
    let system: Set<String>

    init(_ targets: Set<String> = [], system: Set<String> = []) {
        self.targets = targets
        self.system = system
    }
}

let base: Set<String> = ["Foundation", "Synchronization", "Dispatch"]
let platform: Set<String> = base.union(["Glibc"])
let nio: Set<String> = ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket"]

/// The targets of the root package, from the ground up; only `Descant` sees services and adapters together.
let libraryRules: [String: Rule] = [
    "CDescant": Rule(),
    "CResampling": Rule(),
    "CGStreamer": Rule(),
    "CGStreamerShim": Rule(["CGStreamer"]),
    "CGio": Rule(),
    "CPulse": Rule(),
    "DescantCore": Rule(["CDescant"], system: platform),
    // Pure parsing, for the engine, the tag writer and the signal tools of tests.
    "DescantContainers": Rule(system: ["Glibc"]),
    "DescantMixing": Rule(["CResampling", "DescantCore"], system: platform),
    "DescantPlayback": Rule(["DescantCore"], system: base),
    "DescantGStreamer": Rule(
        ["DescantContainers", "DescantCore", "DescantMixing", "CGStreamer", "CGStreamerShim", "CPulse"],
        system: platform),
    "DescantDesktop": Rule(["DescantCore", "CGio", "CPulse", "Logging"], system: platform),
    "CTagLib": Rule(),
    "CTagLibShim": Rule(["CTagLib"]),
    "DescantTagLib": Rule(["DescantContainers", "DescantCore", "CTagLibShim"], system: platform),
    "Descant": Rule(
        ["DescantCore", "DescantMixing", "DescantPlayback", "DescantGStreamer", "DescantDesktop", "DescantTagLib"],
        system: platform),
    // Ships inside the product: suites return findings, so no test framework is imported.
    "DescantTesting": Rule(
        ["DescantContainers", "DescantCore", "DescantMixing", "DescantPlayback"], system: platform),
    // Tests link it in addition to the product, so it must not contain a second copy of the core.
    "DescantTestSupport": Rule(system: platform),
    // Usable without Descant; TLS is a target of its own, because it takes minutes to compile.
    "MusicAssistantKit": Rule(nio, system: platform),
    "MusicAssistantTLS": Rule(["MusicAssistantKit", "NIOCore", "NIOSSL"], system: base),
]

/// Libraries beside the dynamic product; they carry nothing of the core.
let plainLibraries: Set<String> = ["DescantTestSupport", "MusicAssistantKit", "MusicAssistantTLS"]

/// The modules that clients of the dynamic product may import.
let clientModules: Set<String> = ["Descant", "DescantCore", "DescantPlayback", "DescantTesting"]

/// The layers of the sample app: what each may import besides Foundation and its own C modules.
let sampleRules: [String: Set<String>] = [
    "TerminalUI": ["PlayerApp"],
    "DesktopUI": ["PlayerApp"],
    "PlayerApp": ["DescantCore", "DescantPlayback"],
    "PlayerIntegration": clientModules.union(["PlayerApp", "AudioMeasurement", "DemoMusic", "CLibArchive", "CLibXML2"]),
    "AudioMeasurement": [],
    "DemoMusic": ["AudioMeasurement"],
]

/// Modules of C code: they stay inside the target that adapts them, so they are imported `internal`.
func isCModule(_ name: String) -> Bool {
    name.count > 1 && name.hasPrefix("C") && name.dropFirst().first?.isUppercase == true && name != "CoreFoundation"
}

// MARK: - The manifest, from `swift package dump-package`

struct Package: Decodable {
    struct Target: Decodable {
        let name: String
        let type: String
        let path: String?
        let dependencies: [[String: [String?]]]

        enum CodingKeys: String, CodingKey { case name, type, path, dependencies }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            type = try values.decode(String.self, forKey: .type)
            path = try values.decodeIfPresent(String.self, forKey: .path)
            dependencies = try values.decode([[String: Loose]].self, forKey: .dependencies)
                .map { $0.mapValues(\.strings) }
        }

        /// Names of the targets and products that this target declares.
        var dependencyNames: Set<String> { Set(dependencies.flatMap(\.values).compactMap { $0.first ?? nil }) }
    }

    struct Product: Decodable {
        let name: String
        let targets: [String]
        let type: [String: [String]?]
        var isDynamicLibrary: Bool { (type["library"] ?? nil) == ["dynamic"] }
        var isLibrary: Bool { type.keys.contains("library") }
    }

    let name: String
    let targets: [Target]
    let products: [Product]
}

/// An array of strings, nulls and conditions, of which only the strings matter.
struct Loose: Decodable {
    let strings: [String?]

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        var found: [String?] = []
        while !values.isAtEnd {
            if let text = try? values.decode(String.self) {
                found.append(text)
            } else {
                _ = try values.superDecoder()
                found.append(nil)
            }
        }
        strings = found
    }
}

func dumpPackage(at path: String) throws -> Package {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "package", "--package-path", path, "dump-package"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try JSONDecoder().decode(Package.self, from: data)
}

// MARK: - The sources

struct Import {
    let module: String
    let access: String
    let place: String
}

/// The Swift files below a folder.
func swiftFiles(below folder: String) -> [String] {
    guard let names = FileManager.default.enumerator(atPath: folder) else { return [] }
    return names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted().map { "\(folder)/\($0)" }
}

func lines(of file: String) throws -> [Substring] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
}

/// The imports of a file, with attributes, access level and kind, such as `@_exported public import struct Foundation.URL`.
func imports(in file: String) throws -> [Import] {
    let pattern = #/^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(public|package|internal|private|fileprivate)\s+)?import\s+/#
    return try lines(of: file).enumerated().compactMap { index, line in
        guard let match = line.prefixMatch(of: pattern) else { return nil }
        let words = line[match.range.upperBound...].split(separator: " ")
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        guard let path = words.first(where: { !kinds.contains($0) }) else { return nil }
        return Import(
            module: String(path.split(separator: ".")[0]), access: String(match.output.1 ?? "internal"),
            place: "\(file):\(index + 1)")
    }
}

/// The declarations of a file that a client can see, each joined to one line with its place.
func publicDeclarations(in file: String) throws -> [(text: String, place: String)] {
    var found: [(String, String)] = []
    var open: (text: String, place: String)?
    for (index, line) in try lines(of: file).enumerated() {
        let text = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
            .trimmingCharacters(in: .whitespaces)
        if open == nil, text.contains(#/\b(public|open)\b.*\b(func|var|let|init|subscript|typealias|case)\b/#) {
            open = ("", "\(file):\(index + 1)")
        }
        guard var declaration = open else { continue }
        declaration.text += text.prefix { $0 != "{" }
        let isClosed = declaration.text.count(where: { $0 == "(" }) == declaration.text.count(where: { $0 == ")" })
        open = isClosed ? nil : declaration
        if isClosed { found.append(declaration) }
    }
    return found
}

// MARK: - The checks

var findings: [String] = []

func checkLibrary() throws {
    let package = try dumpPackage(at: ".")
    for target in package.targets where target.type != "test" {
        guard let rule = libraryRules[target.name] else {
            findings.append("target \(target.name): no rule; add one to Scripts/check-boundaries.swift")
            continue
        }
        for name in target.dependencyNames.subtracting(rule.targets).sorted() {
            findings.append("Package.swift: \(target.name) must not depend on \(name)")
        }
        try checkSources(of: target.name, rule: rule)
    }
    let carriers = package.products.filter { product in
        product.isLibrary && product.targets.contains { libraryRules[$0] != nil && !plainLibraries.contains($0) }
    }
    if carriers.map(\.name) != ["Descant"] || !carriers.allSatisfy(\.isDynamicLibrary) {
        let names = carriers.map(\.name).joined(separator: ", ")
        findings.append("Package.swift: exactly one dynamic product, Descant, may carry the core; found \(names)")
    }
}

func checkSources(of target: String, rule: Rule) throws {
    for file in swiftFiles(below: "Sources/\(target)") {
        for entry in try imports(in: file) {
            if !rule.targets.union(rule.system).contains(entry.module) {
                findings.append("\(entry.place): \(target) must not import \(entry.module)")
            }
            if isCModule(entry.module), ["public", "package"].contains(entry.access) {
                findings.append("\(entry.place): \(entry.module) stays inside its target: internal import")
            }
        }
        // Plugins are entered through C, so the contract in the core may speak of pointers. Elsewhere only those to
        // samples, which the ports have, may show.
        guard target != "DescantCore" else { continue }
        for declaration in try publicDeclarations(in: file)
        where declaration.text.contains(#/\b(OpaquePointer|Unsafe(Mutable)?(RawPointer|Pointer<(?!Float>)))/#) {
            findings.append("\(declaration.place): a C pointer in a public signature")
        }
    }
}

/// Plugins see the library's product and C modules of their own package, never each other.
func checkPlugins() throws {
    guard FileManager.default.fileExists(atPath: "Plugins/Package.swift") else { return }
    let package = try dumpPackage(at: "Plugins")
    let cModules = Set(package.targets.map(\.name).filter(isCModule))
    for target in package.targets where target.type == "regular" {
        for name in target.dependencyNames.subtracting(cModules).subtracting(["Descant"]).sorted() {
            findings.append("Plugins/Package.swift: \(target.name) must not depend on \(name)")
        }
        let allowed = clientModules.union(platform).union(cModules)
        for file in swiftFiles(below: target.path.map { "Plugins/\($0)" } ?? "Plugins/Sources/\(target.name)") {
            for entry in try imports(in: file) where !allowed.contains(entry.module) {
                findings.append("\(entry.place): plugin \(target.name) must not import \(entry.module)")
            }
        }
    }
    for product in package.products where product.isLibrary && !product.isDynamicLibrary {
        findings.append("Plugins/Package.swift: product \(product.name) must be a dynamic library")
    }
}

/// Samples and integration tests use the library as an outsider does; the app's layers keep to their table.
func checkClients() throws {
    let hidden = Set(libraryRules.keys).subtracting(clientModules).subtracting(plainLibraries)
    let folders = ["Samples/Sources", "Samples/Examples", "Samples/Hosts", "Samples/Benchmarks", "Tests/Integration"]
    for file in folders.flatMap(swiftFiles) {
        for entry in try imports(in: file) where hidden.contains(entry.module) {
            findings.append("\(entry.place): \(entry.module) is not part of the library's product")
        }
    }
    for (layer, allowed) in sampleRules {
        let visible = allowed.union(platform).union(["Observation"])
        for file in swiftFiles(below: "Samples/Sources/\(layer)") {
            for entry in try imports(in: file) where !visible.contains(entry.module) {
                findings.append("\(entry.place): layer \(layer) must not import \(entry.module)")
            }
        }
    }
}

/// On Linux the time limit of a dispatch semaphore, an NSCondition or sem_timedwait follows the date: setting the clock back
/// extends the wait. EventCount and descant_semaphore_wait use the monotonic clock.
func checkWaits() throws {
    for file in swiftFiles(below: "Sources") + swiftFiles(below: "Plugins") + swiftFiles(below: "Samples/Sources") {
        for (index, line) in try lines(of: file).enumerated()
        where line.contains(#/\.wait\((timeout|wallTimeout|until): |\bsem_timedwait\(|\bwallDeadline: /#) {
            findings.append("\(file):\(index + 1): a wait by the date; use EventCount or descant_semaphore_wait")
        }
    }
}

try checkLibrary()
try checkPlugins()
try checkWaits()
try checkClients()
guard findings.isEmpty else {
    print(findings.map { "error: \($0)" }.joined(separator: "\n"))
    exit(1)
}
print("boundaries: every target keeps to its rule")
