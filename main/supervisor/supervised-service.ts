import { serviceText } from '../../core/known-secrets.ts'
import { messageOf } from '../../core/json.ts'
import type { LaunchedProcess, LaunchSpec, ProcessLauncher } from './process-launcher.ts'
import { initialSupervision, supervise, type Effect, type Observation, type ServiceState } from './service-state.ts'

export interface ServiceSpec {
  name: string
  launch: LaunchSpec
  /** Resolves true when the service at this address really works. Throws `ServiceUnhealthyError` where the service itself reports that it does not. */
  probe: (url: string, signal: AbortSignal) => Promise<boolean>
  startTimeoutMs?: number
  watch?: Partial<Watch>
  /** Limits how long a service may take to end by itself before it is killed. */
  graceMs?: number
}

/** Describes how a ready service is asked again whether it works. */
export interface Watch {
  everyMs: number
  timeoutMs: number
  /** So many failed probes in a row restart it: a long job or a busy machine makes one late, not all of them. */
  failures: number
}

const WATCH: Watch = { everyMs: 15_000, timeoutMs: 20_000, failures: 4 }

/** A service could not be brought up; `lastLines` is the end of what it printed. */
export class ServiceFailedError extends Error {
  override readonly name = 'ServiceFailedError'
  readonly code: 'service_failed' | 'service_misconfigured'
  readonly lastLines: string[]
  /** It cannot start as it is set up: the message states what the user must change. */
  readonly isConfiguration: boolean

  constructor(service: string, state: Extract<ServiceState, { name: 'failed' }> | null, lastLines: string[]) {
    const isConfiguration = state?.failure === 'configuration'
    const end = lastWords(lastLines)
    super(
      isConfiguration && end.length > 0
        ? end.join('\n')
        : [`${service} does not run: ${state?.reason ?? 'it was stopped'}`, ...end.map((line) => `  ${line}`)].join(
            '\n',
          ),
    )
    this.code = isConfiguration ? 'service_misconfigured' : 'service_failed'
    this.lastLines = lastLines
    this.isConfiguration = isConfiguration
  }
}

/** A service answers that it does not work; the message is its reason. */
export class ServiceUnhealthyError extends Error {
  override readonly name = 'ServiceUnhealthyError'
}

interface ProbeFailure {
  failure: 'unresponsive' | 'unhealthy'
  reason: string
}

type Listener = (state: ServiceState) => void

const READY_MESSAGE = 'ready'

/** One child kept alive: started, probed, restarted with backoff, stopped with grace. */
export class SupervisedService {
  readonly name: string
  readonly log = new LogRing(200)
  #spec: ServiceSpec
  #launcher: ProcessLauncher
  #supervision = initialSupervision()
  #child: LaunchedProcess | null = null
  #url: string | null = null
  #lastUrl: string | null = null
  #timers = new Set<NodeJS.Timeout>()
  #listeners = new Set<Listener>()

  constructor(spec: ServiceSpec, launcher: ProcessLauncher) {
    this.name = spec.name
    this.#spec = spec
    this.#launcher = launcher
  }

  get state(): ServiceState {
    return this.#supervision.state
  }

  /** Base address; null unless the service is ready. */
  get url(): string | null {
    return this.state.name === 'ready' ? this.#url : null
  }

  onState(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Starts and resolves with the base address. Throws `ServiceFailedError` when it fails or is stopped. */
  async start(): Promise<string> {
    this.#observe({ type: 'start' })
    const state = await this.#settled(['ready', 'failed', 'stopped'])
    if (state.name === 'ready' && this.#url !== null) return this.#url
    throw new ServiceFailedError(this.name, state.name === 'failed' ? state : null, this.log.lines())
  }

  /** Resolves at once when the service works, else when it does again. Throws `ServiceFailedError` when it will not. */
  async whenReady(): Promise<void> {
    if (this.state.name === 'ready') return
    const state = await this.#settled(['ready', 'failed', 'stopped', 'idle'])
    if (state.name === 'ready') return
    throw new ServiceFailedError(this.name, state.name === 'failed' ? state : null, this.log.lines())
  }

  /** Asks the child to end, then SIGTERM, then SIGKILL; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#observe({ type: 'stop' })
    await this.#settled(['stopped', 'failed', 'idle'])
  }

  async #settled(names: ServiceState['name'][]): Promise<ServiceState> {
    if (names.includes(this.state.name)) return this.state
    return new Promise((resolve) => {
      const off = this.onState((state) => {
        if (!names.includes(state.name)) return
        off()
        resolve(state)
      })
    })
  }

  #observe(observation: Observation): void {
    const before = this.state.name
    const { next, effects } = supervise(this.#supervision, observation, Math.random())
    this.#supervision = next
    if (next.state.name !== before) {
      this.#clearTimers()
      for (const listener of this.#listeners) listener(next.state)
    }
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'spawn':
        this.#spawn()
        return
      case 'kill':
        this.#child?.signalGroup('SIGKILL')
        return
      case 'wait':
        this.#after(effect.forMs, () => this.#observe({ type: 'backoff_elapsed' }))
        return
      case 'ask_to_stop': {
        const child = this.#child
        const graceMs = this.#spec.graceMs ?? 5000
        child?.requestStop()
        this.#after(graceMs, () => child?.signalGroup('SIGTERM'))
        this.#after(graceMs * 2, () => child?.signalGroup('SIGKILL'))
      }
    }
  }

  #spawn(): void {
    let child: LaunchedProcess
    try {
      child = this.#launcher.launch(this.#launchSpec())
    } catch (error) {
      this.#observe({
        type: 'spawn_failed',
        atMs: Date.now(),
        reason: messageOf(error),
      })
      return
    }
    this.#child = child
    this.#url = null
    child.onLine((line) => this.log.push(line))
    child.onMessage((message) => void this.#onMessage(child, message))
    child.onExit((code, signal) => {
      // A process that the child itself started must not outlive it.
      child.signalGroup('SIGKILL')
      if (this.#child !== child) return
      this.#child = null
      this.#observe({ type: 'exited', atMs: Date.now(), code, signal })
    })
    this.#after(this.#spec.startTimeoutMs ?? 30_000, () => this.#observe({ type: 'start_timed_out', atMs: Date.now() }))
  }

  #launchSpec(): LaunchSpec {
    const { launch } = this.#spec
    if (this.#lastUrl === null || launch.restartEnv === undefined) return launch
    return { ...launch, env: { ...launch.env, ...launch.restartEnv(this.#lastUrl) } }
  }

  async #onMessage(child: LaunchedProcess, message: unknown): Promise<void> {
    const { type, url } = message as { type?: unknown; url?: unknown }
    if (type !== READY_MESSAGE || typeof url !== 'string') return
    const problem = await this.#problem(url, this.#spec.startTimeoutMs ?? 30_000)
    if (this.#child !== child) return
    if (problem !== null) {
      this.#observe({ type: 'probe_failed', atMs: Date.now(), ...problem })
      return
    }
    this.#url = url
    this.#lastUrl = url
    this.#observe({ type: 'probe_passed', atMs: Date.now() })
    this.#watch(child, url, 0)
  }

  /** Asks a ready service again and again; its timer ends with the state. */
  #watch(child: LaunchedProcess, url: string, failed: number): void {
    const { everyMs, timeoutMs, failures } = { ...WATCH, ...this.#spec.watch }
    this.#after(everyMs, async () => {
      const problem = await this.#problem(url, timeoutMs)
      if (this.#child !== child || this.state.name !== 'ready') return
      if (problem === null || failed + 1 < failures) {
        this.#watch(child, url, problem === null ? 0 : failed + 1)
        return
      }
      const reason = `it failed its probe ${failures} times in a row, at last with: ${problem.reason}`
      this.log.push(`${this.name} is restarted: ${reason}`)
      this.#observe({ type: 'probe_failed', atMs: Date.now(), failure: problem.failure, reason })
    })
  }

  /** Why the service does not work; null when it does. A probe that does not end is a failed one. */
  async #problem(url: string, timeoutMs: number): Promise<ProbeFailure | null> {
    const unresponsive = (reason: string): ProbeFailure => ({ failure: 'unresponsive', reason })
    const signal = AbortSignal.timeout(timeoutMs)
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
    try {
      const works = await Promise.race([this.#spec.probe(url, signal), late])
      return works ? null : unresponsive('the answer of another program')
    } catch (error) {
      if (signal.aborted) return unresponsive(`no answer within ${timeoutMs / 1000} s`)
      if (error instanceof ServiceUnhealthyError) return { failure: 'unhealthy', reason: error.message }
      return unresponsive(messageOf(error))
    }
  }

  #after(ms: number, action: () => unknown): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void action()
    }, ms)
    this.#timers.add(timer)
  }

  #clearTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }
}

/** The last lines of a child's output, in order. */
class LogRing {
  #lines: string[] = []
  #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  push(line: string): void {
    this.#lines.push(serviceText(line, 2000))
    if (this.#lines.length > this.#capacity) this.#lines.shift()
  }

  lines(): string[] {
    return [...this.#lines]
  }
}

/** Also the frames without a position, and the frame before the properties of an error (`… {`). A sentence that begins with "at" is indented by nothing. */
const STACK_FRAME =
  /^\s+(?:at .*(?::\d+:\d+\)?|<anonymous>\)?|\((?:native|index \d+)\))(?: \{)?|at async \S+|\.\.\. \d+ lines matching cause stack trace \.\.\.)$|^Node\.js v\d+\.\d+\.\d+\S*$/

/** The last lines that a person can use: without the frames of a stack, which would push the sentence with the reason out. */
export const lastWords = (lines: readonly string[]): string[] =>
  lines.filter((line) => !STACK_FRAME.test(line) && line.trim() !== '').slice(-8)
