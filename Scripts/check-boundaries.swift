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

/// The targets of the root package, each after those it depends on; only `Descant` imports both services and adapters.
let libraryRules: [String: Rule] = [
    "CDescant": Rule(),
    "CResampling": Rule(),
    "CGStreamer": Rule(),
    "CGStreamerShim": Rule(["CGStreamer"]),
    "CGio": Rule(),
    "CALSA": Rule(),
    "CPulse": Rule(),
    "DescantCore": Rule(["CDescant"], system: platform),
    // Pure parsing, for the engine, the tag writer and the signal tools of tests.
    "DescantContainers": Rule(system: ["Glibc"]),
    "DescantMixing": Rule(["CResampling", "DescantCore"], system: platform),
    "DescantPlayback": Rule(["DescantCore"], system: base),
    "DescantGStreamer": Rule(
        [
            "DescantContainers", "DescantCore", "DescantMixing", "CALSA", "CGio", "CGStreamer", "CGStreamerShim",
            "CPulse",
        ],
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

/// The smallest programs, the smallest plugins, and small apps of one file each.
let smallPrograms = [
    "Player", "RenderMix", "RenderOverlays", "RenderLoudness", "RenderEffect", "SpeechReader", "Hum", "Morse", "Drone",
    "Tape", "Liner", "Sway", "Mono", "HandOver", "Highlight", "Meditation", "OneFile", "TagEditor",
]

/// The layers of the sample app, the programs, and the packages beside it: what each target may import besides Foundation.
let sampleRules: [String: Set<String>] = [
    "TerminalUI": ["PlayerApp"],
    "DesktopUI": ["PlayerApp", "CGtk", "CGtkList"],
    "CGtkList": ["CGtk"],
    "PlayerApp": ["DescantCore", "DescantPlayback"],
    "PlayerIntegration": clientModules.union([
        "PlayerApp", "AudioMeasurement", "DemoMusic", "CLibArchive", "CLibXML2", "CSodium", "CGdkPixbuf",
    ]),
    "AudioMeasurement": [],
    "DemoMusic": ["AudioMeasurement"],
    // The programs connect the layers.
    "descant": ["Descant", "TerminalUI", "PlayerApp", "PlayerIntegration", "ArgumentParser"],
    "descant-desktop": ["Descant", "DesktopUI", "PlayerApp", "PlayerIntegration"],
    "LayeredPlayer": ["Descant", "TerminalUI", "PlayerApp", "PlayerIntegration"],
    // A separate package that any player can use: the media library and its database, without a user interface or playback.
    "MediaLibrary": ["Descant", "GRDB"],
    "descant-library": ["Descant", "MediaLibrary", "ArgumentParser"],
    "descant-ma": ["MusicAssistantKit", "MusicAssistantSettings", "ArgumentParser", "CGioBus"],
    // Measurements, and the work of tests outside their process.
    "descant-bench": ["Descant", "DescantTesting", "DescantTestSupport", "PlayerApp", "CPlaybinPeer", "CTagPeer"],
    "CPlaybinPeer": ["CGStreamerBench"],
    "CTagPeer": ["CTagLibBench"],
    "MutationRun": ["Descant", "DescantTesting", "DescantTestSupport", "PlayerApp", "PlayerIntegration"],
    "LicenseMaking": ["CSodium"],
].merging(smallPrograms.map { ($0, ["Descant"]) }) { rule, _ in rule }

/// The packages of the samples.
let samplePackages = ["Samples", "Samples/DesktopPlayer", "Samples/MediaLibrary", "Samples/MusicAssistantTool"]

/// The layers that lie in packages of their own: the folder of each package.
let layerPackages = ["DesktopUI": "Samples/DesktopPlayer"]

/// The folder of a layer's sources.
func layerFolder(_ layer: String) -> String { "\(layerPackages[layer] ?? "Samples")/Sources/\(layer)" }

/// The layers of the sample app that show something; they know the application only.
let viewLayers: Set<String> = ["TerminalUI", "DesktopUI"]

/// The class that makes the calls of a given service on a thread of its own, for callers that must not wait. It creates no service.
let serviceCallers: Set<String> = ["AsyncPlaybackService"]

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

/// The Swift files below a folder. A folder without any, such as one that was renamed, is a finding: nothing of it is checked.
func swiftFiles(below folder: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let files = names.filter { $0.hasSuffix(".swift") }.sorted().map { "\(folder)/\($0)" }
    if files.isEmpty {
        findings.append("\(folder): there is no Swift file to check; name the folder in Scripts/check-boundaries.swift")
    }
    return files
}

func lines(of file: String) throws -> [Substring] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
}

/// The imports of a file, with attributes, access level and kind, such as `@_exported public import struct Foundation.URL`.
func imports(in file: String) throws -> [Import] {
    let pattern = #/^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(public|package|internal|private|fileprivate)\s+)?import\s+/#
    return try lines(of: file).enumerated().compactMap { index, line in
        // A plain search first: the expression takes hundred times as long.
        guard line.contains("import "), let match = line.prefixMatch(of: pattern) else { return nil }
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
    for (index, line) in try lines(of: file).enumerated()
    where open != nil || line.contains("public") || line.contains("open") {
        let text = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
            .trimmingCharacters(in: .whitespaces)
        if open == nil, text.contains(#/\b(public|open)\b.*\b(func|var|let|init|subscript|typealias|case)\b/#) {
            open = ("", "\(file):\(index + 1)")
        }
        guard var declaration = open else { continue }
        // A value may be that of a closure.
        let isProperty = text.contains(#/\b(var|let)\s+\w+\s*=/#)
        declaration.text += isProperty ? text[...] : text.prefix { $0 != "{" }
        let isClosed = declaration.text.count(where: { $0 == "(" }) == declaration.text.count(where: { $0 == ")" })
        open = isClosed ? nil : declaration
        if isClosed { found.append(declaration) }
    }
    return found
}

/// The code of a line, without a comment at its end.
func code(of line: Substring) -> Substring {
    line.firstRange(of: #/(^|\s)\/\//#).map { line[..<$0.lowerBound] } ?? line
}

/// A type that clients of a module can name.
struct PublicType {
    let kind: String
    let name: String
    /// The types that its declaration names as inherited.
    let inherited: Set<String>
}

/// The public types that the files below a folder declare.
func publicTypes(below folder: String) throws -> [PublicType] {
    let pattern = #/^public (?:final )?(protocol|class|struct|actor|enum) (\w+)([^{]*)/#
    return try swiftFiles(below: folder).flatMap { try lines(of: $0) }.compactMap { line in
        guard line.hasPrefix("public "), let match = line.prefixMatch(of: pattern) else { return nil }
        let words = match.output.3.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" })
        return PublicType(
            kind: String(match.output.1), name: String(match.output.2), inherited: Set(words.map(String.init)))
    }
}

/// The types of the library that not every layer may name. They come from the sources, so that a new port is known at once.
struct LibraryTypes {
    /// Protocols of ports.
    var ports: Set<String> = []
    /// Types that conform to a port.
    var adapters: Set<String> = []
    /// Protocols of services.
    var services: Set<String> = []
    /// Classes and actors that are services.
    var implementations: Set<String> = []

    init() throws {
        let core = try publicTypes(below: "Sources/DescantCore")
        ports = Set(core.filter { $0.kind == "protocol" && $0.name.hasSuffix("Port") }.map(\.name))
        for type in try publicTypes(below: "Sources") {
            if type.kind == "protocol" {
                if type.name.hasSuffix("Service") { services.insert(type.name) }
            } else if !type.inherited.isDisjoint(with: ports) {
                adapters.insert(type.name)
            }
        }
        let roles = ["Service", "Controller", "Coordinator"]
        implementations = Set(
            try publicTypes(below: "Sources/DescantPlayback").filter { type in
                ["class", "actor"].contains(type.kind) && roles.contains { type.name.hasSuffix($0) }
            }.map(\.name)
        ).subtracting(serviceCallers)
    }
}

/// Reports the files below a folder whose code names a type.
func checkNames(below folder: String, _ forbidden: Set<String>, _ reason: String) throws {
    for file in swiftFiles(below: folder) {
        for (index, line) in try lines(of: file).enumerated() {
            let words = Set(
                code(of: line).split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).map(String.init))
            for name in words.intersection(forbidden).sorted() {
                findings.append("\(file):\(index + 1): \(reason): \(name)")
            }
        }
    }
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
        if !isCModule(target.name) { try checkSources(of: target.name, rule: rule) }
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
    for target in package.targets where target.type == "regular" && !isCModule(target.name) {
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
    let folders = [
        "Samples/Sources", "Samples/DesktopPlayer/Sources", "Samples/Examples", "Samples/Hosts", "Samples/Benchmarks",
        "Tests/Integration",
    ]
    for file in folders.flatMap(swiftFiles) {
        for entry in try imports(in: file) where hidden.contains(entry.module) {
            findings.append("\(entry.place): \(entry.module) is not part of the library's product")
        }
    }
    for package in samplePackages {
        for target in try dumpPackage(at: package).targets where !["test", "system"].contains(target.type) {
            guard let allowed = sampleRules[target.name] else {
                findings.append(
                    "target \(target.name) of \(package): no rule; add one to Scripts/check-boundaries.swift")
                continue
            }
            try checkSample(target, allowed, in: package)
        }
    }
}

/// A target of the samples: what it depends on, and what it imports.
func checkSample(_ target: Package.Target, _ allowed: Set<String>, in package: String) throws {
    let products = allowed.union(allowed.isDisjoint(with: clientModules) ? [] : ["Descant"])
    for name in target.dependencyNames.subtracting(products).sorted() {
        findings.append("\(package)/Package.swift: \(target.name) must not depend on \(name)")
    }
    guard !isCModule(target.name) else { return }
    let visible = allowed.union(platform).union(["Observation"])
    for file in swiftFiles(below: "\(package)/\(target.path ?? "Sources/\(target.name)")") {
        for entry in try imports(in: file) where !visible.contains(entry.module) {
            findings.append("\(entry.place): \(target.name) must not import \(entry.module)")
        }
    }
}

/// The layers of the sample app: what they may name.
func checkLayers() throws {
    let types = try LibraryTypes()
    let made = types.adapters.union(types.implementations)
    try checkNames(below: "Samples/Sources/PlayerApp", types.ports, "the application uses no port, it uses a service")
    try checkNames(below: "Samples/Sources/PlayerApp", made, "the application makes nothing, its factory does")
    let products: Set<String> = ["IAPManager", "FreeTierIAPManager", "LicenseFileIAPManager", "CoreFactory"]
    for layer in viewLayers.sorted() {
        try checkNames(
            below: layerFolder(layer), made.union(types.ports).union(types.services).union(serviceCallers),
            "a view calls the state, not the library")
        try checkNames(below: layerFolder(layer), products, "a view reads isProUser of the state")
    }
    try checkHandedOut(types.ports.union(types.adapters))
    // Services and adapters know no products, views or states of an app.
    let appTerms = products.union(["AppState", "ProStatus", "ProFormat", "ViewPreferences", "isProUser", "isPro"])
    for folder in ["Sources", "Plugins"] {
        try checkNames(below: folder, appTerms, "the library knows no product and no state of an app")
    }
}

/// The integration layer may use ports and adapters, and hands out none.
func checkHandedOut(_ kept: Set<String>) throws {
    for file in swiftFiles(below: "Samples/Sources/PlayerIntegration") {
        for declaration in try publicDeclarations(in: file) + membersWithoutModifier(in: file) {
            for name in Set(handedOut(by: declaration.text)).intersection(kept).sorted() {
                findings.append("\(declaration.place): the integration layer hands out no port and no adapter: \(name)")
            }
        }
    }
}

/// The members of public enumerations, protocols and extensions that are public without saying so.
func membersWithoutModifier(in file: String) throws -> [(text: String, place: String)] {
    var found: [(String, String)] = []
    /// Whether only the cases of the open type are public, and how many braces are open within it.
    var scope: (hasCases: Bool, depth: Int)?
    for (index, line) in try lines(of: file).enumerated() {
        let text = code(of: line).trimmingCharacters(in: .whitespaces)
        if scope == nil {
            guard text.contains("{") else { continue }
            if text.contains(#/^public (indirect )?enum\b/#) {
                scope = (true, 0)
            } else if text.contains(#/^public (protocol|extension)\b/#) {
                scope = (false, 0)
            }
        } else if let scope, scope.depth == 1 {
            let isMember =
                scope.hasCases
                ? text.contains(#/^(indirect )?case\b/#)
                : text.contains(#/^(static |mutating )*(func|var|let|init|subscript|typealias)\b/#)
            if isMember { found.append((text, "\(file):\(index + 1)")) }
        }
        guard var open = scope else { continue }
        open.depth += text.count { $0 == "{" } - text.count { $0 == "}" }
        scope = open.depth > 0 ? open : nil
    }
    return found
}

/// The names of types that a public declaration gives to its clients.
func handedOut(by declaration: String) -> [String] {
    // The type of a property may be that of its value.
    if let match = declaration.firstMatch(of: #/\b(var|let)\s+\w+\s*=/#) {
        return words(declaration[match.range.upperBound...])
    }
    let text = declaration.prefix { $0 != "{" }
    if let match = text.firstMatch(of: #/\b(func\b.*?|init[?!]?|subscript)\s*(<[^(]*>)?\s*\(/#) {
        let parameters = text[match.range.upperBound...]
        let end = closing(parameters)
        let result = parameters[end...].firstRange(of: "->").map { parameters[$0.upperBound...] } ?? ""
        let type = result.firstRange(of: " where ").map { result[..<$0.lowerBound] } ?? result
        return names(in: parameters[..<end], isGiven: false) + names(in: type, isGiven: true)
    }
    if let match = text.firstMatch(of: #/\b(var|let)\s+\w+\s*:/#) {
        return words(text[match.range.upperBound...].prefix { $0 != "=" })
    }
    return text.contains(#/\b(case|typealias)\b/#) ? words(text) : []
}

/// The place of the parenthesis that closes the one before a text.
func closing(_ text: Substring) -> Substring.Index {
    var depth = 1
    for index in text.indices {
        if text[index] == "(" { depth += 1 } else if text[index] == ")" { depth -= 1 }
        if depth == 0 { return index }
    }
    return text.endIndex
}

/// The names in a type that are given to a client: those in its results, and in the parameters of closures that it passes.
///
/// - Parameters:
///   - type: A type, or several with their labels.
///   - isGiven: Whether the client is given the value; otherwise it passes it.
func names(in type: Substring, isGiven: Bool) -> [String] {
    var (depth, start) = (0, type.startIndex)
    var parts: [Substring] = []
    for index in type.indices {
        if "([".contains(type[index]) { depth += 1 } else if ")]".contains(type[index]) { depth -= 1 }
        guard depth == 0, type[index] == "," else { continue }
        parts.append(type[start..<index])
        start = type.index(after: index)
    }
    parts.append(type[start...])
    if parts.count > 1 { return parts.flatMap { names(in: $0, isGiven: isGiven) } }
    // The first arrow outside of parentheses divides a function type.
    depth = 0
    for index in type.indices {
        if "([".contains(type[index]) { depth += 1 } else if ")]".contains(type[index]) { depth -= 1 }
        guard depth == 0, type[index...].hasPrefix("->") else { continue }
        return names(in: type[..<index], isGiven: !isGiven) + names(in: type[index...].dropFirst(2), isGiven: isGiven)
    }
    guard let open = type.firstIndex(of: "("), type[open...].contains("->") else { return isGiven ? words(type) : [] }
    let inner = type[type.index(after: open)...]
    return names(in: inner[..<closing(inner)], isGiven: isGiven)
}

/// The words of a text.
func words(_ text: Substring) -> [String] {
    text.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).map(String.init)
}

/// On Linux the time limit of a dispatch semaphore, an NSCondition or sem_timedwait follows the date: setting the clock back
/// extends the wait. EventCount and descant_semaphore_wait use the monotonic clock.
func checkWaits() throws {
    for file in swiftFiles(below: "Sources") + swiftFiles(below: "Plugins") + swiftFiles(below: "Samples/Sources")
        + swiftFiles(below: "Samples/DesktopPlayer/Sources")
    {
        for (index, line) in try lines(of: file).enumerated()
        where (line.contains("wait(") || line.contains("wallDeadline"))
            && line.contains(#/\.wait\((timeout|wallTimeout|until): |\bsem_timedwait\(|\bwallDeadline: /#)
        {
            findings.append("\(file):\(index + 1): a wait by the date; use EventCount or descant_semaphore_wait")
        }
    }
}

try checkLibrary()
try checkPlugins()
try checkWaits()
try checkClients()
try checkLayers()
guard findings.isEmpty else {
    print(Set(findings).sorted().map { "error: \($0)" }.joined(separator: "\n"))
    exit(1)
}
print("boundaries: every target keeps to its rule")
