import Descant

/// A program that must not carry anything under the GPL into its process or start it.
func makeEnvironmentWithoutTheGPL() -> AudioEnvironment {
    let environment = AudioEnvironment(plugins: PluginRegistry(licenses: .withoutGPL))
    for plugin in environment.plugins.unavailable { print(plugin.error) }
    return environment
}
