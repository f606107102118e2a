/** A configuration that a service cannot be started with: every problem, one sentence each. */
export class ServiceConfigError extends Error {
  override readonly name: string = 'ServiceConfigError'
  readonly problems: readonly string[]

  constructor(service: string, problems: readonly string[]) {
    super(`${service} cannot start:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}
