import { readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import type { z } from 'zod'
import { writeAtomic } from '../lib/files/write-atomic.ts'

/** A small file of the app's own; one that is missing, or that this version cannot read, counts as absent. */
export class JsonFile<Schema extends z.ZodType> {
  readonly #file: string
  readonly #schema: Schema

  constructor(file: string, schema: Schema) {
    this.#file = file
    this.#schema = schema
  }

  read(): z.infer<Schema> | null {
    try {
      return this.#schema.safeParse(JSON.parse(readFileSync(this.#file, 'utf8'))).data ?? null
    } catch {
      return null
    }
  }

  /** Durable when it resolves, and readable by its owner only. */
  async write(value: z.infer<Schema>): Promise<void> {
    await writeAtomic(this.#file, `${JSON.stringify(value, null, 2)}\n`)
    await chmod(this.#file, 0o600)
  }
}
