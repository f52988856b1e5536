// Measures the client with a server in the same process: commands per second with 1, 16 and 256 in flight, events per second
// to 100 subscribers of which one does not read, and memory. Prints one key=value line for each figure.

import Foundation
import MusicAssistantKit
import MusicAssistantTestServer

func report(_ name: String, _ value: Double) { print("\(name)=\(value)") }

let scenario = Scenario(replyFaults: [ReplyFault(.result(.null), on: "nothing")])
let server = try await MusicAssistantTestServer.start(scenario)
guard let url = URL(string: server.url) else { fatalError("the server gave no address") }
var configuration = ClientConfiguration(token: "test-token")
configuration.keepsMirrors = false
configuration.eventBuffer = 512
let client = MusicAssistantClient(url: url, configuration: configuration)
try await client.connect()
let bench = ClientBench(client: client, server: server)
let before = try ClientBench.residentMegabytes()

for inFlight in [1, 16, 256] {
    let limit = try BareClient(port: server.port, token: "test-token").commandsPerSecond(inFlight: inFlight, seconds: 3)
    report("commands_\(inFlight)", try await bench.commandsPerSecond(inFlight: inFlight, seconds: 3))
    report("socket_commands_\(inFlight)", limit)
}
let events = try await bench.events(20_000)
report("events", events.perSecond)
report("missed_events", Double(events.missedByReaders))
report("missed_by_slow_reader", Double(events.missedBySlowReader))
report("growth_mb", max(0, try ClientBench.residentMegabytes() - before))
await client.disconnect()
try await server.stop()
