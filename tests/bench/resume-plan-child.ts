// Opens a log and plans all its cells, as a resumed run does; prints what it cost as one line of JSON.
import { openEvidenceLog } from '../../main/evidence/open-evidence-log.ts'
import { sampleIdentities, sampleIdentity } from '../helpers/evidence-rows.ts'

const [file, rowCount] = [process.argv[2]!, Number(process.argv[3])]
let cells = 0
const cellsAt = performance.now()
for (const _ of sampleIdentities(rowCount)) cells += 1
const cellsMs = performance.now() - cellsAt
const cpuAt = process.cpuUsage()
const startedAt = performance.now()
const opened = await openEvidenceLog(file, { runId: 'run-1', create: false })
if (!opened.ok) throw new Error(opened.refusal.message)
const openedAt = performance.now()
const agreed = await opened.log.checkIdentity(() => sampleIdentity())
if (!agreed.ok) throw new Error(JSON.stringify(agreed.conflicts))
const plan = await opened.log.planResume(sampleIdentities(rowCount))
const plannedAt = performance.now()
const cpu = process.cpuUsage(cpuAt)
process.stdout.write(
  JSON.stringify({
    openMs: openedAt - startedAt,
    planMs: plannedAt - openedAt,
    cellsMs,
    cpuMs: (cpu.user + cpu.system) / 1000,
    reuse: plan.reuse.length,
    other: cells - plan.reuse.length,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
  }),
)
await opened.log.close()
