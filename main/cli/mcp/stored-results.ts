// An MCP client may read of a folder of results: runs, verdicts, cells. In: the place of artifacts and the arguments of a tool. Out: plain values, which bounded-reply.ts writes.
// Nothing is written: published folders are unpacked into a temporary one, as every command does.
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { ArtifactPlace } from '../../evidence/files/artifact-files.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { metricOutcome, SCORE_METRICS } from '../../report/aggregate/metric-outcome.ts'
import { ladderReportOf, runsIn } from '../../report/publication/folder-summaries.ts'
import { unpackedFolderForUse } from '../../report/publication/published-folder.ts'
import { readEvidenceRows } from '../../report/read-evidence.ts'
import { verdictsOf } from '../../report/verdict/verdict.ts'
import { answeredRuns, answerRow, type AnswerName } from '../find-answer.ts'
import { scanArtifacts } from '../unusable-files.ts'

interface Page {
  offset: number
  limit: number
}

export interface CellFilter extends Page {
  runId: string
  dataset: string | null
  question: string | null
  model: string | null
  status: CanonicalRow['status'] | null
}

/** The reads of one folder, each on what it holds at that moment. They throw `InputError` for names that it does not have. */
export class StoredResults {
  readonly #place: ArtifactPlace

  constructor(place: ArtifactPlace) {
    this.#place = place
  }

  /** Every run, with its datasets and what is stored of them. */
  runs({ offset, limit }: Page): Promise<unknown> {
    return this.#read(async (place) => {
      const folder = await scanArtifacts(place)
      const all = runsIn(folder)
      return {
        runs: all.slice(offset, offset + limit).map((runId) => ({
          run_id: runId,
          datasets: folder.runs
            .filter((run) => run.runId === runId)
            .map(({ datasetId, stored, hasEvidence }) => ({
              dataset: datasetId,
              has_answers: hasEvidence,
              ...(stored === null
                ? {}
                : {
                    label: stored.dataset.label,
                    questions: stored.questions.length,
                    cells: stored.cells,
                    approaches: stored.approaches.map(({ model }) => model),
                  }),
            })),
        })),
        total: all.length,
        unusable_files: folder.unusable.map(({ file, reason }) => `${file}: ${reason}`),
      }
    })
  }

  /** The verdict of each dataset of a run, as terminal, pages and reports have it. */
  verdict(runId: string): Promise<unknown> {
    return this.#read(async (place) => {
      const folder = await scanArtifacts(place)
      const runs = runsIn(folder)
      if (!runs.includes(runId))
        throw new InputError([`there is no run ${runId}; there are ${runs.join(', ') || 'none'}`])
      const { aggregates, unusable } = await ladderReportOf(folder, runId, place.resultsDir)
      const verdicts = verdictsOf(aggregates)
      return { run_id: runId, verdicts, unusable_files: unusable.map(({ file, reason }) => `${file}: ${reason}`) }
    })
  }

  /** Cells with their scores, without their texts. */
  cells({ runId, dataset, question, model, status, offset, limit }: CellFilter): Promise<unknown> {
    return this.#read(async (place) => {
      const cells: unknown[] = []
      let total = 0
      for (const { files } of await answeredRuns(place, runId, dataset))
        for await (const row of readEvidenceRows(files.evidence)) {
          const isWanted =
            (question ?? row.question.id) === row.question.id &&
            (model ?? row.approach.model) === row.approach.model &&
            (status ?? row.status) === row.status
          if (!isWanted) continue
          if (total >= offset && cells.length < limit) cells.push(cellOf(row))
          total += 1
        }
      const next = offset + cells.length
      return { run_id: runId, cells, total, next_offset: next < total ? next : null }
    })
  }

  /** One cell with its question, answer, passages and scores. */
  cell(name: AnswerName): Promise<unknown> {
    return this.#read(async (place) => {
      const { row } = await answerRow(place, name)
      const { evidence, question } = row
      return {
        ...cellOf(row),
        ground_truth: question.ground_truth,
        gold: question.gold,
        answer: evidence?.answer ?? null,
        passages: (evidence?.sources ?? []).map(({ title, document, score, snippet }, at) => ({
          rank: at + 1,
          document: document ?? title,
          score,
          text: evidence!.contexts[at] ?? snippet,
        })),
        used_passages: (evidence?.used_passages ?? []).map(({ title, document, snippet }) => ({
          document: document ?? title,
          text: snippet,
        })),
        parameters: row.approach.parameters,
        models: row.reproducibility.runtime.models,
        attempts: row.metrics.operational.attempts,
        finished_at: row.finished_at,
      }
    })
  }

  #read<Result>(use: (place: ArtifactPlace) => Promise<Result>): Promise<Result> {
    const { resultsDir, named } = this.#place
    return unpackedFolderForUse(
      resultsDir,
      () => undefined,
      (dir) => use({ resultsDir: dir, named }),
    )
  }
}

/** A cell in a list: who answered which question how, and every score or why there is none. */
function cellOf(row: CanonicalRow): Record<string, unknown> {
  const scores: Record<string, number> = {}
  const missing: Record<string, string> = {}
  for (const metric of SCORE_METRICS) {
    const outcome = metricOutcome(row, metric)
    if (outcome.kind === 'scored') scores[metric] = outcome.score
    else if ('reason' in outcome) missing[metric] = `${outcome.kind}: ${outcome.reason}`
  }
  return {
    dataset: row.dataset.id,
    question: row.question.id,
    query: row.question.query,
    model: row.approach.model,
    repeat: row.repeat ?? 1,
    status: row.status,
    latency_ms: row.metrics.operational.latency_ms,
    scores,
    ...(Object.keys(missing).length === 0 ? {} : { without_score: missing }),
    ...(row.error === null ? {} : { error: row.error }),
  }
}
