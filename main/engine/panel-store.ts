import { readFile } from 'node:fs/promises'
import { PanelState } from '../../contract/control/settings.ts'
import { jsonIn } from '../../core/json.ts'
import { oneAfterAnother } from '../lib/one-after-another.ts'
import { orIfMissing } from '../lib/files/missing-file.ts'
import { writeAtomic } from '../lib/files/write-atomic.ts'

/** Keeps what the panel remembers, in one file of the state folder; a file that is missing or unusable counts as nothing remembered. */
export class PanelStore {
  readonly #file: string
  #state: PanelState
  readonly #inTurn = oneAfterAnother()

  private constructor(file: string, state: PanelState) {
    this.#file = file
    this.#state = state
  }

  /** Reads the file; one that is not usable is reported by `warn`. */
  static async open(file: string, warn: (message: string) => void): Promise<PanelStore> {
    const text = await orIfMissing(readFile(file, 'utf8'), '{}')
    const state = PanelState.safeParse(jsonIn(text)).data
    if (state === undefined) warn(`${file} holds no panel state of this version: the panel starts as in a new project.`)
    return new PanelStore(file, state ?? PanelState.parse({}))
  }

  get state(): PanelState {
    return this.#state
  }

  /** Durable when it resolves. Changes are made one after another. */
  save(state: PanelState): Promise<PanelState> {
    return this.#inTurn(async () => {
      await writeAtomic(this.#file, `${JSON.stringify(state, null, 2)}\n`)
      this.#state = state
      return state
    })
  }
}
