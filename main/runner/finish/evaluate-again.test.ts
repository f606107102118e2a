import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { EvaluationResult } from '../../../contract/evidence/evaluation-result.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import { sampleReproducibility, sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { evidenceBytes } from '../../../tests/helpers/report-project.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import type { EvaluatorClient } from '../../evaluation/evaluator-client.ts'
import { readEvidenceRows } from '../../report/read-evidence.ts'
import { withEvaluation } from '../cells/build-row.ts'
import { evaluateAgain } from './evaluate-again.ts'

const GRADED: EvaluationResult = {
  ...sampleRow().metrics.ragas,
  evaluator_model: 'm',
  embeddings_model: null,
  evaluator_version: '1.0.0, prompts aaaaaaaa',
}
const FAILED: EvaluationResult = {
  ...GRADED,
  status: 'error',
  scores: {},
  metric_errors: { faithfulness: 'TimeoutError' },
}

const REFUSED: EvaluationResult = {
  ...FAILED,
  metric_errors: {},
  evaluator_model: null,
  error_type: 'access_refused',
  error: 'HTTP 402: Insufficient Balance',
}

function gradedBy(model: string): Reproducibility {
  const { runtime, ...rest } = sampleReproducibility()
  const roles = { evaluator: { backend: 'openai', model } }
  return { ...rest, runtime: { ...runtime, models: { set: 'own', roles } } }
}

/** Evaluates one answer for each of these stored evaluations, by an evaluator of the version of `GRADED`, or another one. */
async function again(
  stored: readonly EvaluationResult[],
  more: {
    all?: boolean
    version?: string
    metric?: 'faithfulness' | 'answer_relevancy'
    refuses?: { count: number }
    /** Names of the models that graded the stored answers, or refused to. */
    graders?: readonly string[]
  } = {},
) {
  const folder = await temporaryFolder()
  const source = join(folder, 'run-1-baseline_curated-evidence.jsonl')
  const rows = stored.map((ragas, place): CanonicalRow => {
    const reproducibility = gradedBy(more.graders?.[place] ?? 'm')
    const row = sampleRow({ question: `q${place}`, reproducibility })
    return withEvaluation(row, ragas)
  })
  await writeFile(source, evidenceBytes(rows))
  const asked: string[] = []
  const evaluator: EvaluatorClient = {
    evaluate: async (_metrics, { question }) => {
      asked.push(question.slice(-3, -1))
      if (more.refuses !== undefined && more.refuses.count-- > 0) return REFUSED
      return { ...GRADED, scores: { faithfulness: 0.5 }, ...(more.version && { evaluator_version: more.version }) }
    },
    close: async () => undefined,
  }
  const events: RunEvent[] = []
  const target = join(folder, 'run-2-baseline_curated-evidence.jsonl')
  const job = {
    source,
    target,
    runId: 'run-2',
    datasetId: 'baseline_curated',
    evaluator,
    evaluatorName: 'http://e',
    conditions: {
      metrics: [more.metric ?? ('faithfulness' as const)],
      retries: 0,
      timeout_s: null,
      evaluator_timeout_s: 9,
    },
    all: more.all ?? false,
    emit: (event: RunEvent) => void events.push(event),
    drain: new AbortController().signal,
  }
  const counts = await evaluateAgain(job)
  const made = await Array.fromAsync(readEvidenceRows(target))
  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.message] : []))
  const scores = made.map(({ question, metrics }) => [question.id, metrics.ragas.scores.faithfulness])
  return { counts, asked, notices, made, scores: Object.fromEntries(scores), resumed: () => evaluateAgain(job) }
}

it('only answers without a grade are graded again; grades of the same evaluator and prompts are kept, and both are counted', async () => {
  const { counts, asked, notices, scores, resumed } = await again([GRADED, FAILED, GRADED, FAILED])
  expect(asked).toEqual(['q1', 'q3'])
  expect(scores).toEqual({ q0: 1, q1: 0.5, q2: 1, q3: 0.5 })
  expect(counts).toEqual({ made: 2, failed: 0, kept: 2, reused: 0, left: 0 })
  expect(notices).toEqual([
    'baseline_curated: 2 answers to grade, 2 kept where the evaluator and its prompts are the same',
  ])
  expect(await resumed()).toEqual({ made: 0, failed: 0, kept: 0, reused: 4, left: 0 })
  expect(asked).toHaveLength(2)
})

it('grades of another version of the evaluator or its prompts are made again, and all where that is asked for', async () => {
  const other = await again([GRADED, FAILED, GRADED], { version: '1.0.0, prompts bbbbbbbb' })
  expect(other.asked.toSorted()).toEqual(['q0', 'q1', 'q2'])
  const all = await again([GRADED, GRADED], { all: true })
  expect(all.asked).toEqual(['q0', 'q1'])
  expect(all.notices).toEqual([])
})

it('how many answers are graded and kept is reported once the evaluator is known', async () => {
  const noticesOf = async (...given: Parameters<typeof again>): Promise<string[]> => (await again(...given)).notices
  expect(await noticesOf([GRADED, GRADED, GRADED], { version: '1.0.0, prompts bbbbbbbb' })).toEqual([
    'baseline_curated: 3 answers to grade, 0 kept where the evaluator and its prompts are the same',
  ])
  expect(await noticesOf([GRADED, GRADED, GRADED])).toEqual([
    'baseline_curated: 1 answer to grade, 2 kept where the evaluator and its prompts are the same',
  ])
  expect(await noticesOf([GRADED, FAILED, { ...GRADED, evaluator_model: 'other' }])).toEqual([
    'baseline_curated: 2 answers to grade, 1 kept where the evaluator and its prompts are the same',
  ])
})

it('an evaluator is compared by what the metrics in question used: embeddings are of answer relevancy alone', async () => {
  const both: EvaluationResult = {
    ...GRADED,
    requested: ['faithfulness', 'answer_relevancy'],
    scores: { faithfulness: 1, answer_relevancy: 1 },
    embeddings_model: 'e',
  }
  expect((await again([both, both, both])).asked).toEqual(['q0'])
  expect((await again([both, both], { metric: 'answer_relevancy' })).asked).toEqual(['q0', 'q1'])
})

it('a resumed evaluation grades the answers again whose grading was refused, and no others', async () => {
  const { counts, asked, made, resumed } = await again([FAILED, FAILED, FAILED], { refuses: { count: 2 } })
  expect(counts).toMatchObject({ made: 1, failed: 2, reused: 0 })
  expect(made.map(({ grading_refused: isRefused }) => isRefused)).toEqual([true, true, undefined])
  expect(await resumed()).toMatchObject({ made: 2, reused: 1 })
  expect(asked).toEqual(['q0', 'q1', 'q2', 'q0', 'q1'])
  expect(await resumed()).toMatchObject({ made: 0, reused: 3 })
})

it('answers that one evaluator refused to grade and another one graded are evaluated together', async () => {
  const { made, resumed } = await again([REFUSED, GRADED, REFUSED], { graders: ['x', 'y', 'z'] })
  expect(made.map(({ reproducibility }) => reproducibility.runtime.models!.roles['evaluator']!.model)).toEqual([
    'y',
    'y',
    'y',
  ])
  expect(await resumed()).toMatchObject({ made: 0, reused: 3 })
})

it('one answer shows which evaluator it is where no grade is missing; an evaluator without a version keeps nothing', async () => {
  expect((await again([GRADED, GRADED, GRADED])).asked).toEqual(['q0'])
  const { evaluator_version: _, ...unversioned } = GRADED
  expect((await again([unversioned, unversioned])).asked).toEqual(['q0', 'q1'])
})

it('an answer that this metric cannot score is kept, and one with grades of other metrics is graded', async () => {
  const unevaluable: EvaluationResult = {
    ...FAILED,
    status: 'not_evaluable',
    metric_errors: {},
    not_evaluable: { faithfulness: 'retrieved_contexts_required' },
  }
  const others: EvaluationResult = { ...GRADED, requested: ['context_recall'], scores: { context_recall: 1 } }
  expect((await again([FAILED, unevaluable, others])).asked).toEqual(['q0', 'q2'])
})
