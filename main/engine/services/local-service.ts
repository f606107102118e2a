import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createHttpClient } from '../../../core/http/http-client.ts'
import { isRecord, messageOf } from '../../../core/json.ts'
import type { LocalServiceName } from '../../../contract/control/service-list.ts'
import { plainNumber } from '../../../core/plain-number.ts'
import { portOrAny } from '../../supervisor/free-port.ts'
import type { ProcessLauncher } from '../../supervisor/process-launcher.ts'
import { detailOf } from '../../supervisor/service-state.ts'
import { ServiceUnhealthyError, SupervisedService } from '../../supervisor/supervised-service.ts'
import type { ServiceDefinition } from './service-definitions.ts'
import { ServiceTrack } from './service-track.ts'

/** Describes where a service is and what opens it. */
export interface ServiceAddress {
  url: string
  token: string | null
  /** Key of an edge in front of it. */
  edgeKey?: string | null
}

interface LocalServiceOptions {
  launcher: ProcessLauncher
  /** The engine's environment. */
  env: Readonly<Record<string, string | undefined>>
  /** Each service has a folder of its own in it. */
  stateDir: string
  changed: (track: ServiceTrack) => void
  /** Starts another service that this one calls. */
  need: (name: LocalServiceName) => Promise<Record<string, string>>
}

interface Use {
  /** Rejects when a service that it needs is unavailable. */
  service: Promise<SupervisedService>
  /** Resolves when it works for the first time. */
  started: Promise<string>
}

function wantedPort({ portSetting, defaultPort }: ServiceDefinition, env: LocalServiceOptions['env']): number {
  // The service itself refuses a malformed value, by the name of its variable.
  const port = plainNumber(env[portSetting] ?? '', 'whole') ?? defaultPort
  return port >= 0 && port <= 65_535 ? port : defaultPort
}

/** A service beside the platform: started when a request needs it, kept alive until it is stopped; or one that runs elsewhere, only named here. */
export class LocalService {
  readonly track: ServiceTrack
  readonly definition: ServiceDefinition
  /** Set when it runs elsewhere. */
  readonly externalUrl: string | null
  readonly #options: LocalServiceOptions
  readonly #token: string | null
  #use: Use | null = null

  constructor(definition: ServiceDefinition, options: LocalServiceOptions) {
    this.definition = definition
    this.#options = options
    const { env } = options
    this.externalUrl = env[definition.endpointVariable]?.replace(/\/+$/, '') || null
    const given = env[definition.tokenVariable] || null
    this.#token = given ?? (this.externalUrl === null ? randomBytes(32).toString('base64url') : null)
    this.track = new ServiceTrack(definition.name, this.externalUrl === null ? 'idle' : 'external')
  }

  /** Resolves at once; the progress is reported as changes of state. Does nothing when it is running. */
  start(by: 'panel' | 'run'): void {
    if (this.externalUrl !== null || (this.#use !== null && this.track.state !== 'failed')) return
    this.track.begin(by, null)
    this.#moved('starting', null)
    const service = this.#prepare()
    const started = service.then((ready) => ready.start())
    const use = { service, started }
    this.#use = use
    // The reason is in its state and its log.
    started.catch(() => undefined)
    service.catch((error: unknown) => {
      if (this.#use !== use) return
      this.#moved('failed', messageOf(error))
    })
  }

  /** Returns where it is, as soon as it works; started for that when it is not up. Throws `ServiceFailedError` when it does not come up. */
  async address(by: 'panel' | 'run'): Promise<ServiceAddress> {
    if (this.externalUrl !== null) return { url: this.externalUrl, token: this.#token }
    this.start(by)
    const { service, started } = this.#use!
    const first = await started
    const running = await service
    await running.whenReady()
    return { url: running.url ?? first, token: this.#token }
  }

  /** Its address, also while it is only reporting its start; null when it does not listen. */
  listening(): ServiceAddress | null {
    const url = this.externalUrl ?? this.track.url
    return url === null ? null : { url, token: this.#token }
  }

  /** A run is over that needed it: it stays, and a person may stop it again. */
  runEnded(): void {
    if (this.track.usedBy === 'run') this.track.usedBy = 'panel'
  }

  /** Returns what another child needs in its environment to call this one. */
  async environment(): Promise<Record<string, string>> {
    const { endpointVariable, tokenVariable } = this.definition
    const { url, token } = await this.address('run')
    return { [endpointVariable]: url, ...(token === null ? {} : { [tokenVariable]: token }) }
  }

  async stop(): Promise<void> {
    const use = this.#use
    this.#use = null
    if (use === null) return
    const service = await use.service.catch(() => null)
    if (service === null) this.#moved('stopped', null)
    else await service.stop()
    this.track.end()
  }

  async #prepare(): Promise<SupervisedService> {
    const { entry, portVariable, tokenVariable, name, needs, healthPath, startTimeoutMs } = this.definition
    const { env, stateDir, launcher, need } = this.#options
    const folder = join(stateDir, 'services', name)
    await mkdir(folder, { recursive: true })
    const neighbours = Object.assign({}, ...(await Promise.all(needs.map(need)))) as Record<string, string>
    const service = new SupervisedService(
      {
        name,
        launch: {
          entry,
          env: {
            ...neighbours,
            RAG_LADDER_STATE_DIR: folder,
            [portVariable]: String(await portOrAny(wantedPort(this.definition, env))),
            ...(this.#token === null ? {} : { [tokenVariable]: this.#token }),
          },
          withoutCredentials: true,
          // Callers keep the address that they were given, so a restart takes the same port.
          restartEnv: (url) => ({ [portVariable]: new URL(url).port }),
        },
        probe: (url, signal) => probeHealth(url + healthPath, signal),
        startTimeoutMs,
      },
      this.track.tap(launcher),
    )
    service.onState((state) => {
      this.#moved(state.name, detailOf(state))
      if (state.name === 'ready') this.track.url = service.url
    })
    return service
  }

  #moved(state: ServiceTrack['state'], detail: string | null): void {
    if (this.track.state === state && this.track.detail === detail) return
    this.track.moved(state, detail)
    this.#options.changed(this.track)
  }
}

const HEALTH_POLL_MS = 500
/** States that services report before they work; any other answer than 200 is a failure. */
const LOADING = new Set(['loading', 'starting', 'initializing'])

/** Resolves true when a service reports that it works; waits while it loads. Throws `ServiceUnhealthyError` with the service's reason; rejects with any other answer, and when aborted. */
export async function probeHealth(url: string, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const { status: code, isOk, json } = await createHttpClient().send(url, { signal })
    if (isOk) return true
    const { status = '', detail } = isRecord(json) ? json : {}
    if (status === 'unhealthy' && typeof detail === 'string') throw new ServiceUnhealthyError(detail)
    if (code !== 503 || typeof status !== 'string' || !LOADING.has(status))
      throw new Error(`${new URL(url).pathname} answered ${code}${status === '' ? '' : `, ${String(status)}`}`)
    await delay(HEALTH_POLL_MS, undefined, { signal })
  }
}
