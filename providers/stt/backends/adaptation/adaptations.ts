import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { moduleEntry } from '../../../kit/module-entry.ts'
import { runInWorker } from '../../../kit/run-in-worker.ts'
import type { AdaptTask } from './adapt-worker.ts'

/** What makes other files of the same text: raised when the way of making them changes. */
const VERSION = 1
/** Each has 30 MB. */
const KEPT = 8

/** A language model and a dictionary of the Sphinx programs. */
export interface SphinxModel {
  modelFile: string
  dictionaryFile: string
}

/** Models adapted to texts, kept in a folder by the hash of text and model; the ones that were not used for longest go. */
export class Adaptations {
  readonly #folder: string
  readonly #general: SphinxModel
  readonly #underWay = new Map<string, Promise<SphinxModel>>()

  constructor(folder: string, general: SphinxModel) {
    this.#folder = folder
    this.#general = general
  }

  /** The model for a text; seconds at its first use. Rejects with the signal's reason, and with what is wrong with the general model. */
  async for(text: string, signal: AbortSignal): Promise<SphinxModel> {
    const { size, mtimeMs } = await stat(this.#general.modelFile)
    const key = createHash('sha256').update(`${VERSION} ${size} ${mtimeMs}\n${text}`).digest('hex').slice(0, 32)
    const folder = join(this.#folder, key)
    if (await wasTouched(folder)) return filesIn(folder)
    const made = this.#underWay.get(key) ?? this.#make(key, text, signal)
    this.#underWay.set(key, made)
    try {
      return await made
    } finally {
      this.#underWay.delete(key)
    }
  }

  async #make(key: string, text: string, signal: AbortSignal): Promise<SphinxModel> {
    const [folder, draft] = [join(this.#folder, key), join(this.#folder, `${randomUUID()}.draft`)]
    await mkdir(draft, { recursive: true })
    try {
      const { modelFile: modelTarget, dictionaryFile: dictionaryTarget } = filesIn(draft)
      const task: AdaptTask = { ...this.#general, text, modelTarget, dictionaryTarget }
      await runInWorker(moduleEntry('./adapt-worker', import.meta.url), task, signal)
      // Another process may have been faster; its files are the same.
      await rename(draft, folder).catch(async (error: unknown) => {
        if (!(await wasTouched(folder))) throw error
      })
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
    await this.#forgetOld()
    return filesIn(folder)
  }

  async #forgetOld(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => /^[0-9a-f]{32}$/.test(name))
    const used = await Promise.all(
      names.map(async (name) => ({ name, at: (await stat(join(this.#folder, name)).catch(() => null))?.mtimeMs ?? 0 })),
    )
    const old = used.sort((a, b) => b.at - a.at).slice(KEPT)
    await Promise.all(old.map(({ name }) => rm(join(this.#folder, name), { recursive: true, force: true })))
  }
}

function filesIn(folder: string): SphinxModel {
  return { modelFile: join(folder, 'adapted.lm.bin'), dictionaryFile: join(folder, 'adapted.dict') }
}

/** Whether it is there; then it counts as used now. */
async function wasTouched(folder: string): Promise<boolean> {
  const now = new Date()
  return utimes(folder, now, now).then(
    () => true,
    () => false,
  )
}
