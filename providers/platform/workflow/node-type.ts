import { z } from 'zod'
import { describeIssues } from '../../../core/issues.ts'
import { compileTemplate, type Template } from './expressions/evaluate.ts'
import { ExpressionError } from './expressions/tokens.ts'

/** One piece of data on its way through a workflow. */
export interface Item {
  json: unknown
  /** Holds what each node on the way made of it, by the node's name. */
  trail: ReadonlyMap<string, unknown>
}

/** Describes what the webhook's caller gets. */
export interface WebhookResponse {
  status: number
  headers: Readonly<Record<string, string>>
  /** Text is sent as it is, anything else as JSON; undefined sends nothing. */
  body: unknown
}

/** Describes what a node may do in a run. */
export interface NodeContext {
  env: Readonly<Record<string, string>>
  fetchJson(request: NodeRequest): Promise<NodeReply>
  /** Answers the webhook's caller; only the first call counts. */
  respond(response: WebhookResponse): unknown
}

export interface NodeRequest {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string | null
  timeoutMs: number
}

export interface NodeReply {
  status: number
  headers: Readonly<Record<string, string>>
  /** Parsed when it is JSON, else the text. */
  body: unknown
}

/** Describes what a node does with the items of one delivery: items for each of its outputs. Throws `NodeFailure` and `ExpressionError`. */
export type RunNode = (items: readonly Item[], context: NodeContext) => Promise<Item[][]>

/** A node could not do its work. `reply` is the HTTP answer that it failed on; null for other failures. */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure'
  readonly reply: NodeReply | null

  constructor(problem: string, options: { reply?: NodeReply; cause?: unknown } = {}) {
    super(problem, { cause: options.cause })
    this.reply = options.reply ?? null
  }
}

/** A node's parameters as something that runs, or what of them this engine does not have. */
export type CompiledNode = { ok: true; run: RunNode } | { ok: false; problems: string[] }

/** A kind of node in the versions that this engine understands. */
export interface NodeType {
  versions: { from: number; to: number }
  compile(parameters: unknown): CompiledNode
}

/** A node type from the schema of its parameters and what it does; unknown parameters and expressions become problems. */
export function nodeType<Schema extends z.ZodType>(
  versions: NodeType['versions'],
  schema: Schema,
  build: (parameters: z.output<Schema>) => RunNode,
): NodeType {
  return {
    versions,
    compile(parameters) {
      const parsed = schema.safeParse(parameters)
      return parsed.success
        ? { ok: true, run: build(parsed.data) }
        : { ok: false, problems: describeIssues(parsed.error) }
    },
  }
}

/** A template's value for an item. */
export function valueOf(template: Template, item: Item, { env }: Pick<NodeContext, 'env'>): unknown {
  return template({ json: item.json, env, nodeJson: (name) => item.trail.get(name) })
}

/** A template's value where only text will do. */
export function textOf(template: Template, item: Item, context: Pick<NodeContext, 'env'>, what: string): string {
  const value = valueOf(template, item, context)
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new NodeFailure(`${what} is not a string`)
}

/** A parameter that may be an expression. */
export const template = z.union([z.string(), z.number(), z.boolean()]).transform((parameter, context): Template => {
  try {
    return compileTemplate(parameter)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    context.addIssue({ code: 'custom', message: `this expression is not supported: ${error.message}` })
    return z.NEVER
  }
})
