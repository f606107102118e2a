import { readFile } from 'node:fs/promises'
import { EngineSettings, SecretName, type SettingsUpdate, type SettingsView } from '../../contract/control/settings.ts'
import { describeIssues, PLATFORM_GATEWAY } from '../../contract/index.ts'
import { readRunnerInputs, type RunnerInputs } from '../manifests/runner-inputs.ts'
import { isTrusted, originOf, trustAddresses } from '../lib/trusted-addresses.ts'
import { writeAtomic } from '../report/write-atomic.ts'

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name

/** The runner's input that a setting or token replaces has the same name in camel case. */
const inputOf = <Name extends SecretName | keyof EngineSettings>(name: Name): CamelCase<Name> & keyof RunnerInputs =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name> & keyof RunnerInputs

type Environment = Readonly<Record<string, string | undefined>>

/** A person's settings, laid over what the environment says. Secrets of a session live in memory only. */
export class SettingsStore {
  readonly #file: string
  readonly #fromEnvironment: RunnerInputs
  readonly #env: Environment
  readonly #session = new Map<SecretName, string>()
  #settings: EngineSettings
  /** The change under way: the next one builds on what it leaves. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(file: string, environment: RunnerInputs, settings: EngineSettings, env: Environment) {
    this.#env = env
    this.#file = file
    this.#fromEnvironment = environment
    this.#settings = settings
  }

  /** Reads the settings file; one that cannot be used is told and its settings count as unset. Throws `InputError` for a bad environment. */
  static async open(file: string, env: Environment, tell: (message: string) => void): Promise<SettingsStore> {
    const environment = readRunnerInputs(env)
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return '{}'
      if (code === 'EISDIR') return ''
      throw error
    })
    return new SettingsStore(file, environment, trustedOnly(parsed(text, file, tell), file, env, tell), env)
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
    const given = Object.entries(this.#settings).filter(([, value]) => value !== null)
    const secrets = [...this.#session]
    const replaced = [...given, ...secrets].map(([name, value]) => [inputOf(name as keyof EngineSettings), value])
    return { ...this.#fromEnvironment, ...(Object.fromEntries(replaced) as Partial<RunnerInputs>) }
  }

  /** Where each secret comes from. */
  secrets(): SettingsView['secrets'] {
    const source = (name: SecretName) =>
      this.#session.has(name) ? 'session' : this.#fromEnvironment[inputOf(name)] === null ? 'unset' : 'environment'
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
    // The person has entered them just now.
    const entered = ADDRESS_NAMES.flatMap((name) => addressOf(settings ?? {}, name) ?? [])
    if (entered.length > 0) trustAddresses(entered, this.#env)
    if (settings !== undefined) await writeAtomic(this.#file, `${JSON.stringify(next, null, 2)}\n`)
    // A secret was entered for the address of that moment: it does not follow to another one.
    for (const name of ADDRESS_NAMES)
      if (originOf(addressOf(next, name) ?? '') !== originOf(addressOf(this.#settings, name) ?? ''))
        for (const secret of ADDRESSES[name]) this.#session.delete(secret)
    this.#settings = next
    for (const [name, value] of Object.entries(secrets) as [SecretName, string | null][])
      if (value === null) this.#session.delete(name)
      else this.#session.set(name, value)
  }
}

/** Settings that say where a run's credentials go, each with the secrets that go there. */
const ADDRESSES = {
  gateway_url: ['gateway_api_key', 'platform_token'],
  evaluator_url: ['evaluator_api_key'],
  judge_endpoint: ['judge_api_key'],
} as const satisfies Partial<Record<keyof EngineSettings, readonly SecretName[]>>
const ADDRESS_NAMES = Object.keys(ADDRESSES) as (keyof typeof ADDRESSES)[]

const addressOf = (settings: Partial<EngineSettings>, name: keyof typeof ADDRESSES): string | null => {
  const value = settings[name] ?? null
  return value === PLATFORM_GATEWAY ? null : value
}

/** The settings file lies in the project, which may come from anybody: an address counts only when this person has entered or allowed it here. */
function trustedOnly(
  settings: EngineSettings,
  file: string,
  env: Environment,
  tell: (message: string) => void,
): EngineSettings {
  const used = { ...settings }
  for (const name of ADDRESS_NAMES) {
    const address = addressOf(settings, name)
    if (address === null || isTrusted(address, env)) continue
    used[name] = null
    tell(
      `${file}: the ${name.replaceAll('_', ' ')} ${address} was not entered on this computer and is not used. If it is yours, enter it under Settings, or run: rag-ladder trust ${originOf(address) ?? address}`,
    )
  }
  return used
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
