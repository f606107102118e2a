import { z } from 'zod'
import { Identifier } from '../common.ts'

/** Lists what may differ between two approaches besides the way they retrieve. */
export const PROTOCOL_PARTS = {
  encoder: 'encoder',
  chunks: 'chunks',
  candidates: 'candidate pool',
  reranker: 'reranker',
  context: 'tokens handed over',
  answer_model: 'answer model',
  prompt: 'prompt',
  model_calls: 'model calls per answer',
} as const
const ProtocolPart = z.enum(
  Object.keys(PROTOCOL_PARTS) as [keyof typeof PROTOCOL_PARTS, ...(keyof typeof PROTOCOL_PARTS)[]],
)
export type ProtocolPart = z.infer<typeof ProtocolPart>

/**
 * Describes what was equal between the compared approaches and what was not. `equal` is null where some approach does not record it, or some rows record it in
 * other words than the configuration of the others.
 * Texts are equal as they are; tokens and calls where the largest exceeds the smallest by at most a tenth.
 */
export const ProtocolCard = z.array(
  z.strictObject({
    part: ProtocolPart,
    equal: z.boolean().nullable(),
    values: z.array(
      z.strictObject({
        model: Identifier,
        value: z.string().nullable(),
        /** States where it is from: the configuration counts only where the rows do not record it. Absent from results of before. */
        from: z.enum(['rows', 'configuration']).optional(),
      }),
    ),
  }),
)
export type ProtocolCard = z.infer<typeof ProtocolCard>
