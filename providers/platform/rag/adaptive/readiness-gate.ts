import { z } from 'zod'
import { CANONICAL_APPROACHES, describeIssues, RagExtension, TokenUsage } from '../../../../contract/index.ts'
import type { BaseApproach } from '../../../../contract/index.ts'
import type { AliasTable } from '../alias-table.ts'
import { RagError } from '../rag-error.ts'
import type { WorkflowReply } from './workflow-client.ts'

/** An approach that a workflow may delegate to: a canonical one, and never a workflow again. */
export const DELEGATES: readonly BaseApproach[] = CANONICAL_APPROACHES.filter(
  (approach) => approach !== 'workflow-adaptive-rag',
)

const Answer = z.looseObject({
  answer: z.string().refine((text) => text.trim() !== '', 'the answer is empty'),
  route: z.string().min(1),
  approach: z.string().min(1),
  rag_extension: RagExtension,
})
export type WorkflowAnswer = z.infer<typeof Answer>

/** Additive in a workflow's answer: token counts of the classifier and of the delegate, where both reported them. */
const Usage = z.looseObject({ usage: z.looseObject({ classifier: TokenUsage.loose(), delegate: TokenUsage.loose() }) })

/** The token counts of a run; null where it reported none. */
export function usageOf(body: unknown): { classifier: TokenUsage; delegate: TokenUsage } | null {
  const parsed = Usage.safeParse(body)
  return parsed.success ? parsed.data.usage : null
}

/**
 * What a workflow answered, once it is fit to be passed on: status 200, a non-empty answer, evidence of schema version 1, and an alias
 * that it may delegate to. Throws `RagError` otherwise, without the workflow's own words.
 */
export function admit(reply: WorkflowReply, aliases: AliasTable): WorkflowAnswer {
  if (reply.status === 404)
    throw new RagError(
      'workflow_failed',
      'the workflow engine has no such webhook: is the workflow imported and active?',
    )
  if (reply.status !== 200) throw new RagError('workflow_failed', `the workflow failed (HTTP ${reply.status})`)
  const parsed = Answer.safeParse(reply.body)
  if (!parsed.success) {
    const problems = describeIssues(parsed.error).slice(0, 3).join('; ')
    throw new RagError('workflow_answer_refused', `the workflow's answer is refused: ${problems}`)
  }
  const { approach } = parsed.data
  const base = aliases.get(approach)?.base
  if (base === undefined || !DELEGATES.includes(base))
    throw new RagError('workflow_answer_refused', `the workflow delegated to '${approach}', which it may not`)
  return parsed.data
}
