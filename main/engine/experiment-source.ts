import { readdir, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { InputProblem } from '../../contract/control/control-error.ts'
import { OWN_DATASET_FILE, OWN_DATASETS_FOLDER } from '../../contract/manifests/datasets.ts'
import { OWN_FLAVORS_FILE } from '../../contract/manifests/flavors.ts'
import { OWN_APPROACHES_FOLDER } from '../../contract/manifests/own-approaches.ts'
import { OWN_MODELS_FILE } from '../../contract/manifests/models.ts'
import { messageOf } from '../../core/json.ts'
import type { Experiment, ExperimentFiles } from '../manifests/experiment.ts'
import { ManifestError } from '../manifests/manifest-error.ts'
import { problemOf } from './control-failure.ts'
import type { ExperimentReply } from './experiment-thread.ts'
import { moduleEntry, threadOptions } from '../lib/module-entry.ts'

const THREAD = moduleEntry('./experiment-thread', import.meta.url)
const MANIFESTS = 'manifests'

/** Manifests are written by hand and load in well under a second; what takes longer or more is a mistake or an attack. */
const LOAD_TIMEOUT_MS = 30_000
const LOAD_MEMORY_MB = 512
/** Between two looks at the names, sizes and times of the files, which take a millisecond or two. */
const LOOK_EVERY_MS = 500

/**
 * Loads the manifests in a thread: parsing 10,000 questions takes about two seconds, in which the engine would answer nothing. Rejects with a
 * `ManifestError`.
 */
async function loadInThread(root: string, files: ExperimentFiles): Promise<Experiment> {
  const worker = new Worker(THREAD, {
    ...threadOptions({ root, files }),
    resourceLimits: { maxOldGenerationSizeMb: LOAD_MEMORY_MB },
  })
  const timer = setTimeout(() => void worker.terminate(), LOAD_TIMEOUT_MS)
  try {
    const reply = await new Promise<ExperimentReply>((done, fail) => {
      worker.once('message', done)
      worker.once('error', (error: unknown) => fail(new ManifestError(MANIFESTS, [messageOf(error)], error)))
      worker.once('exit', () => fail(new ManifestError(MANIFESTS, ['they cannot be read within 30 s'])))
    })
    if (reply.ok) return reply.experiment
    throw new ManifestError(reply.file, reply.problems)
  } finally {
    clearTimeout(timer)
    void worker.terminate()
  }
}

type Loaded = { stamp: string; result: Promise<Experiment> }

/** Describes what the last look at the manifests found. */
interface ExperimentHealth {
  file: string | null
  problems: InputProblem[]
}

/** The project's manifests as they are now: loaded again when a file changed. */
export class ExperimentSource {
  readonly #root: string
  readonly #chosen: ExperimentFiles
  readonly #changed: (health: ExperimentHealth) => void
  #loaded: Loaded | null = null
  #health: ExperimentHealth = { file: null, problems: [] }
  #files: string[] = []
  /** Holds the stamp of the last look. */
  #seen: string | null = null
  #isClosed = false
  #timer: NodeJS.Timeout | null = null

  constructor(root: string, chosen: ExperimentFiles, changed: (health: ExperimentHealth) => void) {
    this.#root = root
    this.#chosen = chosen
    this.#changed = changed
  }

  get health(): ExperimentHealth {
    return this.#health
  }

  /** Reports edits within about a second, on every file system and also of datasets of the person's own. */
  watch(): void {
    // Loaded before the first caller needs it; its problems are in the health.
    this.current().catch(() => undefined)
    this.#lookLater()
  }

  close(): void {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #lookLater(): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref()
  }

  /** Loads what has changed and then stayed the same for one look: editors write a file in several steps. */
  async #look(): Promise<void> {
    const stamp = await this.#stamp()
    const isSettled = stamp === this.#seen
    this.#seen = stamp
    // The problems of a load are in the reported health.
    if (isSettled && stamp !== this.#loaded?.stamp) await this.current().catch(() => undefined)
    this.#lookLater()
  }

  /** Rejects with a `ManifestError`. */
  async current(): Promise<Experiment> {
    const stamp = await this.#stamp()
    const before = this.#loaded
    if (before?.stamp === stamp) return before.result
    const result = this.#load()
    this.#loaded = { stamp, result }
    // Reported whether the watcher or a caller noticed the edit first.
    if (before !== null) void result.catch(() => undefined).then(() => this.#changed(this.#health))
    return result
  }

  async #load(): Promise<Experiment> {
    try {
      const experiment = await loadInThread(this.#root, this.#chosen)
      this.#health = { file: null, problems: [] }
      const { evaluation, datasets } = experiment
      const named = [evaluation.datasets_file, evaluation.flavors_file]
      this.#files = [...named, ...datasets.map(({ dataset }) => dataset.queries_file)]
      return experiment
    } catch (error) {
      if (error instanceof ManifestError)
        this.#health = { file: error.file, problems: error.problems.slice(0, 50).map(problemOf) }
      throw error
    }
  }

  /** Names, sizes and times of every file that counts: as cheap as looking whether something changed can be. */
  async #stamp(): Promise<string> {
    const folder = join(this.#root, MANIFESTS)
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const inside = entries
      .filter((entry) => /\.ya?ml$/.test(entry.name))
      .map((entry) => relative(this.#root, join(entry.parentPath, entry.name)))
    const own = await readdir(join(this.#root, OWN_DATASETS_FOLDER)).catch((): string[] => [])
    const ofPerson = own.map((id) => join(OWN_DATASETS_FOLDER, id, OWN_DATASET_FILE))
    // Their programs too: a row says by which one it was answered.
    const approaches = await readdir(join(this.#root, OWN_APPROACHES_FOLDER)).catch((): string[] => [])
    const names = [
      ...new Set([
        ...inside,
        ...approaches.map((name) => join(OWN_APPROACHES_FOLDER, name)),
        ...ofPerson,
        OWN_FLAVORS_FILE,
        OWN_MODELS_FILE,
        ...this.#files,
        ...(Object.values(this.#chosen) as string[]),
      ]),
    ].sort()
    const parts = await Promise.all(
      names.map(async (name) => {
        // A name that only the manifests of the last load have, and whose file is missing, is not a change.
        const info = await stat(resolve(this.#root, name)).catch(() => null)
        return info === null ? [] : [`${name}\0${info.mtimeMs}\0${info.size}\0${info.ino}`]
      }),
    )
    return parts.flat().join('\n')
  }
}
