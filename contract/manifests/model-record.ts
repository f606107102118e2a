// A record describes a model at an address. The program learns it from refusals and answers, keeps it between starts, and shows the same record
// in `models test`, `doctor`, New run and the page Models.
import { z } from 'zod'

const seen = z.boolean().nullable().default(null)
const amount = z.int().min(1).nullable().default(null)

export const ModelRecord = z.object({
  version: z.literal(1),
  /** Without credentials. */
  address: z.string(),
  model: z.string(),
  /** Fields that the service refused, with its words. `system` is the role of that name; `max_tokens` is the limit under that name only. */
  refused: z.record(z.string(), z.string()).default({}),
  /** States where its reasoning is: in a field of its own, or in the text of the answer, from which it is split off. Reasoning in parts of the content is left out unseen. */
  reasoning: z.enum(['field', 'text']).nullable().default(null),
  /** `ignored`: it took a schema, and wrote something else. */
  schema: z.enum(['kept', 'ignored']).nullable().default(null),
  /** `text`: it writes calls of tools into its answer. */
  tools: z.enum(['native', 'text']).nullable().default(null),
  /**
   * As a judge of a right and a wrong answer, in both orders: prefers the right one, a place in the list, or the wrong one; or writes nothing that can be read
   * as a verdict.
   */
  verdicts: z.enum(['kept', 'by_place', 'wrong', 'unusable']).nullable().default(null),
  streams: seen,
  reports_usage: seen,
  /** Tokens of prompt and answer together. This limit and the next one are hints in a later process, which learns them again before it refuses or cuts. */
  context_window: amount,
  max_output_tokens: amount,
  /** Most texts in a request for embeddings or ranks, where it refused more. */
  embedding_batch: amount,
  dimensions: amount,
  finish_reasons: z.array(z.string()).default([]),
  /** The model that the service names in its answers, where it is another one than was asked for. */
  answers_as: z.string().nullable().default(null),
  /** States when the newest of it was learned. */
  learned_at: z.iso.datetime(),
})
export type ModelRecord = z.infer<typeof ModelRecord>

/** States what a call can teach about its model. */
export type LearnedOfModel = Partial<Omit<ModelRecord, 'version' | 'address' | 'model' | 'learned_at'>>

const FIELD_NAMES: Readonly<Record<string, string>> = {
  system: 'the system role',
  max_tokens: 'max_tokens by that name',
}
const REASONING = {
  field: 'reasons in a field of its own',
  parts: 'reasons in parts of its answer, which are left out',
  text: 'writes its reasoning into the answer, where it is split off',
}
const SCHEMA = { kept: 'keeps to a JSON schema', ignored: 'does not keep to a JSON schema' }
const TOOLS = { native: 'calls tools', text: 'writes calls of tools as text' }
const VERDICTS = {
  kept: 'judges alike in both orders',
  by_place: 'as a judge prefers a place in the list',
  wrong: 'as a judge prefers a wrong answer',
  unusable: 'writes no verdict as a judge',
}

/** A record in short phrases for people; empty where nothing is known yet. */
export function recordWords(record: ModelRecord): string[] {
  const { reasoning, schema, tools, verdicts, streams, reports_usage: reportsUsage, finish_reasons: endings } = record
  const refused = Object.keys(record.refused).map((field) => FIELD_NAMES[field] ?? field)
  const counted = (count: number | null, words: (figure: string) => string): string[] =>
    count === null ? [] : [words(count.toLocaleString('en-US'))]
  return [
    ...(record.answers_as === null ? [] : [`answers as ${record.answers_as}`]),
    ...(refused.length === 0 ? [] : [`refuses ${refused.join(', ')}`]),
    ...(schema === null || 'response_format' in record.refused ? [] : [SCHEMA[schema]]),
    ...(tools === null ? [] : [TOOLS[tools]]),
    ...(reasoning === null ? [] : [REASONING[reasoning]]),
    ...(verdicts === null ? [] : [VERDICTS[verdicts]]),
    ...(streams === null || 'stream' in record.refused ? [] : [streams ? 'streams' : 'does not stream']),
    ...(reportsUsage === false ? ['reports no tokens, which are estimated'] : []),
    ...counted(record.context_window, (figure) => `context of ${figure} tokens`),
    ...counted(record.max_output_tokens, (figure) => `at most ${figure} tokens an answer`),
    ...counted(record.dimensions, (figure) => `${figure} dimensions`),
    ...counted(record.embedding_batch, (figure) => `at most ${figure} texts a request`),
    ...(endings.length === 0 ? [] : [`ends with ${endings.join(', ')}`]),
  ]
}
