import MusicAssistantTestServer
import Testing

extension ServerSuite {
    @Suite struct JSONTests {
        @Test(arguments: [
            #"{"a":[1,-2,3.5,1e+30,true,false,null,"x"],"b":{}}"#, #""\u0007\"\\\n""#, "9223372036854775807", "[]",
        ])
        func textSurvives(_ text: String) {
            #expect(JSON(text: text)?.text == text)
        }

        @Test func escapesAreRead() {
            #expect(JSON(text: #""\u00e9\ud83d\ude00\/\b\f\r\t\ud800x""#) == .string("é😀/\u{8}\u{C}\r\t\u{FFFD}x"))
            #expect(JSON(text: " [ 1 , { \"a\" : 2 } ] ")?.text == #"[1,{"a":2}]"#)
        }

        @Test(arguments: [
            "", "{", "[1,]", "{\"a\"}", "tru", "\"\u{1}\"", "1 2", "\"\\x\"", "\"\\u12\"", "--1", "[", "\"",
        ])
        func whatIsNoJSONIsRefused(_ text: String) {
            #expect(JSON(text: text) == nil)
        }

        @Test func deepNestingIsRefused() {
            #expect(JSON(text: String(repeating: "[", count: 1_000_000)) == nil)
        }
    }
}
