import Descant

// snippet
/// A player of radio plays: ducked and not paused during calls, and never started during a call.
func environmentForRadioPlays(port: any AudioSessionPort = PulseAudioSession()) -> AudioEnvironment {
    let policy = AudioSessionPolicy(interruption: .duck(to: 0.2), startsDuringInterruption: false)
    return AudioEnvironment(session: AudioSessionCoordinator(port: port, policy: policy))
}

/// The text of a status line.
func describe(_ status: AudioSessionStatus) -> String {
    switch status.state {
    case .inactive: "silent"
    case .active where status.situation.isOtherAudioPlaying: "playing beside another program"
    case .active: "playing to " + status.situation.route.outputs.map(\.name).joined(separator: ", ")
    case .interrupted: "waiting for a call to end"
    case .serverLost: "waiting for the sound server"
    }
}

/// Keeps a status line up to date; begins with the present state.
func follow(_ session: AudioSessionCoordinator, show: (String) -> Void) async {
    for await status in session.updates { show(describe(status)) }
}
