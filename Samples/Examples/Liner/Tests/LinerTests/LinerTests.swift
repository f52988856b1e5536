import Descant
import DescantTesting
import Foundation
import Testing

@Test func linerKeepsTheTagReaderContract() throws {
    let plugin = try BuiltPlugin("Liner")
    let text = "liner\ntitle: Rain \nartist: Ann\nyear: 1999-05\ntrack: 3\n"
    let file = try plugin.folder.write(Data(text.utf8), to: "a.liner")
    let tags = TagBundle(title: "Rain", artist: "Ann", year: 1999, trackNumber: 3)
    let contract = TagReaderContract(fixtures: [TagFixture(url: file, tags: tags)]) {
        try plugin.registry.makeTagReader("liner")
    }
    #expect(try contract.findings() == [])
}
