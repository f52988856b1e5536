internal import ArgumentParser

/// The remote control of Music Assistant players.
struct RemoteControlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "descant ma",
        abstract: "Controls the players of a Music Assistant server.",
        discussion: """
            Begin with:
              descant ma discover                   find servers in the home
              descant ma connect ws://HOST:8095     remember a server
              descant ma login                      log in and remember the token
              descant ma players                    see what there is to play on
              descant ma play URI --on PLAYER       play something there; later commands mean it, too

            Server, player and token are remembered in $XDG_CONFIG_HOME/descant, readable by you only; DESCANT_MA_SERVER, \
            DESCANT_MA_PLAYER, DESCANT_MA_TOKEN and DESCANT_MA_CA go before them.

            Exit status: 0 when it worked, 2 for wrong usage, 66 when there is nothing to play, 74 when standard \
            output cannot be written, 1 for anything else.
            """,
        version: programVersion,
        groupedSubcommands: [
            CommandGroup(name: "Server", subcommands: [DiscoverCommand.self, ConnectCommand.self, LoginCommand.self]),
            CommandGroup(
                name: "Playing",
                subcommands: [
                    PlayCommand.self, PauseCommand.self, ResumeCommand.self, StopCommand.self, NextCommand.self,
                    PreviousCommand.self, SeekCommand.self,
                ]),
            CommandGroup(
                name: "Queue",
                subcommands: [
                    QueueCommand.self, ShuffleCommand.self, RepeatCommand.self, MoveCommand.self, RemoveCommand.self,
                    ClearCommand.self, TransferCommand.self,
                ]),
            CommandGroup(
                name: "Players",
                subcommands: [
                    PlayersCommand.self, WatchCommand.self, VolumeCommand.self, MuteCommand.self, PowerCommand.self,
                    GroupCommand.self,
                ]),
            CommandGroup(
                name: "Library",
                subcommands: [
                    SearchCommand.self, BrowseCommand.self, ArtistsCommand.self, AlbumsCommand.self, TracksCommand.self,
                    RadiosCommand.self, RecentCommand.self, FavoritesCommand.self, PlaylistsCommand.self,
                ]),
            CommandGroup(name: "Everything else", subcommands: [RawCommand.self]),
        ])
}
