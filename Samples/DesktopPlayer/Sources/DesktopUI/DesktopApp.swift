internal import CGtk
internal import Foundation
internal import Glibc
public import PlayerApp

/// The desktop app: one window, which further starts of the program and the file manager hand their files to.
@MainActor
public final class DesktopApp {
    /// The name on the session bus, and of the `.desktop` file and the icon.
    public static let identifier = "org.descant.Player"

    private let start: @MainActor (DesktopApp) async throws -> PlayerWindowModel
    private let prepare: @MainActor () async throws -> Void
    private let stop: @MainActor () async -> Void
    private let application: UnsafeMutablePointer<GtkApplication>
    private var window: PlayerWindow?
    private var model: PlayerWindowModel?
    /// What is to be opened when the player is there.
    private var waiting: [URL] = []
    /// What a new start brought while this program was ending; `nil` without one.
    private var late: [URL]?
    private var isStarting = false
    private var isEnding = false
    private var status: Int32 = 0
    /// The number under which the desktop keeps the machine awake; 0 while it does not.
    private var inhibition: guint = 0

    /// Creates the app; nothing is shown before ``run(_:)``.
    ///
    /// - Parameters:
    ///   - start: Makes the player of this app and what the window shows. It may take its time.
    ///   - prepare: Prepares the player for commands, while the window is made.
    ///   - stop: Ends the player; the program ends after it.
    public init(
        start: @escaping @MainActor (DesktopApp) async throws -> PlayerWindowModel,
        prepare: @escaping @MainActor () async throws -> Void,
        stop: @escaping @MainActor () async -> Void
    ) {
        self.start = start
        self.prepare = prepare
        self.stop = stop
        guard let made = gtk_application_new(Self.identifier, G_APPLICATION_HANDLES_OPEN) else {
            preconditionFailure("GTK refuses the identifier \(Self.identifier)")
        }
        application = made
    }

    /// Runs the app until its window is closed. Call it on the main thread, outside of tasks.
    ///
    /// - Parameter arguments: The arguments of the program with its name: files and addresses to open.
    /// - Returns: The exit status.
    public func run(_ arguments: [String]) -> Int32 {
        guard gtk_init_check() != 0 else {
            Self.complain(
                "there is no display: start it in a desktop session, or play on a terminal with: descant play")
            return 1
        }
        MainLoop.adoptMainActor()
        Signal.connect(application, "startup") { [weak self] in self?.prepareDisplay() }
        Signal.connect(application, "activate") { [weak self] in self?.open([]) }
        Signal.connectOpen(application) { [weak self] in self?.open($0.compactMap(URL.init(string:))) }
        var texts = arguments.map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        let ended = texts.withUnsafeMutableBufferPointer {
            g_application_run(
                UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self), Int32(arguments.count),
                $0.baseAddress)
        }
        if let late { startAgain(with: late) }
        return status == 0 ? ended : status
    }

    /// Becomes the program that a new start wanted: the process stays, as what has started it may end all others with it.
    private func startAgain(with urls: [URL]) {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        var texts = ([program] + urls.map(\.absoluteString)).map { strdup($0) } + [nil]
        execv(program, &texts)
        Self.complain("\(program) cannot be started again: \(String(cString: strerror(errno)))")
        for text in texts { free(text) }
    }

    /// Brings the window to the front.
    public func raise() { window?.present() }

    private func prepareDisplay() {
        Style.install()
        for number in [SIGINT, SIGTERM, SIGHUP] { MainLoop.onSignal(number) { [weak self] in self?.signalled() } }
    }

    private func open(_ urls: [URL]) {
        // The player has been told to stop and its window is hidden, so both are made anew.
        guard !isEnding else { return late = (late ?? []) + urls }
        if let window, let model {
            window.present()
            if !urls.isEmpty { model.open(urls) }
            return
        }
        waiting += urls
        guard !isStarting else { return }
        isStarting = true
        hold()
        Task {
            do {
                let model = try await start(self)
                async let isPrepared: Void = prepare()
                // Lets the player begin.
                await Task.yield()
                let window = PlayerWindow(application: application, model: model) { [weak self] in self?.end() }
                try await isPrepared
                (self.window, self.model) = (window, model)
                render { [weak self] in self?.keepAwake(model.isHeard) }
                window.present()
                window.logFrames()
                if !waiting.isEmpty { model.open(waiting, dismisses: false) }
                await model.state.followPlayer()
            } catch {
                Self.complain("\(error)")
                status = 1
                quit()
            }
        }
    }

    /// Keeps the machine from suspending while something is heard: a person who listens touches neither keys nor pointer.
    private func keepAwake(_ isHeard: Bool) {
        if isHeard, inhibition == 0 {
            inhibition = gtk_application_inhibit(
                application, window?.window.cast(), GTK_APPLICATION_INHIBIT_SUSPEND, "Sound is playing")
        } else if !isHeard, inhibition != 0 {
            gtk_application_uninhibit(application, inhibition)
            inhibition = 0
        }
    }

    /// Hides the window at once, and ends the program when the sound has faded out, or after 5 s: a disk may hang.
    private func end() {
        guard !isEnding else { return }
        isEnding = true
        window?.keepFrame()
        window?.window.setVisible(false)
        Task {
            if model != nil { await stop() }
            quit()
        }
        Task {
            // Nobody cancels this task, so the sleep does not throw.
            try? await Task.sleep(for: .seconds(5))
            quit()
        }
    }

    /// Ends the program; a second signal does so at once.
    private func signalled() { if isEnding { quit() } else { end() } }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("descant-desktop: \(text)\n".utf8))
    }

    // MARK: GApplication

    private var gApplication: UnsafeMutablePointer<GApplication> {
        UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self)
    }

    private func hold() { g_application_hold(gApplication) }

    private func quit() {
        descant_gtk_release_name(gApplication)
        // Of a lower priority than what new starts have sent until now.
        MainLoop.after(milliseconds: 0) { [gApplication] in g_application_quit(gApplication) }
    }
}

/// The few rules of style that GTK's theme does not have.
enum Style {
    @MainActor static func install() {
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, text, -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), provider.map { OpaquePointer($0) },
            guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
    }

    private static let text = """
        .cover { background: alpha(currentColor, 0.08); border-radius: 12px; }
        .circular { border-radius: 9999px; min-width: 32px; min-height: 32px; padding: 4px; }
        .circular.play { min-width: 44px; min-height: 44px; }
        .circular.on { color: @theme_selected_bg_color; }
        .pill { border-radius: 9999px; padding: 8px 24px; }
        .banner { padding: 6px 12px; background: alpha(@theme_selected_bg_color, 0.25); }
        .banner.failure { background: alpha(@error_color, 0.3); }
        .playlist row, .library row { padding: 0; margin: 0; }
        .playlist row > box, .library row > box { padding: 5px 10px; }
        .library row:selected button { color: inherit; }
        .current label { font-weight: bold; }
        .sung { font-weight: bold; font-size: 115%; }
        .book { font-size: 115%; background: transparent; }
        stackswitcher > button { min-width: 60px; }
        .numeric { font-feature-settings: "tnum"; }
        .heading { font-weight: bold; }
        .title-3 { font-weight: bold; font-size: 130%; }
        .caption { font-size: 85%; }
        """
}
