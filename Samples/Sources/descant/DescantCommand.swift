internal import ArgumentParser

/// The terminal player and toolbox.
struct DescantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "descant",
        abstract: "Plays, renders and examines sound.",
        discussion: """
            Begin with:
              descant play ~/Music              play a folder
              descant play --demo               hear what it does, without any music of yours
              descant doctor                    see what is installed and what is missing
              descant library --help            keep a library: folders, search, play counts
              descant ma --help                 control the players of a Music Assistant server

            Other words run the program descant-WORD, as `descant ma` runs descant-ma: looked for beside this one, in \
            ../libexec/descant from there, and on the PATH.

            Exit status: 0 when it worked, 2 for wrong usage, 66 when no input can be opened, 74 when standard \
            output cannot be written, 128 and the number of the signal that ended it, 1 for anything else.
            """,
        version: programVersion,
        subcommands: [
            PlayCommand.self, RenderCommand.self, SpeakCommand.self, ReadCommand.self, InfoCommand.self,
            TagsCommand.self,
            PluginsCommand.self,
            PluginCommand.self,
            DoctorCommand.self,
        ])
}
