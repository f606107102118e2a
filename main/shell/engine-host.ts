import type { SequencedEvent } from '../../contract/control/events.ts'
import { launchEngine, type ControlClient, type LaunchedEngine } from '../engine/launch-engine.ts'
import type { ProcessLauncher } from '../supervisor/process-launcher.ts'
import type { ServiceState } from '../supervisor/service-state.ts'
import type { EngineAccess } from './forward-control.ts'
import { APP_ORIGIN } from './page-rules.ts'

interface EngineHostOptions {
  /** Module of the engine. */
  entry: string
  rendererDir: string
  launcher: ProcessLauncher
  onState: (state: ServiceState) => void
  onEvent: (sequenced: SequencedEvent) => void
}

/** Sets how long a page's call waits for an engine that is starting. */
const PATIENCE_MS = 20_000
const AGAIN_AFTER_MS = 500

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The engine of the project that is open: one at a time, restarted when it crashes, listened to while it lives. */
export class EngineHost {
  readonly #options: EngineHostOptions
  #engine: LaunchedEngine | null = null

  constructor(options: EngineHostOptions) {
    this.#options = options
  }

  /** Starts the engine of a project after the one before it has ended. Does not wait until it works. */
  async open(root: string): Promise<void> {
    await this.close()
    const { entry, rendererDir, launcher, onState } = this.#options
    const engine = launchEngine({ root, entry, rendererDir, launcher, port: 0, appOrigin: APP_ORIGIN })
    this.#engine = engine
    engine.service.onState((state) => {
      if (this.#engine === engine) onState(state)
    })
    this.start()
    void this.#listen(engine)
  }

  /** Also starts an engine that has failed. */
  start(): void {
    // Its states report the progress.
    this.#engine?.service.start().catch(() => undefined)
  }

  /** The end of what the engine has printed. */
  lastLines(count: number): string[] {
    return this.#engine?.service.log.lines().slice(-count) ?? []
  }

  /** A client while the engine works. */
  client(): ControlClient | null {
    const engine = this.#engine
    const url = engine?.service.url ?? null
    return engine === null || url === null ? null : engine.client(url)
  }

  readonly engineAccess: EngineAccess['open'] = async () => {
    const engine = this.#engine
    if (engine === null) return null
    if (['starting', 'backoff'].includes(engine.service.state.name))
      await Promise.race([engine.service.whenReady().catch(() => undefined), pause(PATIENCE_MS)])
    const { url } = engine.service
    return url === null ? null : { url, token: engine.token }
  }

  /** Ends the engine: cells in flight get a moment to finish. */
  async close(): Promise<void> {
    const engine = this.#engine
    this.#engine = null
    await engine?.service.stop()
  }

  async #listen(engine: LaunchedEngine): Promise<void> {
    let from: { after?: number; engine_id?: string } = { after: 0 }
    while (this.#engine === engine) {
      try {
        await engine.service.whenReady()
        for await (const sequenced of await engine.client(engine.service.url!).system.events(from)) {
          if (this.#engine !== engine) return
          const { seq, event } = sequenced
          if (event.type === 'stream.opened') from = { after: seq, engine_id: event.engine_id }
          else {
            from = { ...from, after: seq }
            this.#options.onEvent(sequenced)
          }
        }
      } catch {
        // The engine's states have the reason; missed events are read again from their number.
      }
      await pause(AGAIN_AFTER_MS)
    }
  }
}
