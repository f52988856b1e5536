public import ArgumentParser
public import Descant

extension FadeCurve: @retroactive ExpressibleByArgument {}
extension SampleEncoding: @retroactive ExpressibleByArgument {}
extension ReplayGainMode: @retroactive ExpressibleByArgument {}
