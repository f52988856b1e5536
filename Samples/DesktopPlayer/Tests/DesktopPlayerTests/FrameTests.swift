import DescantTestSupport
import Foundation
import Testing

extension DesktopPlayerTests {
    @Test func framesAreLoggedForMeasurements() throws {
        let session = try DesktopSession()
        let log = URL(fileURLWithPath: session.path("frames"))
        let files = try (10...39).map { try session.tone("\($0).wav", seconds: 1) }
        let list = try session.file("list.m3u", files.joined(separator: "\n"))
        try session.start(list, environment: ["DESCANT_FRAME_LOG": log.path])
        try session.select("10")
        try session.wait("frames of the list") { _ in try session.hasText(" playlist 30 0.0\n", in: log) ? true : nil }
        try session.press("End")
        try session.wait("its end") { _ in try session.hasText(" playlist 30 1.0\n", in: log) ? true : nil }
        try session.click("Library", role: "page tab")
        try session.wait("the library") { _ in try session.hasText(" library 0 0.0\n", in: log) ? true : nil }
        let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        let times = lines.dropLast().compactMap { Int64($0.prefix { $0 != " " }) }
        #expect(times.count == lines.count - 1 && times == times.sorted())
        #expect(session.errors == "")
    }
}
