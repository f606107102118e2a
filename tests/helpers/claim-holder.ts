// Opens a run, claims the cells of q1 and q2, keeps the answer of the first one, reports that, and waits to be killed.
// usage: claim-holder.ts STORE FILE, where STORE is the address of a database or the file again.
import { fileStore } from '../../main/evidence/evidence-store.ts'
import { databaseAddress, isDatabaseAddress } from '../../main/evidence/postgres/database-address.ts'
import { DatabaseStore } from '../../main/evidence/postgres/database-store.ts'
import { sampleIdentity, sampleRow } from './evidence-rows.ts'

const [address, file] = [process.argv[2]!, process.argv[3]!]
const store = isDatabaseAddress(address) ? new DatabaseStore(databaseAddress(address)) : fileStore
const opened = await store.open({ runId: 'run-1', datasetId: 'baseline_curated', file, create: true })
if (!opened.ok) throw new Error(opened.refusal.message)
const { log } = opened
await log.setIdentity(() => sampleIdentity())
for (const question of ['q1', 'q2']) {
  const row = sampleRow({ question })
  const outcome = await log.claim(row.row_id)
  if (outcome.outcome !== 'claimed') throw new Error(`${question} is not free`)
  if (question === 'q1') await log.keepAnswer(outcome.claim, row)
}
process.stdout.write('claimed\n')
setInterval(() => undefined, 1000)
