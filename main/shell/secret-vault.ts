import { z } from 'zod'
import { SecretName, type SecretOrigins, SettingsUpdate } from '../../contract/control/settings.ts'
import { oneAfterAnother } from '../lib/one-after-another.ts'
import { JsonFile } from './json-file.ts'

/** The system's secret store: text in, bytes that only this user on this machine can read. */
export interface SecretCipher {
  /** False where the system has none, or only one that keeps nothing secret. */
  isAvailable(): boolean
  encrypt(text: string): Buffer
  decrypt(bytes: Buffer): string
}

/** A token is kept for the origin that it was entered for; '' where no address was set. */
const VaultFile = z.strictObject({
  version: z.literal(2),
  secrets: z.array(z.strictObject({ name: SecretName, origin: z.string(), value: z.base64() })),
})
type Kept = z.infer<typeof VaultFile>['secrets'][number]
type Secrets = Partial<Record<SecretName, string>>

/**
 * Tokens that outlive the engine, encrypted by the system. A token is given out only while the engine would send it to the origin that it was
 * entered for: another project, or another address in the settings, does not get it. Without a secret store nothing is ever written.
 */
export class SecretVault {
  readonly #file: JsonFile<typeof VaultFile>
  readonly #cipher: SecretCipher
  readonly #inTurn = oneAfterAnother()

  constructor(file: string, cipher: SecretCipher) {
    this.#file = new JsonFile(file, VaultFile)
    this.#cipher = cipher
  }

  get isAvailable(): boolean {
    return this.#cipher.isAvailable()
  }

  /** Tokens for these origins; one that cannot be decrypted any more (another user, another machine) is left out. */
  secretsFor(origins: SecretOrigins): Secrets {
    if (!this.isAvailable) return {}
    const entries = this.#kept().flatMap(({ name, origin, value }) => {
      if (origin !== (origins[name] ?? '')) return []
      try {
        return [[name, this.#cipher.decrypt(Buffer.from(value, 'base64'))]]
      } catch {
        return []
      }
    })
    return Object.fromEntries(entries) as Secrets
  }

  /** Names of what `secretsFor` would give, after everything that was set so far. */
  async namesFor(origins: SecretOrigins): Promise<SecretName[]> {
    return this.#inTurn(async () => Object.keys(this.secretsFor(origins)) as SecretName[])
  }

  /** Keeps and removes what a successful call of `settings.update` has set. `body` is the call's; `origins` are those after it. */
  async follow(body: string, origins: SecretOrigins): Promise<void> {
    const changes = Object.entries(secretsOf(body)) as [SecretName, string | null][]
    if (!this.isAvailable || changes.length === 0) return
    await this.#inTurn(async () => {
      let kept = this.#kept()
      for (const [name, value] of changes) {
        const origin = origins[name] ?? ''
        kept = kept.filter((each) => each.name !== name || each.origin !== origin)
        if (value !== null) kept.push({ name, origin, value: this.#cipher.encrypt(value).toString('base64') })
      }
      await this.#file.write({ version: 2, secrets: kept })
    })
  }

  #kept(): Kept[] {
    return this.#file.read()?.secrets ?? []
  }
}

function secretsOf(body: string): Partial<Record<SecretName, string | null>> {
  const { json } = JSON.parse(body) as { json?: unknown }
  return SettingsUpdate.safeParse(json).data?.secrets ?? {}
}
