import Descant

// snippet
/// Reads a book aloud from a position on; media keys move by sentences. Keep the bridge as long as the book is read.
func readBook(
    _ chapters: [(title: String, text: String)], from place: Int, on controller: MediaPlaybackController,
    remote: any RemoteControlPort
) async throws -> RemoteControlBridge {
    var text = ""
    var sections: [MediaSection] = []
    for chapter in chapters {
        sections.append(MediaSection(title: chapter.title, start: .characterOffset(text.count)))
        text += chapter.title + "\n\n" + chapter.text + "\n\n"
    }
    try await controller.loadContent(.text(text, language: "en"), sections: sections)
    try await controller.seek(to: .characterOffset(place))
    let bridge = RemoteControlBridge(player: controller, remote: remote)
    await bridge.start()
    try await controller.play()
    return bridge
}
