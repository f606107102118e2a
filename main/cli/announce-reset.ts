import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { InputError } from '../manifests/runner-inputs.ts'
import { plural } from '../report/score-format.ts'
import { filesOf, type PreparedRun } from '../runner/prepare-run.ts'

const NEWLINE = 10

/** Finished cells in an evidence file; 0 when there is none. */
async function cellsIn(file: string): Promise<number> {
  let count = 0
  try {
    for await (const bytes of createReadStream(file) as AsyncIterable<Buffer>)
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return count
}

/** Asks the person at the terminal; null where nobody can be asked. */
export function questioner(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): ((text: string) => Promise<string>) | null {
  if (!input.isTTY || !output.isTTY) return null
  return async (text) => {
    const lines = createInterface({ input, output })
    try {
      return await lines.question(text)
    } finally {
      lines.close()
    }
  }
}

/**
 * Says what a cold reset is about to delete, before it does; where somebody can be asked who has not ordered it by `--cold-reset`, asks.
 * Throws `InputError` when they do not agree: nothing has been deleted then.
 */
export async function announceReset(
  run: Pick<PreparedRun, 'datasets' | 'resultsDir' | 'runId' | 'fileOverrides'>,
  isOrdered: boolean,
  ask: ((text: string) => Promise<string>) | null,
  tell: (message: string) => void,
): Promise<void> {
  const counts = await Promise.all(run.datasets.map(({ dataset }) => cellsIn(filesOf(run, dataset.id).evidence)))
  const cells = counts.reduce((sum, count) => sum + count, 0)
  if (cells === 0) return
  const what = `the cold reset deletes ${plural(cells, 'finished cell')} of run ${run.runId}, its summaries and its collections; --no-cold-reset keeps them and makes only what is missing`
  if (isOrdered || ask === null) {
    tell(what)
    return
  }
  const answer = await ask(`${what}\nDelete and begin anew? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new InputError(['nothing was deleted: give --no-cold-reset to go on with this run'])
}
