import DescantCore
import Foundation
import Testing

/// The headers and passwords of each request.
struct NetworkAccessTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(arguments: [
        ("https://music.example/private/a.flac", true), ("https://music.example:443/private/", true),
        ("https://MUSIC.example/private", true), ("https://music.example/privately", false),
        ("https://music.example/", false), ("http://music.example/private/a", false),
        ("https://music.example:8443/private/a", false), ("https://evil.example/private/a", false),
        ("https://music.example.evil.example/private/a", false), ("https://music.example/private/../a", false),
        ("https://music.example/private/%2e%2E/a", false), ("https://music.example/private/.%2E/a", false),
        ("https://music.example/private/..%2fa", false), ("https://music.example/private/..%5Ca", false),
        ("https://music.example/private/a..b/..c/%E9", true),
        ("https://evil.example@music.example.evil.example/private/a", false),
    ])
    func credentialsReachOnlyTheirAddress(address: String, isTold: Bool) throws {
        var access = NetworkAccess()
        try access.setHeaders(["X-Key": "k"], for: url("https://music.example/private"))
        try access.setCredentials(user: "me", password: "pw", for: url("https://music.example/private"))
        let request = access.request(for: try url(address))
        #expect((request.headers["X-Key"] == "k") == isTold)
        #expect((request.password == "pw") == isTold)
    }

    @Test func headersOfTheLongestPathAreUsed() throws {
        var access = NetworkAccess()
        try access.setHeaders(["A": "inner"], for: url("http://h/x/y"))
        try access.setHeaders(["A": "outer", "B": "outer"], for: url("http://h/"))
        #expect(access.request(for: try url("http://h/x/y/z")).headers == ["A": "inner", "B": "outer"])
        try access.setHeaders([:], for: url("http://h/x/y"))
        #expect(access.request(for: try url("http://h/x/y/z")).headers == ["A": "outer", "B": "outer"])
    }

    @Test func passwordInURLIsUsedAndHidden() throws {
        let address = try url("http://me%40home:p%3Aw@h:81/a%20b.mp3?x=1")
        let request = NetworkAccess().request(for: address)
        #expect(request.user == "me@home")
        #expect(request.password == "p:w")
        #expect(request.url.absoluteString == "http://h:81/a%20b.mp3?x=1")
        #expect(AudioSource.url(address).name == "http://h:81/a%20b.mp3?x=1")
    }

    @Test func descriptionsHideSecrets() throws {
        var access = NetworkAccess()
        try access.setHeaders(["Authorization": "Bearer hidden"], for: url("http://h/"))
        try access.setCredentials(user: "nobody", password: "hidden", for: url("http://h/"))
        #expect(!"\(access)".contains("hidden") && !String(reflecting: access).contains("hidden"))
    }

    @Test func invalidHeadersAreRefused() throws {
        var access = NetworkAccess(timeLimit: 0, reconnectLimit: -1)
        #expect(access.timeLimit == 1 && access.reconnectLimit == 0)
        let address = try url("http://h/")
        for headers in [["X": "a\r\nY: b"], ["X Y": "a"], ["": "a"], ["X:": "a"]] {
            let error = #expect(throws: CoreError.self) { try access.setHeaders(headers, for: address) }
            #expect(error?.code == "invalidArgument")
        }
        let file = try url("file:///etc/passwd")
        #expect(throws: CoreError.self) { try access.setCredentials(user: "a", password: "b", for: file) }
    }

    /// Waits are given to GStreamer as whole numbers.
    @Test func limitsStayWithinTheirRanges() {
        for (given, time, again) in [
            (Double.nan, 1.0, 0.0), (.infinity, 60, 3_600), (-.infinity, 1, 0), (1e300, 60, 3_600), (2.5, 2.5, 2.5),
        ] {
            var access = NetworkAccess()
            access.timeLimit = given
            access.reconnectLimit = given
            #expect(access.timeLimit == time && access.reconnectLimit == again)
            #expect(NetworkAccess(timeLimit: given, reconnectLimit: given) == access)
        }
    }
}
