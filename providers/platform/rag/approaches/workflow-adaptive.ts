// This is different from Adaptive-RAG (arXiv 2403.14403). See docs/methods.md.
import { z } from 'zod'
import { CANONICAL_APPROACHES, type BaseApproach } from '../../../../contract/approaches.ts'
import { TokenUsage } from '../../../../contract/evidence/canonical-row.ts'
import { usageOfCall } from '../../../../contract/evidence/model-usage.ts'
import { ServerMetrics, RagExtension } from '../../../../contract/evidence/rag-extension.ts'
import { describeIssues } from '../../../../core/issues.ts'
import { serviceText } from '../../../../core/known-secrets.ts'
import type { WorkflowReply } from '../adaptive/workflow-client.ts'
import type { Approach, ApproachServices } from '../approach.ts'
import { RagError, reportedFailure } from '../rag-error.ts'
import type { AliasTable } from '../alias-table.ts'

/**
 * The workflow engine classifies the question, asks another alias and hands its evidence back. The classifier is one model call more
 * than the delegate reports.
 */
export const workflowAdaptive: Approach<'workflow-adaptive-rag'> = async (question, _parameters, services, signal) => {
  const reply = await services.workflow.ask(question, services.contextBudget, signal)
  account(reply, services)
  const { answer, route, approach, rag_extension: delegated } = admit(reply, services.aliases)
  const { schema_version: _version, answer: _answer, sources, metrics, ...additive } = delegated
  const { chunks, context_tokens: contextTokens = null, is_cut: isCut, waited_s: waitedS = 0 } = metrics
  services.addWait(reply.waitedMs + waitedS * 1000)
  return { answer, sources, chunks, contextTokens, isCut, metadata: { ...additive, adaptive: { route, approach } } }
}

/** Books what a run has cost, also one whose answer will be refused. A run that started has called the classifier. */
function account({ status, body, spent }: WorkflowReply, { models, addRemote }: ApproachServices): void {
  if (status === 404) return
  const usage = usageOf(body)
  const inCloud = models.isCloud('workflow_classifier')
  const classifier = usage?.classifier ?? null
  addRemote({
    llmCalls: 1,
    cloudCalls: inCloud ? 1 : 0,
    usage: classifier,
    models: models.isBuiltin('workflow_classifier')
      ? []
      : [usageOfCall(models.modelName('workflow_classifier'), inCloud, classifier)],
  })
  const metrics = ServerMetrics.safeParse(
    (body as { rag_extension?: { metrics?: unknown } } | null)?.rag_extension?.metrics,
  )
  if (metrics.success) {
    const { llm_calls: llmCalls, cloud_calls: cloudCalls, model_usage: delegate } = metrics.data
    addRemote({
      llmCalls,
      cloudCalls,
      usage: usage?.delegate ?? null,
      models: delegate ?? (cloudCalls > 0 ? null : []),
    })
  } else if (spent !== null) addRemote({ ...spent, usage: null, models: null })
}

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
type WorkflowAnswer = z.infer<typeof Answer>

/** Additive in a workflow's answer: token counts of the classifier and of the delegate, where both reported them. */
const Usage = z.looseObject({ usage: z.looseObject({ classifier: TokenUsage.loose(), delegate: TokenUsage.loose() }) })

/** The token counts of a run; null where it reported none. */
function usageOf(body: unknown): { classifier: TokenUsage; delegate: TokenUsage } | null {
  const parsed = Usage.safeParse(body)
  return parsed.success ? parsed.data.usage : null
}

/**
 * Returns what a workflow answered, once it is fit to be passed on: status 200, a non-empty answer, evidence of schema version 1, and an alias
 * that it may delegate to. Throws `RagError` otherwise: what failed in the workflow keeps its code and its words.
 */
function admit(reply: WorkflowReply, aliases: AliasTable): WorkflowAnswer {
  if (reply.status === 404)
    throw new RagError(
      'workflow_failed',
      'the workflow engine has no such webhook: is the workflow imported and active?',
    )
  if (reply.status !== 200) throw failureOf(reply)
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

/** The gateway's error on which a run failed. An engine that does not pass it on, such as n8n, leaves the status alone. */
const Failed = z.looseObject({ error: z.looseObject({ message: z.string(), code: z.string() }) })

function failureOf({ status, body, again }: WorkflowReply): RagError {
  const parsed = Failed.safeParse(body)
  if (!parsed.success) return new RagError('workflow_failed', `the workflow failed (HTTP ${status})`)
  const { message, code } = parsed.data.error
  const words = serviceText(message)
  return (
    reportedFailure(code, words, again) ??
    new RagError('workflow_failed', `the workflow failed (HTTP ${status}): ${words}`)
  )
}
