import { isCredentialName } from '../../../contract/credential-names.ts'
import type { ServiceName, ServiceStateName, ServiceView } from '../../../contract/control/services.ts'
import type { LaunchedProcess, LaunchSpec, ProcessLauncher } from '../../supervisor/process-launcher.ts'
import { LineLog } from './line-log.ts'

/** What is known of one service, whoever starts it: its state, its process and what it prints. */
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

  /** Null before there is one, and until it has begun where the shell starts it. */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** A new use begins: what it starts first is no restart. */
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

  /** A launcher whose children are watched here. */
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
