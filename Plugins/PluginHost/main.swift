internal import Descant

PluginHelper.run()
