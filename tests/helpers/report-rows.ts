import type { EvaluationMetric, EvidenceCapability } from '../../contract/common.ts'
import type { CanonicalRow, RowApproach } from '../../contract/evidence/canonical-row.ts'
import type { EvaluationResult } from '../../contract/evidence/evaluation-result.ts'
import type { Judgments } from '../../contract/evidence/judgments.ts'
import type { MeasuredLevel } from '../../contract/evidence/measured-level.ts'
import type { Reproducibility } from '../../contract/evidence/provenance.ts'
import type { Question } from '../../contract/manifests/queries.ts'
import { answerNotRun, scoreAnswer } from '../../main/evaluation/answer-scores.ts'
import { rowId } from '../../main/evidence/rows/row-id.ts'
import { rounded } from '../../main/lib/text/numbers.ts'
import type { RunSummaryContext, SummaryAlias } from '../../main/report/aggregate/run-summary.ts'
import { seededRandom } from './seeded-random.ts'

export const REPORT_RUN = 'golden-2026-01'
export const REQUESTED: EvaluationMetric[] = ['faithfulness', 'answer_relevancy']

const hex = (digit: string): string => digit.repeat(64)

export const reproducibility = (profile: string): Reproducibility => ({
  seed: 'ladder',
  config_hashes: { dataset: hex('1'), evaluation: hex('2'), queries: hex('3') },
  ingestion: {
    job_id: `job-${profile}`,
    profile,
    revision: 'r1',
    content_digest: 'c0ffee00'.repeat(8),
    mode: 'platform',
  },
  runtime: {
    repository: { revision: 'ab12cd34'.repeat(5), dirty: true, patch_sha256: hex('4') },
    platform: { version: '0.1.0', revision: null },
    project: 'rag-ladder',
    gateway: 'embedded',
    base_port: null,
    providers: { converter: 'disabled' },
    models: {
      set: 'builtin',
      roles: {
        embed: { backend: 'builtin', model: 'hash-768' },
        light_gen: { backend: 'builtin', model: 'extractive' },
      },
    },
    judge_panel: { enabled: true, endpoint: 'platform-gateway', models: ['judge-a', 'judge-b'] },
    runtime_files: [{ path: 'registry/models', sha256: hex('5'), entries: ['vanilla-rag'] }],
  },
})

export const alias = (
  model: string,
  base_model: RowApproach['base_model'],
  flavor: string | null = null,
  evidence_capability: EvidenceCapability = 'answer_with_contexts',
): SummaryAlias => ({ model, base_model, flavor, evidence_capability })

export const ALIASES = {
  bm25: alias('bm25', 'hybrid-rag', 'bm25'),
  vanilla: alias('vanilla-rag', 'vanilla-rag'),
  hybrid: alias('hybrid-rag', 'hybrid-rag'),
  hybridFast: alias('hybrid-rag-fast', 'hybrid-rag', 'fast'),
  graph: alias('graph-rag', 'graph-rag', null, 'answer_only'),
  agentic: alias('agentic-rag', 'agentic-rag'),
  adaptive: alias('workflow-adaptive-rag', 'workflow-adaptive-rag'),
}

export interface FixtureDataset {
  id: string
  label: string
  rung: number
  questions: Question[]
}

/** Eight questions; the last has no gold evidence and cannot be answered, the one before has no hop count. */
export const fixtureDataset = (id: string, label: string, rung: number): FixtureDataset => ({
  id,
  label,
  rung,
  questions: Array.from({ length: 8 }, (_, index): Question => ({
    id: `q-${index + 1}`,
    query: `Question ${index + 1} of ${id}?`,
    ground_truth: `Answer ${index + 1}.`,
    answerable: index !== 7,
    hops: index === 6 ? null : 1 + (index % 3),
    gold: index === 7 ? [] : [{ document: 'a.md', fact: `fact ${index + 1}` }],
    answer_keys: index === 7 ? [] : [[`point ${index + 1}`], ['answer']],
    rationale: null,
    expect_winner: index === 0 ? 'hybrid-rag' : null,
    tags: [],
  })),
})

/** Twenty-four questions, every two of them on one document: enough for intervals. */
export const wideDataset = (id: string, label: string, rung: number): FixtureDataset => ({
  id,
  label,
  rung,
  questions: Array.from({ length: 24 }, (_, index): Question => ({
    id: `w-${index + 1}`,
    query: `Question ${index + 1} of ${id}?`,
    ground_truth: `Answer ${index + 1}.`,
    answerable: true,
    hops: 1 + (index % 3),
    gold: [{ document: `d-${Math.floor(index / 2)}.md`, fact: `fact ${index + 1}` }],
    answer_keys: [['answer']],
    rationale: null,
    expect_winner: null,
    tags: [],
  })),
})

/** Describes what differs between the cells of a fixture. */
export interface CellFixture {
  repeat?: number
  latencyMs?: number
  attempts?: number
  failure?: { type: NonNullable<CanonicalRow['error']>['type']; message: string }
  ragas?: Partial<EvaluationResult>
  recall?: number | null
  /** Holds what all contexts hold, or all passages that an engine reports as used; rows of earlier versions do not record it. */
  found?: { contexts: number; recall: number }
  answer?: string
}

export function evaluation(scores: EvaluationResult['scores'], rest: Partial<EvaluationResult> = {}): EvaluationResult {
  const count = Object.keys(scores).length
  return {
    status: count === REQUESTED.length ? 'ok' : count > 0 ? 'partial' : 'error',
    requested: REQUESTED,
    scores,
    metric_errors: {},
    not_evaluable: {},
    reasons: {},
    evaluator_model: 'critic',
    embeddings_model: 'hash-768',
    attempts: 1,
    ...rest,
  }
}

/** A row of one cell, complete and valid. */
export function fixtureRow(
  dataset: FixtureDataset,
  approach: SummaryAlias,
  questionIndex: number,
  cell: CellFixture = {},
): CanonicalRow {
  const { tags: _tags, ...question } = dataset.questions[questionIndex]!
  const { latencyMs = 100, attempts = 1, failure, recall = 0.5, found, answer = `Answer of ${approach.model}.` } = cell
  const failed = failure !== undefined
  const answerOnly = approach.evidence_capability === 'answer_only'
  const usage = { prompt_tokens: 400 + questionIndex, completion_tokens: 20, total_tokens: 420 + questionIndex }
  const server = { seconds: latencyMs / 1250, chunks: answerOnly ? 0 : 5, llm_calls: 1, cloud_calls: 0 }
  const title = 'a.md'
  const sources = answerOnly ? [] : [{ title, snippet: 'fact', score: 0.875, document: title }]
  const retrieval = failed
    ? { status: 'not_run' as const, scores: {}, reason: 'cell_failed' as const }
    : answerOnly && found === undefined
      ? { status: 'not_evaluable' as const, scores: {}, reason: 'answer_only' as const }
      : question.gold.length === 0 || recall === null
        ? { status: 'not_evaluable' as const, scores: {}, reason: 'gold_evidence_required' as const }
        : {
            status: 'ok' as const,
            scores: {
              ...(found === undefined ? {} : { facts_found: found.recall }),
              hit_at_5: recall > 0 ? 1 : 0,
              recall_at_5: recall,
              mrr_at_10: recall,
              ndcg_at_10: recall,
            },
            ...(found === undefined ? {} : { all_contexts: found }),
            reason: null,
          }
  const ragas = failed
    ? evaluation({}, { status: 'not_run', evaluator_model: null, embeddings_model: null, attempts: 0 })
    : { ...evaluation({ faithfulness: 0.75, answer_relevancy: 0.5 }), ...cell.ragas }
  return {
    schema_version: 1,
    runner_version: 1,
    run_id: REPORT_RUN,
    row_id: rowId({
      run_id: REPORT_RUN,
      dataset_id: dataset.id,
      question_id: question.id,
      model: approach.model,
      repeat: cell.repeat,
    }),
    ...(cell.repeat === undefined || cell.repeat === 1 ? {} : { repeat: cell.repeat }),
    dataset: {
      id: dataset.id,
      label: dataset.label,
      complexity_level: dataset.rung,
      questions_file: `manifests/queries/${dataset.id}.yaml`,
      corpus_path: `corpus/${dataset.id}`,
    },
    question,
    approach: { ...approach, parameters: {}, requires_reingest: false, provider: 'platform' },
    reproducibility: reproducibility(dataset.id),
    status: failed ? (failure.type === 'timeout' ? 'timeout' : 'error') : 'ok',
    evidence: failed
      ? null
      : {
          answer,
          contexts: sources.map(() => 'the whole fact'),
          sources,
          token_usage: usage,
          server_metrics: server,
          response_id: null,
          response_model: approach.model,
          raw_content: `${answer}\n\n<details>sources</details>`,
          transport: 'structured',
        },
    metrics: {
      operational: {
        latency_ms: latencyMs,
        queue_ms: questionIndex / 4,
        attempts: Array.from({ length: attempts }, (_, index) => {
          const last = index === attempts - 1
          return {
            outcome: last && !failed ? ('ok' as const) : (failure?.type ?? ('connection_reset' as const)),
            latency_ms: latencyMs,
            http_status: last && !failed ? 200 : null,
            message: last && !failed ? null : 'reset',
            waited_ms: 0,
          }
        }),
        token_usage: failed ? null : usage,
        server: failed ? null : server,
      },
      ragas,
      retrieval,
      answer: failed ? answerNotRun() : scoreAnswer(answer, question),
      judge_panel: { status: 'pending' },
    },
    finished_at: '2026-01-02T03:04:05.000Z',
    error: failure ?? null,
  }
}

const NO_CONTEXTS: Partial<EvaluationResult> = evaluation(
  { answer_relevancy: 0.625 },
  { not_evaluable: { faithfulness: 'retrieved_contexts_required' } },
)

/**
 * A run with everything that can be missing: a failed cell and a timed-out one with hostile messages, an evaluator that times out, that gives
 * an error word and that reaches nothing, an answer-only approach, a cell without a row.
 */
export function goldenRows(dataset: FixtureDataset): CanonicalRow[] {
  const rows: CanonicalRow[] = []
  for (const index of dataset.questions.keys()) {
    const step = index / 16
    rows.push(
      fixtureRow(dataset, ALIASES.vanilla, index, { latencyMs: 80 + index * 7, recall: 0.25 + step }),
      fixtureRow(dataset, ALIASES.hybrid, index, {
        latencyMs: 120 + index * 11,
        recall: 0.5 + step,
        ragas: evaluation({ faithfulness: 0.8 + step / 10, answer_relevancy: 0.7 }),
      }),
      fixtureRow(dataset, ALIASES.graph, index, { latencyMs: 1530 + index, ragas: NO_CONTEXTS }),
    )
  }
  rows.push(
    fixtureRow(dataset, ALIASES.hybridFast, 0, { ragas: evaluation({ faithfulness: 1, answer_relevancy: -0.125 }) }),
    fixtureRow(dataset, ALIASES.hybridFast, 1, { ragas: evaluation({}, { error_type: 'timeout', error: 'slow' }) }),
    fixtureRow(dataset, ALIASES.hybridFast, 2, {
      ragas: evaluation({ answer_relevancy: 0.4 }, { metric_errors: { faithfulness: 'score_not_finite' } }),
    }),
    fixtureRow(dataset, ALIASES.hybridFast, 3, { ragas: evaluation({}, { error_type: 'network_error' }) }),
    fixtureRow(dataset, ALIASES.hybridFast, 4, {
      latencyMs: 30_000,
      attempts: 2,
      failure: { type: 'timeout', message: 'no answer within 30000 ms' },
    }),
    fixtureRow(dataset, ALIASES.hybridFast, 5, {
      failure: { type: 'http_error', message: 'HTTP 500: \u001b[31m<b>|boom|</b>\n=cmd()' },
    }),
    fixtureRow(dataset, ALIASES.hybridFast, 6, { attempts: 3 }),
  )
  return rows
}

/** The context of `goldenRows`: four aliases that ran, two that could not. */
export function goldenContext(dataset: FixtureDataset): RunSummaryContext {
  return {
    runId: REPORT_RUN,
    datasetId: dataset.id,
    dataset: goldenRows(dataset)[0]!.dataset,
    questions: dataset.questions.map(({ id, hops, answerable, gold }) => ({
      id,
      hops,
      answerable,
      has_gold: gold.length > 0,
    })),
    aliases: [ALIASES.vanilla, ALIASES.hybrid, ALIASES.hybridFast, ALIASES.graph],
    unavailable: [
      { ...ALIASES.agentic, reason: 'the graph engine is not running' },
      { ...ALIASES.adaptive, reason: '=HYPERLINK("http://x"),\u001b]0;title\u0007 the workflow engine is off' },
    ],
    metrics: REQUESTED,
    repeats: 1,
    judge: { state: 'disabled' },
    measuredLevel: goldenLevel(dataset),
  }
}

/** A level that is the less relational the higher its rung: reports name that. */
function goldenLevel({ rung, questions }: FixtureDataset): MeasuredLevel {
  const value = -0.3 + rung / 20
  return {
    questions: questions.length,
    recall: 0.6,
    by_hops: [
      { hops: 1, questions: 1, recall: 0.8 },
      { hops: 2, questions: 1, recall: 0.5 },
    ],
    slope: {
      value: rounded(value),
      n: questions.length,
      clusters: 9,
      effective_clusters: 9,
      se: 0.01,
      interval: { low: rounded(value - 0.03), high: rounded(value + 0.03) },
      no_interval: null,
    },
    reason: null,
  }
}

/** Lists what separates the approaches of `comparedRows`: hybrid is clearly above vanilla in recall, and the flavor is hybrid with noise. */
const LEVELS = [
  { approach: ALIASES.vanilla, recall: 0.35, latencyMs: 60 },
  { approach: ALIASES.hybrid, recall: 0.7, latencyMs: 90 },
  { approach: ALIASES.hybridFast, recall: 0.68, latencyMs: 75 },
  { approach: ALIASES.graph, recall: null, latencyMs: 800 },
]

/** Rows of a `wideDataset` with pairs that differ significantly and pairs that do not; every repetition scatters. */
export function comparedRows(dataset: FixtureDataset, repeats = 1, seed = 'compared'): CanonicalRow[] {
  const random = seededRandom(seed)
  const around = (level: number, width: number): number =>
    Math.round(Math.min(1, Math.max(0, level + (random.uniform() - 0.5) * width)) * 1000) / 1000
  return Array.from({ length: repeats }, (_, round) => round + 1).flatMap((repeat) =>
    [...dataset.questions.keys()].flatMap((index) =>
      LEVELS.map(({ approach, recall, latencyMs }) =>
        fixtureRow(dataset, approach, index, {
          repeat,
          recall: recall === null ? null : around(recall, 0.5),
          latencyMs: Math.round(latencyMs * (1 + random.uniform())),
          ragas:
            recall === null
              ? NO_CONTEXTS
              : evaluation({ faithfulness: around(0.8, 0.4), answer_relevancy: around(recall, 0.8) }),
        }),
      ),
    ),
  )
}

/** The context of `comparedRows`. */
export const comparedContext = (dataset: FixtureDataset, repeats = 1): RunSummaryContext => ({
  ...goldenContext(dataset),
  aliases: LEVELS.map(({ approach }) => approach),
  unavailable: [],
  repeats,
})

/** Two judges on the answers of `goldenRows`, the second silent on the last question. */
export function goldenJudgments(dataset: FixtureDataset): Judgments {
  const models = ['vanilla-rag', 'hybrid-rag', 'hybrid-rag-fast', 'graph-rag']
  return {
    status: 'ok',
    dataset_id: dataset.id,
    judges: ['judge-a', 'judge-b'],
    queries: dataset.questions.map((question, index) => {
      const verdict = (shift: number) => ({
        scores: Object.fromEntries(models.map((model, place) => [model, 1 + ((index + place + shift) % 5)])),
        best: models[index % 2]!,
      })
      const per_judge: Record<string, ReturnType<typeof verdict>> = index === 7
        ? { 'judge-a': verdict(0) }
        : { 'judge-a': verdict(0), 'judge-b': verdict(1) }
      return {
        query_id: question.id,
        query: question.query,
        per_judge,
        mean_by_approach: {},
        votes: {},
        observed_winner: null,
      }
    }),
    ingestion: reproducibility(dataset.id).ingestion,
  }
}

/** Rows as the evidence log yields them. */
export async function* streamOf(rows: Iterable<CanonicalRow>): AsyncGenerator<CanonicalRow> {
  yield* rows
}
