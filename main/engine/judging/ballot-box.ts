import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { BlindVote } from '../../../contract/control/judging.ts'
import { Identifier } from '../../../contract/common.ts'
import { describeIssues } from '../../../core/issues.ts'
import { jsonIn } from '../../../core/json.ts'
import { ballotFiles } from '../../judge/human/human-files.ts'
import { type InTurn, oneAfterAnother } from '../../lib/one-after-another.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { ControlFailure } from '../control-failure.ts'

/** Votes on one dataset run until they are opened, and when they were. */
export const Ballots = z.strictObject({
  schema_version: z.literal(1),
  /** Null when the answers were revealed without a round. */
  round_id: Identifier.nullable(),
  votes: z.array(BlindVote),
  revealed: z.strictObject({ at: z.iso.datetime(), rater: z.string() }).nullable(),
})
export type Ballots = z.infer<typeof Ballots>

const EMPTY: Ballots = { schema_version: 1, round_id: null, votes: [], revealed: null }

/** Keeps votes as they are given, one file per dataset run, each change durable before the next. */
export class BallotBox {
  readonly #folder: string
  readonly #turns = new Map<string, InTurn>()

  constructor(folder: string) {
    this.#folder = folder
  }

  fileOf(runId: string, datasetId: string): string {
    return ballotFiles(this.#folder, runId, datasetId).ballotsFile
  }

  async read(runId: string, datasetId: string): Promise<Ballots> {
    const file = this.fileOf(runId, datasetId)
    const text = await orIfMissing(readFile(file, 'utf8'), null)
    if (text === null) return EMPTY
    const value = jsonIn(text)
    if (value === undefined)
      throw new ControlFailure('judges_refused', `${file} is not JSON: the votes in it cannot be used`)
    const parsed = Ballots.safeParse(value)
    if (parsed.success) return parsed.data
    throw new ControlFailure('judges_refused', `${file}: ${describeIssues(parsed.error).slice(0, 3).join('; ')}`)
  }

  /** Changes the ballots of a dataset run; changes of one run happen one after another. */
  async change(
    runId: string,
    datasetId: string,
    change: (ballots: Ballots) => Promise<Ballots> | Ballots,
  ): Promise<Ballots> {
    const file = this.fileOf(runId, datasetId)
    const inTurn = this.#turns.get(file) ?? oneAfterAnother()
    this.#turns.set(file, inTurn)
    return inTurn(async () => {
      const changed = await change(await this.read(runId, datasetId))
      await writeAtomic(file, `${JSON.stringify(changed, null, 2)}\n`)
      return changed
    })
  }
}
