import { NotTextError } from './expressions/evaluate.ts'
import { ExpressionError } from './expressions/tokens.ts'
import type { Workflow, WorkflowStep } from './import-workflow.ts'
import { NodeFailure } from './node-type.ts'
import type { Item, NodeContext, WebhookResponse } from './node-type.ts'
import { WorkflowRunError } from './workflow-error.ts'

export type RunDeps = Pick<NodeContext, 'env' | 'fetchJson'>

/** States how the first node after the webhook reads what the caller sent. */
const BODY = '$json.body.'

/** Nodes that one run may execute: a workflow that leads back into itself ends here. */
const MOST_STEPS = 500

/**
 * Runs a workflow on what its webhook received, node by node and branch by branch, and gives what a Respond to Webhook node answered.
 * Throws `WorkflowRunError`, and the signal's reason when it is aborted.
 */
export async function runWorkflow(
  workflow: Workflow,
  received: object,
  deps: RunDeps,
  signal?: AbortSignal,
): Promise<WebhookResponse> {
  const responses: WebhookResponse[] = []
  const context: NodeContext = {
    env: deps.env,
    fetchJson: deps.fetchJson,
    respond: (given) => responses.push(given),
  }
  const { node: first } = workflow.trigger
  const waiting: { step: WorkflowStep; items: Item[] }[] = [
    { step: workflow.steps.get(first)!, items: [{ json: received, trail: new Map() }] },
  ]
  for (let count = 0; ; count += 1) {
    const delivery = waiting.pop()
    if (delivery === undefined) break
    signal?.throwIfAborted()
    const { step, items } = delivery
    if (count === MOST_STEPS) throw new WorkflowRunError(step.name, `the run has executed ${MOST_STEPS} nodes`)
    const outputs = await execute(step, items, context, signal)
    const reached = step.next.flatMap((targets, output) =>
      targets.map((target) => ({ step: workflow.steps.get(target)!, items: outputs[output] ?? [] })),
    )
    // The last one in is the next one out: the first branch is followed to its end before the second begins.
    waiting.push(...reached.filter(({ items: delivered }) => delivered.length > 0).reverse())
  }
  const [response] = responses
  if (response === undefined) throw new WorkflowRunError(first, 'the run ended without a response to the webhook')
  return response
}

async function execute(
  step: WorkflowStep,
  items: readonly Item[],
  context: NodeContext,
  signal: AbortSignal | undefined,
): Promise<Item[][]> {
  try {
    const outputs = await step.run(items, context)
    return outputs.map((output) =>
      output.map(({ json, trail }) => ({ json, trail: new Map(trail).set(step.name, json) })),
    )
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof NodeFailure)
      throw new WorkflowRunError(step.name, error.message, { reply: error.reply, cause: error })
    if (error instanceof NotTextError && error.path.startsWith(BODY) && items.every(({ trail }) => trail.size <= 1))
      throw new WorkflowRunError(
        step.name,
        `the request body needs the field '${error.path.slice(BODY.length)}' as a text`,
        {
          status: 422,
          cause: error,
        },
      )
    if (error instanceof ExpressionError)
      throw new WorkflowRunError(step.name, `an expression failed: ${error.message}`, { cause: error })
    throw error
  }
}
