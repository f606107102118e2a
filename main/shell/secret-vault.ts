import { z } from 'zod'
import { SecretName, SettingsUpdate } from '../../contract/control/settings.ts'
import { JsonFile } from './json-file.ts'

/** The system's secret store: text in, bytes that only this user on this machine can read. */
export interface SecretCipher {
  /** False where the system has none, or only one that keeps nothing secret. */
  isAvailable(): boolean
  encrypt(text: string): Buffer
  decrypt(bytes: Buffer): string
}

const VaultFile = z.strictObject({ version: z.literal(1), secrets: z.partialRecord(SecretName, z.base64()) })
type Secrets = Partial<Record<SecretName, string>>

/** Tokens that outlive the engine, encrypted by the system. Without a secret store nothing is ever written. */
export class SecretVault {
  readonly #file: JsonFile<typeof VaultFile>
  readonly #cipher: SecretCipher
  #writing: Promise<void> = Promise.resolve()

  constructor(file: string, cipher: SecretCipher) {
    this.#file = new JsonFile(file, VaultFile)
    this.#cipher = cipher
  }

  get isAvailable(): boolean {
    return this.#cipher.isAvailable()
  }

  /** What is kept; a secret that cannot be decrypted any more (another user, another machine) is left out. */
  all(): Secrets {
    if (!this.isAvailable) return {}
    const entries = Object.entries(this.#file.read()?.secrets ?? {}).flatMap(([name, text]) => {
      try {
        return [[name, this.#cipher.decrypt(Buffer.from(text, 'base64'))]]
      } catch {
        return []
      }
    })
    return Object.fromEntries(entries) as Secrets
  }

  /** What `all` would give, after everything that was set so far. */
  async names(): Promise<SecretName[]> {
    await this.#writing.catch(() => undefined)
    return Object.keys(this.all()) as SecretName[]
  }

  /** Keeps and forgets what a call of `settings.update` that the engine took has set. `body` is the call's. */
  async follow(body: string): Promise<void> {
    const secrets = secretsOf(body)
    if (!this.isAvailable || Object.keys(secrets).length === 0) return
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#keep(secrets))
    await this.#writing
  }

  async #keep(changes: Partial<Record<SecretName, string | null>>): Promise<void> {
    const kept = { ...this.#file.read()?.secrets }
    for (const [name, value] of Object.entries(changes) as [SecretName, string | null][])
      if (value === null) Reflect.deleteProperty(kept, name)
      else kept[name] = this.#cipher.encrypt(value).toString('base64')
    await this.#file.write({ version: 1, secrets: kept })
  }
}

function secretsOf(body: string): Partial<Record<SecretName, string | null>> {
  const { json } = JSON.parse(body) as { json?: unknown }
  return SettingsUpdate.safeParse(json).data?.secrets ?? {}
}
