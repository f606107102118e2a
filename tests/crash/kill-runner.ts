// A small runner that is made to be killed: claims cells in order, "calls the model" by writing a line into its own file, appends
// the row, and writes each acknowledgement to its output. Cells go on for ever unless `last` is given.
import { openSync, writeSync } from 'node:fs'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { openEvidenceLog } from '../../main/evidence/open-evidence-log.ts'
import { failingDisk } from '../helpers/failing-disk.ts'
import { sampleIdentity, sampleReproducibility, sampleRow } from '../helpers/evidence-rows.ts'
import { randomFrom } from '../helpers/random.ts'

export interface KillRunnerInput {
  file: string
  callsFile: string
  seed: number
  first: number
  last: number | null
  inFlight: number
  /** Length of a call; a few milliseconds at random without it. */
  callMs?: number
}

const input = JSON.parse(process.argv[2]!) as KillRunnerInput
const random = randomFrom(input.seed)
const calls = openSync(input.callsFile, 'a')
const reproducibility = sampleReproducibility()
const now = (): string => String(process.hrtime.bigint())
const report = (what: string, rowId: string): void => void writeSync(1, `${what} ${rowId} ${now()}\n`)

// Half of the runners write in two pieces, so that a kill can hit the middle of a line.
const ops = failingDisk({
  write: async (_path, bytes) => {
    if (random() < 0.5) return bytes.length
    await nextTurn()
    return Math.ceil(bytes.length * random())
  },
})
const opened = await openEvidenceLog(input.file, {
  runId: 'run-1',
  create: true,
  ops,
  onNotice: (notice) => report(`notice:${notice.code}`, '-'),
})
if (!opened.ok) {
  report(`refused:${opened.refusal.code}`, '-')
  process.exit(3)
}
const { log } = opened
const agreed = await log.setIdentity(() => sampleIdentity())
if (!agreed.ok) {
  report('conflict', '-')
  process.exit(4)
}
report('ready', '-')

let next = input.first
async function worker(): Promise<void> {
  while (input.last === null || next <= input.last) {
    const answer = 'x'.repeat(random() < 0.1 ? 300_000 : 20 + random() * 2000)
    const row = sampleRow({ question: `q${next++}`, answer, reproducibility })
    const outcome = await log.claim(row.row_id)
    if (outcome.outcome === 'stored') {
      report('reused', row.row_id)
      continue
    }
    const { claim, answered } = outcome
    if (answered === null) {
      writeSync(calls, `${row.row_id} ${now()}\n`)
      await delay(input.callMs ?? random() * 3)
      if (random() < 0.5) {
        await log.keepAnswer(claim, row)
        report('kept', row.row_id)
        await delay(random() * 3)
      }
    }
    await log.append(claim, answered ?? row)
    report('stored', row.row_id)
  }
}

await Promise.all(Array.from({ length: input.inFlight }, worker))
await log.close()
report('done', '-')
