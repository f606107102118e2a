// Sums up the closed evidence of a run in a process of its own, as `rag-ladder report` does; prints what it cost as one line of JSON.
import { artifactFiles } from '../../main/evidence/files/artifact-files.ts'
import { writeAtomic } from '../../main/lib/files/write-atomic.ts'
import { aggregateText } from '../../main/report/aggregate/aggregate-run.ts'
import { writeLongCsv } from '../../main/report/csv/long-csv.ts'
import { summarizeRun } from '../../main/report/publication/write-artifacts.ts'

const [folder, runId, datasetId, csv] = process.argv.slice(2) as [string, string, string, string]
const files = artifactFiles(folder, runId, datasetId)
const cpuAt = process.cpuUsage()
const startedAt = performance.now()
const aggregate = await summarizeRun(files, runId, datasetId)
const json = await writeAtomic(files.evaluation, aggregateText(aggregate))
const table = await writeLongCsv(csv, { aggregates: [aggregate], snapshots: [] })
const seconds = (performance.now() - startedAt) / 1000
const { user, system } = process.cpuUsage(cpuAt)
process.stdout.write(
  JSON.stringify({
    seconds,
    cpuSeconds: (user + system) / 1e6,
    hashes: `${json.sha256} ${table.sha256}`,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
  }),
)
