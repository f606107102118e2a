import { readFile } from 'node:fs/promises'
import { EngineSettings, SecretName, type SettingsUpdate, type SettingsView } from '../../contract/control/settings.ts'
import { describeIssues } from '../../contract/index.ts'
import { readRunnerInputs, type RunnerInputs } from '../manifests/runner-inputs.ts'
import { writeAtomic } from '../report/write-atomic.ts'

const INPUT_OF = {
  gateway_api_key: 'gatewayApiKey',
  platform_token: 'platformToken',
  evaluator_api_key: 'evaluatorApiKey',
  judge_api_key: 'judgeApiKey',
} as const satisfies Record<SecretName, keyof RunnerInputs>

/** A person's settings, laid over what the environment says. Secrets of a session live in memory only. */
export class SettingsStore {
  readonly #file: string
  readonly #fromEnvironment: RunnerInputs
  readonly #session = new Map<SecretName, string>()
  #settings: EngineSettings
  /** The change under way: the next one builds on what it leaves. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(file: string, environment: RunnerInputs, settings: EngineSettings) {
    this.#file = file
    this.#fromEnvironment = environment
    this.#settings = settings
  }

  /** Reads the settings file; one that cannot be used is told and its settings count as unset. Throws `InputError` for a bad environment. */
  static async open(
    file: string,
    env: Readonly<Record<string, string | undefined>>,
    tell: (message: string) => void,
  ): Promise<SettingsStore> {
    const environment = readRunnerInputs(env)
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{}'
      throw error
    })
    return new SettingsStore(file, environment, parsed(text, file, tell))
  }

  get settings(): EngineSettings {
    return this.#settings
  }

  /** Set of models for the embedded platform; null leaves it to the manifest. */
  get modelSet(): string | null {
    return this.inputs().modelSet
  }

  /** What the runner reads: settings first, then the environment. */
  inputs(): RunnerInputs {
    const { gateway_url, evaluator_url, judge_endpoint, judge_models, model_set, concurrency } = this.#settings
    const base = this.#fromEnvironment
    const inputs: RunnerInputs = {
      ...base,
      gatewayUrl: gateway_url ?? base.gatewayUrl,
      evaluatorUrl: evaluator_url ?? base.evaluatorUrl,
      judgeEndpoint: judge_endpoint ?? base.judgeEndpoint,
      judgeModels: judge_models ?? base.judgeModels,
      modelSet: model_set ?? base.modelSet,
      concurrency: concurrency ?? base.concurrency,
    }
    for (const [name, value] of this.#session) inputs[INPUT_OF[name]] = value
    return inputs
  }

  /** Where each secret comes from. */
  secrets(): SettingsView['secrets'] {
    const source = (name: SecretName) =>
      this.#session.has(name) ? 'session' : this.#fromEnvironment[INPUT_OF[name]] === null ? 'unset' : 'environment'
    return Object.fromEntries(SecretName.options.map((name) => [name, source(name)])) as SettingsView['secrets']
  }

  /** Durable when it resolves, secrets apart. Changes are made one after another, so that none overwrites another. */
  update(change: SettingsUpdate): Promise<void> {
    const turn = this.#last.catch(() => undefined).then(() => this.#apply(change))
    this.#last = turn
    return turn
  }

  async #apply({ settings, secrets = {} }: SettingsUpdate): Promise<void> {
    const next = EngineSettings.parse({ ...this.#settings, ...settings })
    if (settings !== undefined) await writeAtomic(this.#file, `${JSON.stringify(next, null, 2)}\n`)
    this.#settings = next
    for (const [name, value] of Object.entries(secrets) as [SecretName, string | null][])
      if (value === null) this.#session.delete(name)
      else this.#session.set(name, value)
  }
}

function parsed(text: string, file: string, tell: (message: string) => void): EngineSettings {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    tell(`${file} is not JSON: its settings are not used`)
    return EngineSettings.parse({})
  }
  const result = EngineSettings.safeParse(json)
  if (result.success) return result.data
  tell(`${file}: ${describeIssues(result.error).join('; ')}: its settings are not used`)
  return EngineSettings.parse({})
}
