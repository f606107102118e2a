import { readFile } from 'node:fs/promises'
import type { LocalServiceName } from '../../../contract/control/service-list.ts'
import { ServiceName, type ServiceView } from '../../../contract/control/services.ts'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import type { ProcessLauncher } from '../../supervisor/process-launcher.ts'
import { ControlFailure } from '../control-failure.ts'
import { LocalService, type ServiceAddress } from './local-service.ts'
import type { PlatformHost } from './platform-host.ts'
import type { ServiceDefinition } from './service-definitions.ts'
import { ServiceTrack } from './service-track.ts'

/** Describes what a start of the platform depends on. */
interface PlatformChoice {
  profile: string
  modelSet: string | null
}

interface ServiceRegistryOptions {
  platform: PlatformHost
  definitions: readonly ServiceDefinition[]
  launcher: ProcessLauncher
  env: Readonly<Record<string, string | undefined>>
  stateDir: string
  emit: (event: RunEvent) => void
  /** Address of a platform that runs elsewhere; null when the embedded one is used. */
  externalPlatform: () => string | null
  /** Returns where the platform is and the key of its gateway, embedded or not; null when it is not up. */
  platformAddress: () => Promise<ServiceAddress | null>
}

/** The children and outer services of an engine: their state, their logs, and what a person may do with them. */
export class ServiceRegistry {
  readonly #options: ServiceRegistryOptions
  readonly #services: Map<ServiceName, LocalService>
  readonly #absent: Map<ServiceName, ServiceTrack>
  readonly #usageOf = createUsageMeter()

  constructor(options: ServiceRegistryOptions) {
    this.#options = options
    const { definitions, launcher, env, stateDir } = options
    const changed = ({ name, state, detail }: ServiceTrack): void =>
      options.emit({ type: 'service.changed', service: name, state, detail })
    const need = (name: LocalServiceName) => this.#known(name).environment()
    this.#services = new Map(
      definitions.map((each) => [each.name, new LocalService(each, { launcher, env, stateDir, changed, need })]),
    )
    const missing = ServiceName.options.filter((name) => name !== 'platform' && !this.#services.has(name))
    this.#absent = new Map(missing.map((name) => [name, new ServiceTrack(name, 'absent')]))
  }

  async list(): Promise<ServiceView[]> {
    return Promise.all(ServiceName.options.map((name) => this.view(name)))
  }

  async view(name: ServiceName): Promise<ServiceView> {
    const track = this.#track(name)
    const external = name === 'platform' ? this.#options.externalPlatform() : this.#services.get(name)?.externalUrl
    const isExternal = typeof external === 'string' && track.pid === null
    const isUp = ['starting', 'ready', 'backoff', 'stopping'].includes(track.state)
    const isFree = !isExternal && track.state !== 'absent' && track.usedBy !== 'run'
    return {
      name,
      state: isExternal ? 'external' : track.state,
      detail: track.state === 'absent' ? 'this installation does not have it' : track.detail,
      url: isExternal ? external : track.url,
      used_by: track.usedBy,
      profile: track.profile,
      pid: track.pid,
      since: track.since,
      restarts: track.restarts,
      last_exit: track.lastExit,
      usage: track.pid === null ? null : await this.#usageOf(track.pid),
      settings: track.settings,
      can: { start: isFree && !isUp, stop: isFree && isUp, restart: isFree && isUp },
    }
  }

  logs(name: ServiceName, after: number, follow: boolean, signal: AbortSignal) {
    return this.#track(name).log.read(after, follow, signal)
  }

  /** Throws `ControlFailure` for one that is not here or that a run has. */
  async start(name: ServiceName, platform: PlatformChoice): Promise<ServiceView> {
    if (name === 'platform') {
      if (this.#options.externalPlatform() !== null)
        throw new ControlFailure('service_state', 'the settings name a platform elsewhere: it is started there')
      await this.#options.platform.startForPanel(platform.profile, platform.modelSet)
    } else {
      const service = this.#known(name)
      if (service.externalUrl !== null)
        throw new ControlFailure(
          'service_state',
          `${name} is configured as an external service: start it where it runs`,
        )
      service.start('panel')
    }
    return this.view(name)
  }

  /** Starts what is to be there from the beginning. */
  startWithEngine(): void {
    for (const service of this.#services.values())
      if (service.definition.start === 'with_engine') service.start('panel')
  }

  /**
   * Returns where a page's call of a service goes: started for it when it is down, waited for when it starts again. The platform is not started
   * here, because it serves one dataset at a time. Throws `ControlFailure` and `ServiceFailedError`.
   */
  async addressFor(name: ServiceName): Promise<ServiceAddress> {
    if (name !== 'platform') {
      const service = this.#known(name)
      return service.listening() ?? service.address('panel')
    }
    const address = await this.#options.platformAddress()
    if (address !== null) return address
    throw new ControlFailure('service_state', 'the platform is not up: start it with a dataset first', undefined, true)
  }

  /** Environment by which the platform finds the services that read its corpus; one that does not start is reported and left out. */
  async readersFor(names: readonly LocalServiceName[]): Promise<Record<string, string>> {
    const found = await Promise.all(
      names.map(async (name) => {
        try {
          return await this.#known(name).environment()
        } catch (error) {
          const message = `${name} does not run, so files that need it cannot be read: ${(error as Error).message}`
          this.#options.emit({ type: 'notice', level: 'warning', message })
          return {}
        }
      }),
    )
    return Object.assign({}, ...found) as Record<string, string>
  }

  runEnded(): void {
    for (const service of this.#services.values()) service.runEnded()
  }

  async stop(name: ServiceName): Promise<ServiceView> {
    if (name === 'platform') await this.#options.platform.stopForPanel()
    else await this.#known(name).stop()
    return this.view(name)
  }

  async close(): Promise<void> {
    await Promise.all([this.#options.platform.close(), ...[...this.#services.values()].map((each) => each.stop())])
  }

  #track(name: ServiceName): ServiceTrack {
    if (name === 'platform') return this.#options.platform.track
    return this.#services.get(name)?.track ?? this.#absent.get(name)!
  }

  #known(name: ServiceName): LocalService {
    const service = this.#services.get(name)
    if (service !== undefined) return service
    throw new ControlFailure('not_supported', `${name}: this installation does not have it`)
  }
}

interface ProcessUsage {
  rss_bytes: number
  /** Of one processor since the last call; null at the first. */
  cpu_percent: number | null
}

/** Kernel ticks per second in `/proc`; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/** Memory and processor use of a process; null where there is no `/proc`, or no such process. */
function createUsageMeter(): (pid: number) => Promise<ProcessUsage | null> {
  const last = new Map<number, { ticks: number; atMs: number }>()
  return async (pid) => {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null),
      readFile(`/proc/${pid}/status`, 'utf8').catch(() => null),
    ])
    const rssKb = /^VmRSS:\s+(\d+) kB/m.exec(status ?? '')?.[1]
    if (stat === null || rssKb === undefined) {
      last.delete(pid)
      return null
    }
    // The name, second field, may contain spaces and brackets: count from its end. User and system time are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const now = { ticks: Number(fields[11]) + Number(fields[12]), atMs: performance.now() }
    const before = last.get(pid)
    last.set(pid, now)
    const seconds = before === undefined ? 0 : (now.atMs - before.atMs) / 1000
    const used = before === undefined ? 0 : (now.ticks - before.ticks) / TICKS_PER_SECOND
    return { rss_bytes: Number(rssKb) * 1024, cpu_percent: seconds < 0.2 ? null : (used / seconds) * 100 }
  }
}
