import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import { ControlFailure } from '../control-failure.ts'
import {
  embeddedPlatform,
  platformKeys,
  type PlatformKeys,
  type PlatformSource,
  type RunningPlatform,
} from '../../runner/platform/platform-source.ts'
import type { ProcessLauncher } from '../../supervisor/process-launcher.ts'
import { openStateFolder } from '../../supervisor/state-folder.ts'
import { ServiceTrack } from './service-track.ts'
import { oneAfterAnother } from '../../lib/one-after-another.ts'

interface PlatformHostOptions {
  root: string
  stateDir: string
  launcher: ProcessLauncher
  /** The engine's environment: its settings for the platform take precedence. */
  env: Readonly<Record<string, string | undefined>>
  emit: (event: RunEvent) => void
  /** Environment by which the platform finds the services that read a profile's corpus. */
  readers: (profile: string) => Promise<Record<string, string>>
}

/** A platform that was only started to ask it something stays for so long. */
const IDLE_MS = 120_000

interface PanelUse {
  profile: string
  /** Only started to ask it something: it goes by itself. */
  isPassing: boolean
  /** Resolves when it works; rejects with why it does not. */
  running: Promise<RunningPlatform>
}

/** A platform that can be asked, and its keys. */
export interface AskablePlatform {
  url: string
  operatorToken: string
  graphEngineKey: string
  edgeKey: string | null
}

/**
 * The embedded platform, of which there is one at a time: it serves one dataset's collections and holds their files. A run takes it from
 * the panel and keeps it from dataset to dataset; between runs a person, or a page that shows a graph, may start it.
 */
export class PlatformHost {
  readonly track: ServiceTrack = new ServiceTrack('platform', 'idle')
  readonly #options: PlatformHostOptions
  #panel: PanelUse | null = null
  #hasRun = false
  #idle: NodeJS.Timeout | null = null
  /** Starts and stops for the panel happen one after another. */
  readonly #inTurn = oneAfterAnother()

  constructor(options: PlatformHostOptions) {
    this.#options = options
  }

  /** Takes the platform for a run, before the run touches anything: what the panel had started is stopped first. */
  async beginRun(modelSet: string | null): Promise<PlatformSource> {
    this.#hasRun = true
    await this.#inTurn(() => this.#endPanelUse())
    return {
      ...this.#source(modelSet),
      start: async (profile, stop) => {
        this.track.begin('run', profile)
        try {
          const running = await this.#source(modelSet, stop).start(profile, stop)
          return { ...running, stop: () => this.#endRunUse(running) }
        } catch (error) {
          this.track.end()
          throw error
        }
      },
    }
  }

  /** The run is over and has stopped what it started. */
  endRun(): void {
    this.#hasRun = false
  }

  /** Starts it for the user; resolves at once, the progress is reported as changes of state. Throws while a run uses it. */
  async startForPanel(profile: string, modelSet: string | null): Promise<void> {
    this.#refuseDuringRun()
    await this.#inTurn(async () => {
      if (this.#panel?.profile === profile) {
        this.#panel.isPassing = false
        return
      }
      await this.#endPanelUse()
      this.#beginPanelUse(profile, modelSet, false)
    })
  }

  async stopForPanel(): Promise<void> {
    this.#refuseDuringRun()
    await this.#inTurn(() => this.#endPanelUse())
  }

  /** Ends whatever the panel started; a run ends its own. */
  async close(): Promise<void> {
    await this.#inTurn(() => this.#endPanelUse())
  }

  /** Returns where it is and the key of its gateway; null when it is not up. */
  async gateway(): Promise<{ url: string; token: string; edgeKey: string | null } | null> {
    const { url, state } = this.track
    if (url === null || state !== 'ready') return null
    const { gatewayKey, edgeKey } = await this.#keys()
    return { url, token: gatewayKey, edgeKey }
  }

  /** Returns where it is and its keys; null when it is not up. It is not started for this. */
  async running(): Promise<AskablePlatform | null> {
    const { url, state } = this.track
    if (url === null || state !== 'ready') return null
    const { graphEngineKey, operatorToken, edgeKey } = await this.#keys()
    return { url, graphEngineKey, operatorToken, edgeKey }
  }

  /** Returns true when a platform has ever kept anything for a profile. */
  async hasState(profile: string): Promise<boolean> {
    const info = await stat(join(this.#options.stateDir, 'platform', profile, 'graph')).catch(() => null)
    return info?.isDirectory() === true
  }

  /** The platform with a profile's collections, started for the occasion; null while a run has it with another. */
  async ask(profile: string, modelSet: string | null): Promise<AskablePlatform | null> {
    const { graphEngineKey, operatorToken, edgeKey } = await this.#keys()
    const keys = { graphEngineKey, operatorToken, edgeKey }
    if (this.#hasRun) {
      const { profile: served, url } = this.track
      return served === profile && url !== null ? { url, ...keys } : null
    }
    const use = await this.#inTurn(async () => {
      if (this.#panel?.profile !== profile) {
        // A person's choice is not taken away for a picture.
        if (this.#panel !== null && !this.#panel.isPassing) return null
        await this.#endPanelUse()
        this.#beginPanelUse(profile, modelSet, true)
      }
      this.#stayAWhile()
      return this.#panel
    })
    if (use === null) return null
    return { url: (await use.running).url, ...keys }
  }

  #keys(): Promise<PlatformKeys> {
    return platformKeys(this.#options.stateDir, this.#options.env)
  }

  /** `stop` ends the wait for the services that read a corpus, which may take an hour to fetch a model. */
  #source(modelSet: string | null, stop?: AbortSignal): PlatformSource {
    const { root, stateDir, launcher, env, emit, readers } = this.#options
    return embeddedPlatform({
      env,
      readers: (profile) => unlessAborted(readers(profile), stop),
      root,
      stateRoot: stateDir,
      modelSet,
      launcher: this.track.tap(launcher),
      emit: (event) => {
        if (event.type === 'service.changed') this.track.moved(event.state as ServiceTrack['state'], event.detail)
        emit(event)
      },
    })
  }

  #beginPanelUse(profile: string, modelSet: string | null, isPassing: boolean): void {
    this.track.begin('panel', profile)
    // Who asks before its process is there must not read how the last one ended.
    this.track.moved('starting', null)
    const running = openStateFolder(this.#options.stateDir).then(() => this.#source(modelSet).start(profile))
    this.#panel = { profile, isPassing, running }
    // The reason is in its state and its log.
    running.catch((error: unknown) => {
      if (this.track.state === 'starting') this.track.moved('failed', (error as Error).message)
    })
  }

  async #endPanelUse(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle)
    const use = this.#panel
    this.#panel = null
    if (use === null) return
    const running = await use.running.catch(() => null)
    await running?.stop()
    this.track.end()
  }

  async #endRunUse(running: RunningPlatform): Promise<void> {
    try {
      await running.stop()
    } finally {
      this.track.end()
    }
  }

  #stayAWhile(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    if (this.#panel?.isPassing !== true) return
    const end = (): void => void this.#inTurn(() => this.#endPanelUse()).catch(() => undefined)
    this.#idle = setTimeout(end, IDLE_MS).unref()
  }

  #refuseDuringRun(): void {
    if (this.#hasRun)
      throw new ControlFailure('run_active', 'a run uses the platform: pause or cancel the run first', undefined, true)
  }
}

/** Rejects with the signal's reason as soon as it is aborted. */
async function unlessAborted<Result>(result: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (signal === undefined) return result
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = (): void => reject(signal.reason as Error)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  return Promise.race([result, promise]).finally(() => signal.removeEventListener('abort', leave))
}
