import { ServerMetrics, usageOfCall } from '../../../../contract/index.ts'
import { admit, usageOf } from '../adaptive/readiness-gate.ts'
import type { WorkflowReply } from '../adaptive/workflow-client.ts'
import type { Approach, ApproachServices } from '../approach.ts'
import { RagError } from '../rag-error.ts'

/**
 * The workflow engine classifies the question, asks another alias and hands its evidence back. The classifier is one model call more
 * than the delegate reports.
 */
export const workflowAdaptive: Approach<'workflow-adaptive-rag'> = async (question, _parameters, services, signal) => {
  const { workflow } = services
  if (workflow === null) throw new RagError('approach_unavailable', 'no workflow engine is configured')
  const reply = await workflow.ask(question, signal)
  account(reply, services)
  const { answer, route, approach, rag_extension: delegated } = admit(reply, services.aliases)
  const { schema_version: _version, answer: _answer, sources, metrics, ...additive } = delegated
  return { answer, sources, chunks: metrics.chunks, metadata: { ...additive, adaptive: { route, approach } } }
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
