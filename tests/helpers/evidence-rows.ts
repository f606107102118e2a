import type { CanonicalRow, RowApproach, RowQuestion } from '../../contract/evidence/canonical-row.ts'
import type { Reproducibility } from '../../contract/evidence/provenance.ts'
import type { RunIdentity } from '../../contract/evidence/run-identity.ts'
import type { RowIdentity } from '../../main/evidence/rows/row-identity.ts'
import { rowId } from '../../main/evidence/rows/row-id.ts'
import { sealRow } from '../../main/evidence/rows/row-line.ts'

const sha = (digit: string): string => digit.repeat(64)

/** Provenance of about the size that a real run has. */
export function sampleReproducibility(seed = 'ladder-seed'): Reproducibility {
  return {
    seed,
    config_hashes: { dataset: sha('1'), evaluation: sha('2'), flavors: sha('3'), models: sha('4'), queries: sha('5') },
    ingestion: { job_id: 'job-1', profile: 'baseline', revision: 'r1', content_digest: sha('6'), mode: 'external' },
    runtime: {
      repository: { revision: '0123456789abcdef0123456789abcdef01234567', dirty: false, patch_sha256: null },
      platform: { version: '0.1.0', revision: null },
      project: 'rag-ladder',
      gateway: 'embedded',
      base_port: null,
      providers: { converter: 'disabled', 'speech-to-text': 'disabled' },
      models: { set: 'builtin', roles: { embed: { backend: 'builtin', model: 'hashed-768' } } },
      judge_panel: { enabled: false, endpoint: 'gateway', models: [] },
      runtime_files: [{ path: 'registry/models', sha256: sha('7'), entries: ['vanilla-rag', 'hybrid-rag'] }],
    },
  }
}

export interface SampleCell {
  runId?: string
  question?: string
  model?: string
  answer?: string
  reproducibility?: Reproducibility
  /** States how often the cell had failed before. */
  retry?: number
}

/** The row of a call that the gateway refused. */
export function failedRow(cell: SampleCell & { httpStatus?: number | null } = {}): CanonicalRow {
  const { httpStatus = 401 } = cell
  const row = sampleRow(cell)
  const isAccess = [401, 402, 403].includes(httpStatus ?? 0)
  const type = httpStatus === null ? 'connection_failed' : isAccess ? 'access_refused' : 'http_error'
  const error = { type, message: `HTTP ${httpStatus}: refused` } as const
  const attempt = { outcome: error.type, latency_ms: 3, http_status: httpStatus, message: 'refused', waited_ms: 0 }
  const operational = { ...row.metrics.operational, attempts: [attempt], token_usage: null, server: null }
  const { requested } = row.metrics.ragas
  const ragas = { status: 'not_run', requested, scores: {}, metric_errors: {}, not_evaluable: {} } as const
  const retrieval = { status: 'not_run', scores: {}, reason: 'cell_failed' } as const
  return {
    ...row,
    status: 'error',
    evidence: null,
    metrics: { ...row.metrics, operational, ragas: { ...row.metrics.ragas, ...ragas, attempts: 0 }, retrieval },
    error,
  }
}

const idOf = (runId: string, question: string, model: string, retry = 0): string =>
  rowId({ run_id: runId, dataset_id: 'baseline_curated', question_id: question, model, retry })

const sampleQuestion = (id: string): RowQuestion => ({
  id,
  query: `How far does the lock rise in ${id}?`,
  ground_truth: 'Four metres.',
  answerable: true,
  hops: 1,
  gold: [{ document: 'canal-locks.md', fact: 'the lock rises by four metres' }],
  answer_keys: [['four metres', '4 m']],
  rationale: null,
  expect_winner: null,
})

const sampleApproach = (model: string): RowApproach => ({
  model,
  base_model: 'vanilla-rag',
  flavor: null,
  parameters: { k: 5 },
  evidence_capability: 'answer_with_contexts',
  requires_reingest: false,
  provider: 'platform',
})

/** A valid row of about 3.5 kB; cells differ by question and alias. */
export function sampleRow(cell: SampleCell = {}): CanonicalRow {
  const {
    retry = 0,
    runId = 'run-1',
    question = 'q001',
    model = 'vanilla-rag',
    answer = 'The lock rises by four metres.',
  } = cell
  const text = `${answer} The gates of ${question} close before the chamber fills, and the keeper notes the level. `
  return {
    schema_version: 1,
    runner_version: 1,
    run_id: runId,
    row_id: idOf(runId, question, model, retry),
    ...(retry === 0 ? {} : { retry }),
    dataset: {
      id: 'baseline_curated',
      label: 'Baseline',
      complexity_level: 1,
      questions_file: 'manifests/queries/baseline_curated.yaml',
      corpus_path: 'corpus/subset',
    },
    question: sampleQuestion(question),
    approach: sampleApproach(model),
    reproducibility: cell.reproducibility ?? sampleReproducibility(),
    status: 'ok',
    evidence: {
      answer,
      contexts: [text, text.toUpperCase()],
      sources: [{ title: 'Canal locks', snippet: text.slice(0, 120), score: 0.75, document: 'canal-locks.md' }],
      token_usage: { prompt_tokens: 120, completion_tokens: 12, total_tokens: 132 },
      server_metrics: { seconds: 0.2, chunks: 2, llm_calls: 1, cloud_calls: 0 },
      response_id: 'resp-1',
      response_model: model,
      raw_content: answer,
      transport: 'structured',
    },
    metrics: {
      operational: {
        latency_ms: 210.5,
        queue_ms: 0,
        attempts: [{ outcome: 'ok', latency_ms: 210.5, http_status: 200, message: null, waited_ms: 0 }],
        token_usage: { prompt_tokens: 120, completion_tokens: 12, total_tokens: 132 },
        server: { seconds: 0.2, chunks: 2, llm_calls: 1, cloud_calls: 0 },
      },
      ragas: {
        status: 'ok',
        requested: ['faithfulness'],
        scores: { faithfulness: 1 },
        metric_errors: {},
        not_evaluable: {},
        reasons: {},
        evaluator_model: 'rules',
        embeddings_model: 'hashed-768',
        attempts: 1,
      },
      retrieval: { status: 'ok', scores: { hit_at_5: 1, recall_at_5: 1 }, reason: null },
      judge_panel: { status: 'disabled' },
    },
    finished_at: '2025-11-20T10:15:00.000Z',
    error: null,
  }
}

/** The identity of the run that sample rows are of. */
export function sampleIdentity(seed?: string): RunIdentity {
  return {
    schema_version: 1,
    runner_version: 1,
    run_id: 'run-1',
    dataset_id: 'baseline_curated',
    evaluation: { metrics: ['faithfulness'], retries: 1, timeout_s: 420, evaluator_timeout_s: 420 },
    reproducibility: sampleReproducibility(seed),
  }
}

/** The identity that a plan would hold for the row's cell. */
export function identityOf({ row_id, question, approach, reproducibility }: CanonicalRow): RowIdentity {
  return { row_id, question, approach, reproducibility }
}

/** Questions × seven aliases, as many cells as asked for. */
export function* sampleCells(count: number): Generator<{ question: string; model: string }> {
  for (let cell = 0; cell < count; cell += 1) yield { question: `q${Math.floor(cell / 7)}`, model: `alias-${cell % 7}` }
}

/** The identities of those cells, made one by one as a runner does: cells of one question or alias share its part. */
export function* sampleIdentities(count: number, runId = 'run-1'): Generator<RowIdentity> {
  const reproducibility = sampleReproducibility()
  const approaches = new Map<string, RowApproach>()
  let question = sampleQuestion('')
  for (const cell of sampleCells(count)) {
    if (question.id !== cell.question) question = sampleQuestion(cell.question)
    const approach = approaches.get(cell.model) ?? sampleApproach(cell.model)
    approaches.set(cell.model, approach)
    yield { row_id: idOf(runId, cell.question, cell.model), question, approach, reproducibility }
  }
}

/** A row as a line of an evidence file, without its end. */
export function sealedLine(row: CanonicalRow): Buffer {
  const sealed = sealRow(row)
  if (!sealed.ok) throw new Error(sealed.problem)
  return sealed.line.subarray(0, -1)
}
