import { z } from 'zod'
import { BaseApproach } from '../approaches.ts'
import { Crc32, EvidenceCapability, Identifier, SCHEMA_VERSION, Sha256 } from '../common.ts'
import { GoldEvidence } from '../manifests/queries.ts'
import { AnswerScores } from './answer-scores.ts'
import { EvaluationResult } from './evaluation-result.ts'
import { Derivation } from './derivation.ts'
import { Reproducibility } from './provenance.ts'
import { CellTrace } from './trace.ts'
import { RagSource, ServerMetrics } from './rag-extension.ts'
import { RetrievalScores } from './retrieval-scores.ts'

/**
 * Version of the runner's row layout, raised when a field changes its meaning. 2: `token_f1` is SQuAD's, `gold_coverage` is called
 * `points_covered`.
 */
export const RUNNER_VERSION = 2

export const TokenUsage = z.strictObject({
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  total_tokens: z.int().min(0),
})
export type TokenUsage = z.infer<typeof TokenUsage>

export const CellStatus = z.enum(['ok', 'error', 'timeout'])
export type CellStatus = z.infer<typeof CellStatus>

/** Class of a cell's failure; `message` is for people. */
export const CellErrorType = z.enum([
  'timeout',
  'connection_failed',
  'connection_reset',
  'http_error',
  'rate_limited',
  'access_refused',
  'invalid_response',
  'response_too_large',
  'content_filtered',
  'refused',
  'schema_mismatch',
  'cancelled',
])
export type CellErrorType = z.infer<typeof CellErrorType>

/** One try at a cell: a retry is a recorded attempt, never hidden. Times in milliseconds. */
export const Attempt = z.strictObject({
  outcome: z.union([z.literal('ok'), CellErrorType]),
  latency_ms: z.number().min(0),
  http_status: z.int().nullable(),
  message: z.string().nullable(),
  /** States how long the runner waited before this attempt, because of backoff or `Retry-After`. */
  waited_ms: z.number().min(0),
})
export type Attempt = z.infer<typeof Attempt>

export const RowDataset = z.strictObject({
  id: Identifier,
  label: z.string(),
  complexity_level: z.int(),
  questions_file: z.string(),
  corpus_path: z.string(),
})
export type RowDataset = z.infer<typeof RowDataset>

export const RowQuestion = z.strictObject({
  id: Identifier,
  query: z.string(),
  ground_truth: z.string().nullable(),
  answerable: z.boolean(),
  hops: z.int().nullable(),
  gold: z.array(GoldEvidence),
  answer_keys: z.array(z.array(z.string())),
  /** Absent where the question declares none, and in rows of earlier versions. */
  bridge_keys: z.array(z.array(z.string())).optional(),
  forbidden_answers: z.array(z.string()).optional(),
  rationale: z.string().nullable(),
  expect_winner: z.string().nullable(),
})
export type RowQuestion = z.infer<typeof RowQuestion>

export const RowApproach = z.strictObject({
  /** The alias that was called. */
  model: Identifier,
  base_model: BaseApproach,
  flavor: Identifier.nullable(),
  parameters: z.record(z.string(), z.json()),
  evidence_capability: EvidenceCapability,
  requires_reingest: z.boolean(),
  provider: z.string(),
})
export type RowApproach = z.infer<typeof RowApproach>

export const ContextText = z.enum(['full', 'snippet', 'mixed'])
export type ContextText = z.infer<typeof ContextText>

export const RowEvidence = z.strictObject({
  /**
   * Tokens of the text that the answer was written from, as `context_tokens_by` counted them; null where that is unknown. First, so that figures are
   * read without the texts. Absent in rows of earlier versions.
   */
  context_tokens: z.int().min(0).nullable().optional(),
  context_tokens_by: z.string().nullable().optional(),
  answer: z.string(),
  /** Characters of the answer that arrived as U+FFFD, because its bytes were not valid UTF-8; absent where there are none. */
  unreadable_characters: z.int().min(1).optional(),
  /** Full context texts in rank order; empty for answer-only approaches. */
  contexts: z.array(z.string()),
  sources: z.array(RagSource),
  /** Holds what the engine of an answer-only approach reports as used, with text: read by the metrics of class `retrieval` alone. */
  used_passages: z.array(RagSource).optional(),
  /** Holds what made the collections, graph and indexes that were read for the answer; absent where the plugin does not report it. */
  derivations: z.array(Derivation).optional(),
  token_usage: TokenUsage.nullable(),
  server_metrics: ServerMetrics.nullable(),
  response_id: z.string().nullable(),
  response_model: z.string().nullable(),
  /** The message content as it came, rendered source block included. */
  raw_content: z.string(),
  /** `structured`: from rag_extension; `rendered`: parsed from the details block; null: the response carried no evidence. */
  transport: z.enum(['structured', 'rendered']).nullable(),
  approach_metadata: z.record(z.string(), z.json()).optional(),
})
export type RowEvidence = z.infer<typeof RowEvidence>

/** Most repetitions of a cell that a run may ask for. */
export const MAX_REPEATS = 20

/** Most times that a failed cell can be tried again by later runs of the same id. */
const MAX_RETRIES = 999

/** One finished cell of run × dataset × question × alias × repetition: a line of `-evidence.jsonl`. */
export const CanonicalRow = z.strictObject({
  schema_version: z.literal(SCHEMA_VERSION),
  runner_version: z.int().min(1),
  run_id: Identifier,
  row_id: Sha256,
  /** Which repetition of the cell this is; absent for the first, whose row is the same as that of a run without repetitions. */
  repeat: z.int().min(2).max(MAX_REPEATS).optional(),
  /**
   * States how often the cell had failed, or its grading was refused, and was tried again before this row; absent for its first row. Of the rows
   * of one cell the one with the highest number counts; the others stay in the file as they are.
   */
  retry: z.int().min(1).max(MAX_RETRIES).optional(),
  dataset: RowDataset,
  question: RowQuestion,
  approach: RowApproach,
  reproducibility: Reproducibility,
  status: CellStatus,
  /** The evaluator refused the key or the account: a resumed run grades the answer again, in a row with the next `retry`. Absent otherwise. */
  grading_refused: z.literal(true).optional(),
  /** Null when the cell failed: there is no answer then, not an empty one. */
  evidence: RowEvidence.nullable(),
  /**
   * Calls of models, stores and tools that the cell is made of; their texts are in `…-evidence.traces.jsonl`. Before the metrics, so that figures are
   * read without it. Absent in rows of earlier versions.
   */
  trace: CellTrace.optional(),
  metrics: z.strictObject({
    operational: z.strictObject({
      /**
       * Times the approach and its models: from sending the last attempt's request to its last byte, without `server.waited_s`. Queue wait and backoff
       * are beside it, not in it. Rows of gateways that do not report their waits have them in it, and so do rows of earlier versions.
       */
      latency_ms: z.number().min(0),
      /** Stands for the machine that measured these times, without naming it; absent in rows of earlier versions. */
      machine: z.string().optional(),
      queue_ms: z.number().min(0),
      attempts: z.array(Attempt).min(1),
      token_usage: TokenUsage.nullable(),
      server: ServerMetrics.nullable(),
      /** The model that wrote the answer was stopped by its limit of tokens; absent otherwise. */
      is_cut: z.literal(true).optional(),
      /** An agent wrote the answer without one search that worked; absent otherwise. */
      is_unsearched: z.literal(true).optional(),
      /** The answer repeats its prompt and holds no text of its own; absent otherwise. */
      is_repeated_prompt: z.literal(true).optional(),
    }),
    ragas: EvaluationResult,
    retrieval: RetrievalScores,
    answer: AnswerScores.optional(),
    judge_panel: z.strictObject({ status: z.enum(['pending', 'disabled']) }),
    /**
     * Which text of its source each context is: `full`, the additive text of the response; `snippet`, its first 240 characters, where the
     * response has no more; `mixed`. Scores of contexts compare only between rows of the same kind. Absent without contexts and in rows
     * of runner version 1.
     */
    context_text: ContextText.optional(),
  }),
  /** RFC 3339, UTC, when the answer was complete. */
  finished_at: z.iso.datetime(),
  /** The row whose stored answer was evaluated again, when this row was made without calling the approach. */
  derived_from: z.strictObject({ run_id: Identifier, row_id: Sha256 }).optional(),
  error: z.strictObject({ type: CellErrorType, message: z.string() }).nullable(),
  /** CRC-32, lower-case hex, of the line's bytes before this last field. The evidence log sets it on writing and takes it off on reading. */
  checksum: Crc32.optional(),
})
export type CanonicalRow = z.infer<typeof CanonicalRow>
