internal import ArgumentParser

/// The remote control of Music Assistant players.
struct RemoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "descant ma",
        abstract: "Controls the players of a Music Assistant server.",
        discussion: """
            Begin with:
              descant ma connect ws://HOST:8095     remember a server
              descant ma login                      log in and remember the token
              descant ma players                    see what there is to play on
              descant ma play URI --on PLAYER       play something; later commands mean the same player

            Server, player and token are remembered in $XDG_CONFIG_HOME/descant, readable by you only; DESCANT_MA_SERVER, \
            DESCANT_MA_PLAYER and DESCANT_MA_TOKEN go before them.

            Exit status: 0 when it worked, 2 for wrong usage, 66 when there is nothing to play, 1 for anything else.
            """,
        version: "0.1.0",
        subcommands: [
            ConnectCommand.self, LoginCommand.self, PlayersCommand.self, SearchCommand.self, BrowseCommand.self,
            PlayCommand.self, QueueCommand.self, NextCommand.self, PreviousCommand.self, PauseCommand.self,
            ResumeCommand.self, StopCommand.self, SeekCommand.self, VolumeCommand.self, MuteCommand.self,
            PowerCommand.self, GroupCommand.self, WatchCommand.self, RawCommand.self,
        ])
}
