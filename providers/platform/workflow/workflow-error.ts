/** A file that cannot be imported: every problem, one sentence each. */
export class WorkflowImportError extends Error {
  override readonly name = 'WorkflowImportError'
  readonly problems: readonly string[]

  constructor(workflow: string, problems: readonly string[]) {
    super(`the workflow '${workflow}' cannot be imported: ${problems.join('; ')}`)
    this.problems = problems
  }
}

/** A run that ended early. `headers` are those of the HTTP answer that a node failed on. */
export class WorkflowRunError extends Error {
  override readonly name = 'WorkflowRunError'
  readonly node: string
  readonly headers: Readonly<Record<string, string>>
  /** 422 where the caller can repair it. */
  readonly status: 422 | 500

  constructor(
    node: string,
    problem: string,
    options: { headers?: Readonly<Record<string, string>>; status?: 422; cause?: unknown } = {},
  ) {
    super(`Node '${node}': ${problem}`, { cause: options.cause })
    this.node = node
    this.headers = options.headers ?? {}
    this.status = options.status ?? 500
  }
}
