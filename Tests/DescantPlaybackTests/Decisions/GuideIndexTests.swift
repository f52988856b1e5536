import Foundation
import Testing

/// Checks that the guides list what the sources have: the records of the log, and the variables of the environment.
struct GuideIndexTests {
    private static let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL

    @Test func theGuideListsEveryRecordAndNoOthers() throws {
        let guide = try Self.guide("ReadTheLog")
        let listed = Set(guide.matches(of: /(?m)^\| `(\w+\.\w+)`/).map { String($0.output.1) })
        let logged = try Self.sources(in: ["Sources", "Plugins"])
            .reduce(into: Set<String>()) { $0.formUnion(Self.records(in: $1)) }
        #expect(logged.subtracting(listed).sorted() == [], "the guide lacks these records")
        #expect(listed.subtracting(logged).sorted() == [], "nothing logs these records of the guide")
        #expect(logged.count > 40)
    }

    /// Of a name that is put together at run time, the calls that give its second word are found.
    @Test func namesThatArePutTogetherAreKnown() throws {
        let names = try Self.sources(in: ["Sources", "Plugins"])
            .flatMap { $0.matches(of: /(?:LogRecord|log|logChange|record)\(\s*("\w+\.\\\(\w+\)")/) }
            .map { String($0.output.1) }
        #expect(Set(names) == [#""engine.\(action)""#, #""speech.\(action)""#, #""speech.\(name)""#])
    }

    /// The names of records in a source file: whole ones, and the second words of calls that are logged.
    private static func records(in source: String) -> [String] {
        let whole = source.matches(of: /"((?:session|controller|engine|speech|sherpa)\.[a-z]\w*)"/)
        let made = source.matches(of: /(?:LogRecord|log|logChange|record|recordFailure)\(\s*"(\w+\.\w+)"/)
        let calls = source.matches(of: /\bcall\(\s*\w+,\s*"(\w+)"/).map { "engine.\($0.output.1)" }
        let speech = source.matches(of: /\blogCall(?:back)?\(\s*"(\w+)"/).map { "speech.\($0.output.1)" }
        let names = (whole + made).map { String($0.output.1) } + calls + speech
        // A file, not a record.
        return names.filter { !$0.hasSuffix(".json") }
    }

    @Test func theGuideListsEveryVariable() throws {
        let guide = try Self.guide("OperateDescant")
        let read = try Self.sources(in: ["Sources", "Plugins", "Samples"]).flatMap { source in
            source.matches(of: /(?:nvironment\[|getenv\()"([A-Z_]+)"|"((?:DESCANT|XDG)_[A-Z_]+)"/)
                .compactMap { $0.output.1 ?? $0.output.2 }.map(String.init)
        }
        // A field of the journal.
        let variables = Set(read).subtracting(["DESCANT_EVENT"])
        #expect(variables.filter { !guide.contains("`\($0)`") && !guide.contains("`$\($0)") }.sorted() == [])
        #expect(variables.count > 20)
    }

    private static func guide(_ name: String) throws -> String {
        try String(contentsOf: root.appending(path: "Sources/Descant/Descant.docc/\(name).md"), encoding: .utf8)
    }

    /// The texts of what ships, without tests, fakes and small programs.
    private static func sources(in folders: [String]) throws -> [String] {
        let others = [
            "/Tests/", "/.build/", "/DescantTesting/", "/DescantTestSupport/", "/Benchmarks/", "/Examples/", "/Hosts/",
        ]
        return try folders.flatMap { folder in
            let files = try #require(
                FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil))
            return try files.compactMap { $0 as? URL }
                .filter {
                    $0.pathExtension == "swift" && !others.contains(where: $0.path.dropFirst(root.path.count).contains)
                }
                .map { try String(contentsOf: $0, encoding: .utf8) }
        }
    }
}
