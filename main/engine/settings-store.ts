import { readFile } from 'node:fs/promises'
import {
  EngineSettings,
  SecretName,
  type SecretOrigins,
  type SettingsUpdate,
  type SettingsView,
} from '../../contract/control/settings.ts'
import { describeIssues } from '../../core/issues.ts'
import { PLATFORM_GATEWAY } from '../../contract/manifests/evaluation.ts'
import { jsonIn } from '../../core/json.ts'
import { readRunnerInputs, type RunnerInputs } from '../manifests/runner-inputs.ts'
import { oneAfterAnother } from '../lib/one-after-another.ts'
import { isTrusted, originOf, trustAddresses } from '../lib/trust/trusted-addresses.ts'
import { writeAtomic } from '../lib/files/write-atomic.ts'
import { remedyFor } from '../../core/remedy.ts'

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name

/** The runner's input that a setting or token replaces has the same name in camel case. */
const inputOf = <Name extends SecretName | keyof EngineSettings>(name: Name): CamelCase<Name> & keyof RunnerInputs =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name> & keyof RunnerInputs

type Environment = Readonly<Record<string, string | undefined>>

/** A person's settings, laid over those of the environment. Secrets of a session live in memory only. */
export class SettingsStore {
  readonly #file: string
  readonly #fromEnvironment: RunnerInputs
  readonly #env: Environment
  readonly #session = new Map<SecretName, string>()
  #settings: EngineSettings
  readonly #inTurn = oneAfterAnother()

  private constructor(file: string, environment: RunnerInputs, settings: EngineSettings, env: Environment) {
    this.#env = env
    this.#file = file
    this.#fromEnvironment = environment
    this.#settings = settings
  }

  /** Reads the settings file; an invalid one is reported by `warn` and its settings count as unset. Throws `InputError` for a bad environment. */
  static async open(file: string, env: Environment, warn: (message: string) => void): Promise<SettingsStore> {
    const environment = readRunnerInputs(env)
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return '{}'
      if (code === 'EISDIR') return ''
      throw error
    })
    return new SettingsStore(file, environment, trustedOnly(parsed(text, file, warn), file, env, warn), env)
  }

  get settings(): EngineSettings {
    return this.#settings
  }

  /** Set of models for the embedded platform; null leaves it to the manifest. */
  get modelSet(): string | null {
    return this.inputs().modelSet
  }

  /** Returns what the runner reads: settings first, then the environment. */
  inputs(): RunnerInputs {
    const given = Object.entries(this.#settings).filter(([, value]) => value !== null)
    const secrets = [...this.#session]
    const replaced = [...given, ...secrets].map(([name, value]) => [inputOf(name as keyof EngineSettings), value])
    return { ...this.#fromEnvironment, ...(Object.fromEntries(replaced) as Partial<RunnerInputs>) }
  }

  /** Returns where each secret comes from. */
  secrets(): SettingsView['secrets'] {
    const source = (name: SecretName) =>
      this.#session.has(name) ? 'session' : this.#fromEnvironment[inputOf(name)] === null ? 'unset' : 'environment'
    return Object.fromEntries(SecretName.options.map((name) => [name, source(name)])) as SettingsView['secrets']
  }

  /** Returns where each token is sent now. */
  secretOrigins(): SecretOrigins {
    const inputs = this.inputs()
    const origins = SecretName.options.map((name) => [name, originOf(DESTINATIONS[name](inputs) ?? '')])
    return Object.fromEntries(origins) as SecretOrigins
  }

  /** Durable when it resolves, secrets apart. Changes are made one after another, so that none overwrites another. */
  update(change: SettingsUpdate): Promise<void> {
    return this.#inTurn(() => this.#apply(change))
  }

  async #apply({ settings, secrets = {} }: SettingsUpdate): Promise<void> {
    const next = EngineSettings.parse({ ...this.#settings, ...settings })
    // The person has entered them just now.
    const entered = ADDRESS_NAMES.flatMap((name) => addressOf(settings ?? {}, name) ?? [])
    if (entered.length > 0) trustAddresses(entered, this.#env)
    if (settings !== undefined) await writeAtomic(this.#file, `${JSON.stringify(next, null, 2)}\n`)
    const before = this.secretOrigins()
    this.#settings = next
    const after = this.secretOrigins()
    // A token was entered for the address of that moment: it is not sent to another one.
    for (const name of SecretName.options) if (before[name] !== after[name]) this.#session.delete(name)
    for (const [name, value] of Object.entries(secrets) as [SecretName, string | null][])
      if (value === null) this.#session.delete(name)
      else this.#session.set(name, value)
  }
}

/** The address that each token is sent to. */
const DESTINATIONS: Record<SecretName, (inputs: RunnerInputs) => string | null> = {
  gateway_api_key: ({ gatewayUrl }) => gatewayUrl,
  platform_token: ({ platformUrl, gatewayUrl }) => platformUrl ?? gatewayUrl,
  evaluator_api_key: ({ evaluatorUrl, platformUrl, gatewayUrl }) => evaluatorUrl ?? platformUrl ?? gatewayUrl,
  judge_api_key: ({ judgeEndpoint }) => (judgeEndpoint === PLATFORM_GATEWAY ? null : judgeEndpoint),
}

/** Settings that decide where tokens are sent. */
const ADDRESS_NAMES = ['gateway_url', 'platform_url', 'evaluator_url', 'judge_endpoint'] as const

const addressOf = (settings: Partial<EngineSettings>, name: (typeof ADDRESS_NAMES)[number]): string | null => {
  const value = settings[name] ?? null
  return value === PLATFORM_GATEWAY ? null : value
}

/** The settings file lies in the project, which may come from anyone: an address counts only when this person has entered or allowed it here. */
function trustedOnly(
  settings: EngineSettings,
  file: string,
  env: Environment,
  warn: (message: string) => void,
): EngineSettings {
  const used = { ...settings }
  for (const name of ADDRESS_NAMES) {
    const address = addressOf(settings, name)
    if (address === null || isTrusted(address, env)) continue
    used[name] = null
    warn(
      `${file}: the ${name.replaceAll('_', ' ')} ${address} was not entered on this computer and is not used. If it is yours, enter it under Settings${remedyFor({ panel: '', commandLine: `, or run: rag-ladder trust ${originOf(address) ?? address}` })}`,
    )
  }
  return used
}

function parsed(text: string, file: string, warn: (message: string) => void): EngineSettings {
  const json = jsonIn(text)
  if (json === undefined) {
    warn(`${file} is not JSON: its settings are not used`)
    return EngineSettings.parse({})
  }
  const result = EngineSettings.safeParse(json)
  if (result.success) return result.data
  warn(`${file}: ${describeIssues(result.error).join('; ')}: its settings are not used`)
  return EngineSettings.parse({})
}
