import { z } from 'zod'
import { describeIssues } from '../../../core/issues.ts'
import type { NodeType, RunNode } from './node-type.ts'
import { ifNode, noOpNode, switchNode } from './nodes/branching.ts'
import { httpRequestNode } from './nodes/http-request.ts'
import { setNode } from './nodes/set.ts'
import { respondNode, webhookNode, WebhookParameters } from './nodes/webhook.ts'
import { WorkflowImportError } from './workflow-error.ts'

const WEBHOOK = 'n8n-nodes-base.webhook'
/** Notes on the canvas: nothing runs. */
const STICKY_NOTE = 'n8n-nodes-base.stickyNote'

const NODE_TYPES: ReadonlyMap<string, NodeType> = new Map([
  [WEBHOOK, webhookNode],
  ['n8n-nodes-base.httpRequest', httpRequestNode],
  ['n8n-nodes-base.switch', switchNode],
  ['n8n-nodes-base.if', ifNode],
  ['n8n-nodes-base.set', setNode],
  ['n8n-nodes-base.noOp', noOpNode],
  ['n8n-nodes-base.respondToWebhook', respondNode],
])

/** Settings of a node that change what a failure means: only "stop the workflow" is known here. */
const FAILURE_SETTINGS = ['onError', 'continueOnFail', 'retryOnFail', 'alwaysOutputData', 'executeOnce', 'disabled']

export interface WorkflowStep {
  name: string
  run: RunNode
  /** For each output the steps that it leads to. */
  next: readonly (readonly string[])[]
}

/** A workflow that can run. */
export interface Workflow {
  id: string
  name: string
  active: boolean
  /** States how its webhook is called. */
  trigger: { node: string; method: WebhookParameters['httpMethod']; path: string }
  steps: ReadonlyMap<string, WorkflowStep>
}

/** n8n's command line exports a list, its editor one workflow. */
function onlyWorkflow(exported: unknown): unknown {
  if (!Array.isArray(exported) || exported.length === 0) return exported
  if (exported.length === 1) return exported[0] as unknown
  const names = exported.map(nameOf).join(', ')
  throw new WorkflowImportError('list', [
    `the file holds ${exported.length} workflows (${names}): export one by its id`,
  ])
}

/**
 * Reads a workflow in n8n's export format, alone or as the one entry of a list. Throws `WorkflowImportError` with every problem: unknown node types by name, parameters and
 * expressions outside the supported part, connections to nowhere, no webhook or several.
 */
export function importWorkflow(exported: unknown): Workflow {
  const file = onlyWorkflow(exported)
  const parsed = WorkflowFile.safeParse(file)
  if (!parsed.success) throw new WorkflowImportError(nameOf(file), describeIssues(parsed.error))
  const { id, name, active, nodes, connections } = parsed.data
  const running = nodes.filter(({ type }) => type !== STICKY_NOTE)
  const names = new Set(running.map((node) => node.name))
  const problems: string[] = []
  if (names.size < running.length) problems.push('two nodes have the same name')
  const steps = new Map<string, WorkflowStep>()
  for (const node of running) {
    const compiled = compile(node)
    problems.push(...compiled.problems.map((problem) => `node '${node.name}': ${problem}`))
    const next = (connections[node.name]?.main ?? []).map((targets) => (targets ?? []).map((target) => target.node))
    if (compiled.run !== null) steps.set(node.name, { name: node.name, run: compiled.run, next })
  }
  for (const [from, { main }] of Object.entries(connections)) {
    const targets = main.flatMap((output) => (output ?? []).map(({ node }) => node))
    for (const target of [from, ...targets].filter((node) => !names.has(node)))
      problems.push(`a connection names the node '${target}', which does not exist`)
  }
  const triggers = running.filter(({ type }) => type === WEBHOOK)
  const [trigger] = triggers
  if (trigger === undefined || triggers.length > 1) problems.push(`expected one webhook, got ${triggers.length}`)
  else if (trigger.webhookId === undefined)
    problems.push(`node '${trigger.name}': without a webhookId n8n registers it under another path`)
  if (problems.length > 0) throw new WorkflowImportError(name, problems)
  const { httpMethod: method, path } = WebhookParameters.parse(trigger!.parameters)
  return { id, name, active, trigger: { node: trigger!.name, method, path }, steps }
}

function compile(node: WorkflowNode): { run: RunNode | null; problems: string[] } {
  const type = NODE_TYPES.get(node.type)
  if (type === undefined) return { run: null, problems: [`the node type '${node.type}' is not supported`] }
  const { from, to } = type.versions
  if (node.typeVersion < from || node.typeVersion > to)
    return {
      run: null,
      problems: [`version ${node.typeVersion} of '${node.type}' is not supported, ${from} to ${to} are`],
    }
  const settings = FAILURE_SETTINGS.filter((setting) => node[setting] !== undefined && node[setting] !== false)
    .filter((setting) => node[setting] !== 'stopWorkflow')
    .map((setting) => `the setting '${setting}' is not supported`)
  const compiled = type.compile(node.parameters)
  if (!compiled.ok) return { run: null, problems: [...settings, ...compiled.problems] }
  return { run: compiled.run, problems: settings }
}

function nameOf(file: unknown): string {
  const name = (file as { name?: unknown } | null)?.name
  return typeof name === 'string' ? name.slice(0, 128) : 'unnamed'
}

const Connection = z.object({ node: z.string().min(1), type: z.literal('main'), index: z.int().min(0) })

/** A node as n8n exports it; what its parameters mean is its type's affair. */
const WorkflowNode = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1).max(128),
  type: z.string().min(1),
  typeVersion: z.number(),
  position: z.tuple([z.number(), z.number()]),
  parameters: z.record(z.string(), z.unknown()),
  webhookId: z.string().min(1).optional(),
})
type WorkflowNode = z.infer<typeof WorkflowNode>

/** A workflow in n8n's export format. */
export const WorkflowFile = z.looseObject({
  id: z.string().min(1).max(36),
  name: z.string().min(1).max(128),
  nodes: z.array(WorkflowNode).min(1).max(200),
  /** Per node its outputs in order, and per output what it leads to. */
  connections: z.record(z.string(), z.object({ main: z.array(z.array(Connection).nullable()) })),
  active: z.boolean(),
  settings: z.looseObject({}).default({}),
})
export type WorkflowFile = z.infer<typeof WorkflowFile>
