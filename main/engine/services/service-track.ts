import type { ServiceLogLine, ServiceName, ServiceStateName, ServiceView } from '../../../contract/control/services.ts'
import { isCredentialName } from '../../../core/credential-names.ts'
import { serviceText } from '../../../core/known-secrets.ts'
import type { LaunchedProcess, LaunchSpec, ProcessLauncher } from '../../supervisor/process-launcher.ts'
import { NumberedRing } from '../event-hub.ts'

/** One service, started by engine or shell: its state, its process and its output. */
export class ServiceTrack {
  readonly name: ServiceName
  readonly log = new LineLog()
  state: ServiceStateName
  detail: string | null = null
  url: string | null = null
  usedBy: ServiceView['used_by'] = null
  profile: string | null = null
  since: string | null = null
  restarts = 0
  lastExit: ServiceView['last_exit'] = null
  settings: Record<string, string> = {}
  #child: LaunchedProcess | null = null
  #launchesOfUse = 0

  constructor(name: ServiceName, state: ServiceStateName) {
    this.name = name
    this.state = state
  }

  /** Null before the process exists. */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** A new use begins: what it starts first is not a restart. */
  begin(usedBy: ServiceView['used_by'], profile: string | null): void {
    this.usedBy = usedBy
    this.profile = profile
    this.#launchesOfUse = 0
  }

  end(): void {
    this.usedBy = null
    this.profile = null
    this.url = null
  }

  moved(state: ServiceStateName, detail: string | null): void {
    this.state = state
    this.detail = detail
    this.since = new Date().toISOString()
    if (state !== 'ready') this.url = null
  }

  /** A launcher whose children are tracked here. */
  tap(launcher: ProcessLauncher): ProcessLauncher {
    return {
      launch: (spec) => {
        const child = launcher.launch(spec)
        this.#launched(child, spec)
        return child
      },
    }
  }

  #launched(child: LaunchedProcess, { env }: LaunchSpec): void {
    if (this.#launchesOfUse > 0) this.restarts += 1
    this.#launchesOfUse += 1
    this.#child = child
    this.settings = Object.fromEntries(Object.entries(env).filter(([name]) => !isCredentialName(name)))
    child.onLine((line) => this.log.push(line))
    child.onMessage((message) => {
      const { url } = (message ?? {}) as { url?: unknown }
      if (typeof url === 'string') this.url = url
    })
    child.onExit((code, signal) => {
      this.lastExit = { at: new Date().toISOString(), code, signal }
      if (this.#child === child) this.#child = null
    })
  }
}

const KEPT_LINES = 2000
const MAX_LINE_CHARS = 2000

/** The last lines of a child's output, numbered from 1. */
export class LineLog {
  readonly #ring: NumberedRing<{ at: string; text: string }>

  constructor(capacity = KEPT_LINES) {
    this.#ring = new NumberedRing(capacity)
  }

  get newest(): number {
    return this.#ring.newest
  }

  push(line: string): void {
    const text = serviceText(line, MAX_LINE_CHARS - 1)
    this.#ring.push({ at: new Date().toISOString(), text })
  }

  /** Lines after a number; with `follow` also later ones, until the signal. */
  async *read(after: number, follow: boolean, signal: AbortSignal): AsyncGenerator<ServiceLogLine> {
    let seen = Math.min(after, this.#ring.newest)
    while (!signal.aborted) {
      const missed = this.#ring.missedAfter(seen)
      seen += missed
      if (seen < this.#ring.newest) {
        seen += 1
        yield { number: seen, missed, ...this.#ring.at(seen) }
      } else if (follow) await this.#ring.grown(signal)
      else return
    }
  }
}
