import Descant

/// An environment without plugins under the GPL, in the process or as helpers.
func makeEnvironmentWithoutTheGPL() -> AudioEnvironment {
    let environment = AudioEnvironment(plugins: PluginRegistry(licenses: .withoutGPL))
    for plugin in environment.plugins.unavailable { print(plugin.error) }
    return environment
}
