import { basename, dirname } from 'node:path'
import { countWords, plural } from '../../../contract/words.ts'
import { remedyFor } from '../../../core/remedy.ts'
import type { EvidenceRefusal } from '../../evidence/evidence-log.ts'
import { artifactFilesOf } from '../../evidence/files/artifact-files.ts'
import type { EvidenceReport } from '../../evidence/verify-evidence.ts'
import { readAggregate } from './write-artifacts.ts'

/** Reports rows that the summary beside an evidence file was made from and that the file does not hold any more; null where there are none. */
export async function removedRows({
  file,
  rows,
  supersededRows,
  runId,
}: EvidenceReport): Promise<EvidenceRefusal | null> {
  const prefix = /^(.+)-evidence\.jsonl(?:\.br)?$/.exec(basename(file))?.[1]
  if (prefix === undefined) return null
  const { evaluation } = artifactFilesOf(dirname(file), prefix)
  const summary = await readAggregate(evaluation)
  if (summary === null || (runId !== null && runId !== summary.run_id)) return null
  const summed = summary.approaches.reduce((sum, { cells }) => sum + cells.ok + cells.error + cells.timeout, 0)
  const held = rows - supersededRows
  if (held >= summed) return null
  const again = remedyFor({
    panel: 'go on with the run in New run, under its own name',
    commandLine: `go on with the run, with its options: rag-ladder ladder --no-cold-reset --run-id ${summary.run_id} --dataset ${summary.dataset.id}`,
  })
  return {
    code: 'missing_rows',
    file,
    offset: null,
    line: null,
    message: `${file}: ${plural(summed - held, 'row')} ${summed - held === 1 ? 'is' : 'are'} missing: ${basename(evaluation)} was made from ${countWords(summed)}, the file holds ${countWords(held)}`,
    remedy: `restore the file from a copy; to get other answers to these questions, ${again}`,
  }
}
