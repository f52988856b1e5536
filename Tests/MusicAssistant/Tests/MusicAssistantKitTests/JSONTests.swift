import ClientTestSupport
import Foundation
import MusicAssistantKit
import Testing

@Suite(.timeLimit(.minutes(2)))
struct JSONTests {
    @Test func valuesKeepTheirTypes() throws {
        let json = try JSONValue(parsing: #"{"i":2,"d":2.0,"b":true,"n":null,"s":"x","a":[1,{"deep":-3}],"e":1e3}"#)
        #expect(json["i"] == .int(2))
        #expect(json["d"] == .double(2))
        #expect(json["b"] == .bool(true))
        #expect(json["n"] == .null)
        #expect(json["a"]?[1]?["deep"] == .int(-3))
        #expect(json["a"]?[2] == nil)
        #expect(json["e"]?.intValue == 1000)
        #expect(json["i"]?.doubleValue == 2)
        #expect(json["s"]?.intValue == nil)
        #expect(json.jsonString == #"{"a":[1,{"deep":-3}],"b":true,"d":2.0,"e":1000.0,"i":2,"n":null,"s":"x"}"#)
    }

    @Test func literalsCreateValues() {
        let json: JSONValue = ["text": "a", "list": [1, 2.5, true, .null]]
        #expect(json.jsonString == #"{"list":[1,2.5,true,null],"text":"a"}"#)
    }

    @Test(arguments: [
        (#""\u00e9\ud83c\udfb5\n\/\"\\""#, "é🎵\n/\"\\"), (#""\ud83c""#, "\u{FFFD}"), (#""\ud83cx""#, "\u{FFFD}x"),
        (#""\udfb5\u0041""#, "\u{FFFD}A"), (#""\ud83c\u0041""#, "\u{FFFD}A"), (#""日の出""#, "日の出"), (#""""#, ""),
    ])
    func stringsAreUnescaped(_ text: String, _ value: String) throws {
        #expect(try JSONValue(parsing: text) == .string(value))
        #expect(try JSONValue(parsing: JSONValue.string(value).jsonString) == .string(value))
    }

    @Test(arguments: [
        ("9223372036854775807", JSONValue.int(.max)), ("9223372036854775808", .double(9_223_372_036_854_775_808)),
        ("-0", .int(0)), ("-0.5e-1", .double(-0.05)), ("NaN", .null), ("-Infinity", .null),
        ("1e400", .double(.infinity)),
        (" [ ] ", .array([])), ("{ }", .object([:])), (#"{"a":1,"a":2}"#, .object(["a": 2])),
    ])
    func oddValues(_ text: String, _ value: JSONValue) throws { #expect(try JSONValue(parsing: text) == value) }

    @Test(arguments: [
        ("", 0), ("{nope", 1), ("[1,]", 3), ("[1 2]", 3), (#"{"a"}"#, 4), (#"{"a":1,}"#, 7), ("01", 2), ("1.", 2),
        ("tru", 0),
        (#""abc"#, 4), (#""\x""#, 3), (#""\u12""#, 5), ("1 1", 2), ("\"\u{1}\"", 1), ("-", 1), ("1e", 2), ("+1", 0),
    ])
    func mistakesAreLocated(_ text: String, _ offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(error?.offset == offset)
    }

    @Test func nestingDepthIsLimited() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSONValue(parsing: nested(512))
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: nested(513)) }
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: String(repeating: "[", count: 1_000_000)) }
    }

    /// Randomly damaged text either fails to parse, or parses to a value that survives writing and parsing.
    @Test func damagedTextFailsOrRoundTrips() throws {
        var random = SeededRandom(seed: 7)
        let text = #"{"a":[1,2.5,-3e2,"t\u00e9xt\n",true,false,null,{"b":{}},[]],"c":"\ud83c\udfb5"}"#
        for _ in 0..<20_000 {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: index)
                }
            }
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            #expect(try JSONValue(parsing: value.jsonString) == value)
        }
    }

    @Test func codableKeepsTypes() throws {
        let json: JSONValue = ["i": 1, "d": 1.5, "b": true, "n": .null, "s": "x", "a": [1]]
        let data = try JSONEncoder().encode(json)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == json)
    }
}
