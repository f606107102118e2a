import { launchersOfEngine } from '../../main/engine/engine-launchers.ts'
import { SupervisedService } from '../../main/supervisor/supervised-service.ts'

// A service that has another one started, as the engine does; it passes the other's address off as its own.
const entry = process.env['INNER_ENTRY']!
const env = { JOURNAL: process.env['JOURNAL']!, ANSWER: 'inner' }
const inner = new SupervisedService(
  { name: 'inner', launch: { entry, env }, probe: async (url) => (await fetch(url)).ok, graceMs: 300 },
  launchersOfEngine().services,
)
const url = await inner.start()
process.send?.({ type: 'ready', url, port: Number(new URL(url).port) })
process.on('disconnect', () => void inner.stop().then(() => process.exit(0)))
