import Descant
import Foundation
import PlayerIntegration
import Testing

struct TagReportTests {
    @Test(arguments: [(128, "128"), (97.5, "97.5"), (1e23, "1e+23"), (Double.infinity, "inf")])
    func everyTempoIsShown(bpm: Double, text: String) {
        var tags = TagBundle()
        tags.bpm = bpm
        let report = TagReport(Track(url: URL(fileURLWithPath: "/music/a.flac"), tags: tags))
        #expect(report.lines.first { $0.name == "bpm" }?.value == text)
    }
}
