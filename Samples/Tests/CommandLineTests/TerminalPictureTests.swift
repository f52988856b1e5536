import Foundation
import Glibc
import Testing

extension RenderingSuite {
    /// Covers by the picture protocols of terminals.
    @Suite struct TerminalPictureTests {
        private let shop: Workshop
        private let file: String

        /// A tone beside a cover of 200 × 200 pixels: gradients across and down, and squares of blue.
        init() async throws {
            shop = try Workshop()
            file = try shop.tone("a.wav", seconds: 120, rate: 8_000, channels: 1)
            let pixels = (0..<200).flatMap { row in (0..<200).flatMap { Self.color($0, row) } }
            try Data(pixels).write(to: URL(fileURLWithPath: shop.path("cover.rgb")))
            let picture = try await Program.run(
                "ffmpeg",
                [
                    "-loglevel", "error", "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", "200x200", "-i",
                    shop.path("cover.rgb"), "-frames:v", "1", shop.path("cover.png"),
                ])
            try #require(picture.status == 0, "\(picture.errors)")
        }

        private static func color(_ column: Int, _ row: Int) -> [UInt8] {
            [UInt8(column * 255 / 199), UInt8(row * 255 / 199), (column / 50 + row / 50) % 2 == 0 ? 40 : 220]
        }

        private func player(_ terminal: AskedTerminal, environment: [String: String] = [:]) throws -> TerminalProgram {
            try TerminalProgram(
                "descant", ["play", "--output", "null", file], width: 80, height: 24, environment: environment,
                terminal: terminal)
        }

        private func settings(_ choice: String) throws -> [String: String] {
            try FileManager.default.createDirectory(
                atPath: shop.path("config/descant"), withIntermediateDirectories: true)
            try shop.file("config/descant/config", "cover-pictures = \(choice)\n")
            return ["XDG_CONFIG_HOME": shop.path("config")]
        }

        /// Whether the one picture is where half blocks were, and none of those is left.
        private func showsPicture(_ screen: TerminalEmulator) -> Bool {
            guard screen.pictures.all.count == 1, let picture = screen.pictures.all.first else { return false }
            return screen.pixelCells == 0 && picture.row == 2 && picture.column == 2 && picture.columns == 20
                && picture.rows == 10 && screen.text[2].hasPrefix(String(repeating: " ", count: 25) + "a")
        }

        private func showsNoPicture(_ screen: TerminalEmulator) -> Bool { screen.pictures.all.isEmpty }

        // MARK: Pixels

        @Test func kittyShowsEveryPixel() throws {
            let player = try player(.kitty)
            try player.wait("the picture", until: showsPicture)
            let picture = try #require(player.screen.pictures.all.first)
            let wrong = (0..<200).flatMap { row in
                (0..<200).filter { picture.pixels[row][$0] != Self.color($0, row) }.map { "\($0), \(row)" }
            }
            #expect(picture.pixels.count == 200 && wrong.isEmpty, "\(wrong.prefix(20))")
            #expect(player.screen.pictures.problems.isEmpty, "\(player.screen.pictures.problems)")
        }

        @Test(arguments: [(16, 48), (256, 9), (1024, 9)])
        func sixelShowsTheColours(registers: Int, tolerance: Int) throws {
            var terminal = AskedTerminal.sixel
            terminal.colorRegisters = registers
            let player = try player(terminal)
            try player.wait("the picture", until: showsPicture)
            // Text is drawn beside it 25 times a second, and spares it.
            player.type("5")
            try player.wait("the seek") { (shownPosition($0) ?? 0) >= 59 }
            try player.wait("the picture", until: showsPicture)
            let picture = try #require(player.screen.pictures.all.first)
            #expect(picture.pixels.count == 198 && picture.colors <= min(256, registers) && picture.colors > 8)
            #expect(picture.pixels.joined().allSatisfy { $0 != nil })
            for row in stride(from: 0, to: 196, by: 10) where row % 50 != 40 {
                for column in stride(from: 0, to: 196, by: 10) where column % 50 != 40 {
                    let wanted = Self.color(column + 5, row + 5).map { Int($0) }
                    let difference = zip(picture.mean(column, row, size: 10), wanted).map { abs($0 - $1) }.max() ?? 0
                    #expect(difference <= tolerance, "\(column), \(row): \(difference)")
                }
            }
            #expect(player.screen.pictures.problems.isEmpty, "\(player.screen.pictures.problems)")
        }

        // MARK: Removal

        @Test(arguments: [AskedTerminal.kitty, .sixel]) func thePictureGoesWithWhatItBelongsTo(
            _ terminal: AskedTerminal
        ) throws {
            let player = try player(terminal)
            try player.wait("the picture", until: showsPicture)
            for (key, after) in [("c", "c"), ("?", "?")] {
                player.type(key)
                try player.wait("no picture after \(key)", until: showsNoPicture)
                player.type(after)
                try player.wait("the picture again", until: showsPicture)
            }
            player.resize(width: 40, height: 15)
            try player.wait("no picture in little room") { showsNoPicture($0) && shows("▶ playing")($0) }
            player.resize(width: 80, height: 24)
            try player.wait("the picture in more room", until: showsPicture)
            player.type("q")
            #expect(try player.finish() == 0)
            #expect(showsNoPicture(player.screen) && !player.screen.isAlternateScreen)
        }

        @Test(arguments: [AskedTerminal.kitty, .sixel], ["\u{1a}", "\u{1c}"])
        func theShellHasNoPicture(_ terminal: AskedTerminal, key: String) throws {
            let program = Program.products.appendingPathComponent("descant").path
            let shell = try TerminalProgram(
                "setsid",
                [
                    "--ctty", "--wait", "bash", "-c",
                    "ulimit -c 0; PS1='ready> ' exec bash --norc --noprofile -i 2>&1",
                ], width: 80, height: 24, terminal: terminal)
            try shell.wait("the prompt", until: shows("ready>"))
            shell.type("\(program) play --output null \(file)\n")
            try shell.wait("the picture", until: showsPicture)
            shell.type(key)
            // What is typed before the prompt is there may still be the player's.
            try shell.wait("the shell") { screen in
                !screen.isAlternateScreen && showsNoPicture(screen)
                    && screen.text.contains { $0.hasPrefix("ready>") }
            }
            shell.type("echo \"sta\"\"tus $?\"\n")
            try shell.wait("the status", until: shows(key == "\u{1a}" ? "status 148" : "status 131"))
            let typed = shell.screen.text.filter { $0.hasPrefix("ready> ") }
            #expect(
                typed.contains { $0.hasPrefix(#"ready> echo "sta""tus $?""#) }, "something else was typed: \(typed)")
            guard key == "\u{1a}" else { return }
            shell.type("fg\n")
            try shell.wait("the picture again", until: showsPicture)
            shell.type("q")
            try shell.wait("the shell again") { !$0.isAlternateScreen && showsNoPicture($0) }
        }

        @Test(arguments: [AskedTerminal.kitty, .sixel]) func aCrashLeavesNoPicture(_ terminal: AskedTerminal) throws {
            let player = try player(terminal)
            try player.wait("the picture", until: showsPicture)
            player.signal(SIGSEGV)
            #expect(try player.finish() == 128 + SIGSEGV)
            #expect(showsNoPicture(player.screen) && !player.screen.isAlternateScreen && !player.isRaw)
        }

        // MARK: Terminals that do not answer

        @Test(arguments: [AskedTerminal(tellsCellSize: false), AskedTerminal(attributes: "?6")])
        func aTerminalWithoutPicturesGetsHalfBlocks(_ terminal: AskedTerminal) throws {
            let player = try player(terminal)
            try player.wait("the cover") { $0.pixelCells == 200 }
            player.type("m")
            try player.wait("the next key", until: shows("muted"))
            #expect(showsNoPicture(player.screen))
            player.type("q")
            #expect(try player.finish() == 0)
        }

        /// tmux takes a question of kitty's protocol for a title.
        @Test(arguments: [[:], ["TMUX": "/tmp/tmux,1,0"], ["TERM": "screen-256color"]])
        func aMultiplexerIsNotAskedForKittysProtocol(_ environment: [String: String]) throws {
            var terminal = AskedTerminal.tmux
            // What asks for the version decides alone where no variable does.
            if !environment.isEmpty { terminal.version = nil }
            let player = try player(terminal, environment: environment)
            try player.wait("the cover") { $0.pixelCells == 200 }
            player.type("m")
            try player.wait("the next key", until: shows("muted"))
            #expect(player.terminal?.questions == ["[>q", "[16t", "[c"])
        }

        @Test func theSettingChooses() throws {
            let blocks = try player(.kitty, environment: settings("blocks"))
            try blocks.wait("the cover") { $0.pixelCells == 200 }
            #expect(blocks.terminal?.questions == [])
            var silent = AskedTerminal()
            silent.tellsCellSize = false
            let kitty = try player(silent, environment: settings("kitty"))
            try kitty.wait("the picture", until: showsPicture)
            // The size of a cell is that of the window.
            let sixel = try TerminalProgram(
                "descant", ["play", "--output", "null", file], width: 80, height: 24, environment: settings("sixel"),
                terminal: silent, tellsPixels: true)
            try sixel.wait("the picture", until: showsPicture)
        }
    }
}
