import type { NodeReply } from './node-type.ts'

/** A file that cannot be imported: every problem, one sentence each. */
export class WorkflowImportError extends Error {
  override readonly name = 'WorkflowImportError'
  readonly problems: readonly string[]

  constructor(workflow: string, problems: readonly string[]) {
    super(`the workflow '${workflow}' cannot be imported: ${problems.join('; ')}`)
    this.problems = problems
  }
}

/** A run that ended early. `reply` is the HTTP answer that a node failed on; null for other failures. */
export class WorkflowRunError extends Error {
  override readonly name = 'WorkflowRunError'
  readonly node: string
  readonly reply: NodeReply | null
  /** 422 where the caller can repair it. */
  readonly status: 422 | 500

  constructor(
    node: string,
    problem: string,
    options: { reply?: NodeReply | null; status?: 422; cause?: unknown } = {},
  ) {
    super(`Node '${node}': ${problem}`, { cause: options.cause })
    this.node = node
    this.reply = options.reply ?? null
    this.status = options.status ?? 500
  }
}
