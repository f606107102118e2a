import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hash } from 'node:crypto'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import { DocumentWarning, type IngestionRecord } from '../../../contract/http/ingestion.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { plural } from '../../../contract/words.ts'
import { jsonIn } from '../../../core/json.ts'
import { remedyFor } from '../../../core/remedy.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { STATE_FOLDER } from '../../manifests/project/project-folder.ts'

const fileOf = (root: string, datasetId: string): string =>
  join(root, STATE_FOLDER, 'document-warnings', `${datasetId}.json`)

/** Keeps what the readers of a dataset's documents left out, for its check, and reports how much that is. */
export async function keepDocumentWarnings(
  root: string,
  datasetId: string,
  record: IngestionRecord,
  emit: (event: RunEvent) => void,
): Promise<void> {
  const warnings = record.phases.find(({ name }) => name === 'parse')?.document_warnings
  // An earlier version of the platform, or another one, reports none.
  if (warnings === undefined) return
  const file = fileOf(root, datasetId)
  await mkdir(dirname(file), { recursive: true })
  await writeAtomic(file, `${JSON.stringify(warnings)}\n`)
  const [first] = warnings
  if (first === undefined) return
  const documents = new Set(warnings.map(({ file: path }) => path)).size
  const list = remedyFor({ panel: 'The tab Check of the dataset', commandLine: `\`dataset check ${datasetId}\`` })
  emit({
    type: 'notice',
    level: 'warning',
    message: `${plural(documents, 'document')} of ${datasetId} read with a warning, first ${first.file}: ${first.message}. ${list} lists them`,
  })
}

/** The warnings of the last ingestion about documents that are still the same. */
export async function documentWarnings(
  root: string,
  datasetId: string,
  corpusPath: string,
): Promise<DocumentWarning[]> {
  const text = await orIfMissing(readFile(fileOf(root, datasetId), 'utf8'), '[]')
  const warnings = DocumentWarning.array().parse(jsonIn(text))
  const paths = [...new Set(warnings.map(({ file }) => file))]
  const digests = new Map(
    await Promise.all(
      paths.map(async (path): Promise<[string, string | null]> => {
        const bytes = await orIfMissing(readFile(join(root, corpusPath, path)), null)
        return [path, bytes === null ? null : hash('sha256', bytes)]
      }),
    ),
  )
  return warnings.filter(({ file, sha256 }) => digests.get(file) === sha256)
}
