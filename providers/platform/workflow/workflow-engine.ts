import { hash } from 'node:crypto'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { importWorkflow } from './import-workflow.ts'
import type { Workflow } from './import-workflow.ts'
import type { NodeContext, WebhookResponse } from './node-type.ts'
import { WAITED_HEADER } from '../models/model-waits.ts'
import { createNodeHttp } from './node-http.ts'
import { runWorkflow } from './run-workflow.ts'

export interface WorkflowEngineDeps {
  /** Returns what `$env` offers to the workflows; asked at each run. */
  env: () => Readonly<Record<string, string>>
}

export type WebhookMatch = { found: true; workflow: Workflow } | { found: false; otherMethods: readonly string[] }

/** Workflows in n8n's export format, started by their webhooks. */
export interface WorkflowEngine {
  /** Takes in a workflow by its id; the same file again changes nothing. Throws `WorkflowImportError`. */
  seed(file: unknown): 'created' | 'updated' | 'unchanged'
  /** The active workflow of a webhook. */
  match(method: string, path: string): WebhookMatch
  /** Throws `WorkflowRunError`. */
  run(workflow: Workflow, received: object, signal?: AbortSignal): Promise<WebhookResponse>
  close(): Promise<void>
}

/** An engine without workflows. */
export function createWorkflowEngine({ env }: WorkflowEngineDeps): WorkflowEngine {
  const seeded = new Map<string, { workflow: Workflow; digest: string }>()
  const http = createNodeHttp()
  const active = () => [...seeded.values()].map(({ workflow }) => workflow).filter((workflow) => workflow.active)
  return {
    seed(file) {
      const workflow = importWorkflow(file)
      const digest = hash('sha256', canonicalJson(file))
      const known = seeded.get(workflow.id)
      if (known?.digest === digest) return 'unchanged'
      seeded.set(workflow.id, { workflow, digest })
      return known === undefined ? 'created' : 'updated'
    },
    match(method, path) {
      const there = active().filter(({ trigger }) => trigger.path === path)
      const workflow = there.find(({ trigger }) => trigger.method === method)
      if (workflow !== undefined) return { found: true, workflow }
      return { found: false, otherMethods: there.map(({ trigger }) => trigger.method) }
    },
    async run(workflow, received, signal) {
      let waitedMs = 0
      const fetchJson: NodeContext['fetchJson'] = async (asked) => {
        const reply = await http.fetch(workflow.id, asked, signal)
        waitedMs += Number(reply.headers[WAITED_HEADER] ?? 0)
        return reply
      }
      const response = await runWorkflow(workflow, received, { env: env(), fetchJson }, signal)
      if (waitedMs === 0) return response
      return { ...response, headers: { ...response.headers, [WAITED_HEADER]: String(waitedMs) } }
    },
    close: () => http.close(),
  }
}
