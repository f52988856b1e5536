internal import DescantCore
public import DescantPlayback

extension AudioPlayerService {
    /// Creates a player that plays to the desktop's sound server through an engine of its own, with the plugins, logger and
    /// clock of ``AudioEnvironment/shared``.
    ///
    /// Nothing is acquired before the first track; a missing sound server or GStreamer element is the error of the call that
    /// needs it.
    public init() {
        let environment = AudioEnvironment.shared
        self.init(
            engine: environment.makeDesktopEngine(), clock: environment.clock, logger: environment.logger,
            session: environment.session)
    }
}
