import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import type { ArtifactPlace } from '../evidence/files/artifact-files.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import type { ResultsFolder } from '../report/publication/results-folder.ts'
import { readEvidenceRows } from '../report/read-evidence.ts'
import { scanArtifacts } from './unusable-files.ts'

/** Names one answer of a run; the dataset is needed where several datasets of the run have the question. */
export interface AnswerName {
  runId: string
  question: string
  model: string
  dataset: string | null
  repeat: number
}

/** The dataset runs of a run that have answers, of one dataset where it is named. Throws `InputError` that lists what there is. */
export async function answeredRuns(
  place: ArtifactPlace,
  runId: string,
  dataset: string | null,
): Promise<ResultsFolder['runs']> {
  const { runs } = await scanArtifacts(place)
  const own = runs.filter(
    (run) => run.runId === runId && run.hasEvidence && (dataset ?? run.datasetId) === run.datasetId,
  )
  if (own.length > 0) return own
  const known = [...new Set(runs.filter(({ hasEvidence }) => hasEvidence).map((run) => run.runId))]
  const where = dataset === null ? '' : ` of the dataset ${dataset}`
  throw new InputError([
    `${place.resultsDir} has no answers${where} of the run ${runId}; it has runs ${known.join(', ') || '(none)'}`,
  ])
}

/** An answer, and what each approach found of the same question. */
export interface FoundAnswer {
  row: CanonicalRow
  all: { model: string; found: number | null }[]
}

/** The answer with what there is of its question. Throws `InputError` that lists what there is. */
export async function answerRow(
  place: ArtifactPlace,
  { runId, question, model, dataset, repeat }: AnswerName,
): Promise<FoundAnswer> {
  const found: CanonicalRow[] = []
  const all: { dataset: string; model: string; found: number | null }[] = []
  const models = new Set<string>()
  for (const { files } of await answeredRuns(place, runId, dataset))
    for await (const row of readEvidenceRows(files.evidence))
      if (row.question.id === question) {
        models.add(row.approach.model)
        if ((row.repeat ?? 1) !== repeat) continue
        if (row.approach.model === model) found.push(row)
        const { all_contexts: contexts } = row.metrics.retrieval
        all.push({ dataset: row.dataset.id, model: row.approach.model, found: contexts?.recall ?? null })
      }
  const [row, other] = found
  if (other !== undefined)
    throw new InputError([
      `--dataset: ${found.map((each) => each.dataset.id).join(' and ')} have the question ${question}; name one`,
    ])
  if (row !== undefined) return { row, all: all.filter((each) => each.dataset === row.dataset.id) }
  throw new InputError([
    models.size === 0
      ? `the run ${runId} has no answer to the question ${question}`
      : `the run ${runId} has no answer ${repeat} of ${model} to ${question}; it has answers of ${[...models].join(', ')}`,
  ])
}
