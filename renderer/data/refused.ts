import { controlErrorOf, InputProblem } from '../../contract/control/control-error.ts'

/**
 * Lists a refusal's problems by the field that shows it, and the whole sentence where it names anything else; nothing for null. `fields`: paths
 * of the input that are fields themselves, or what returns the field of a path.
 */
export function problemsOf(
  error: unknown,
  fields: readonly string[] | ((path: string) => string | undefined),
): { byField: Record<string, string>; rest: string | null } {
  if (error === null) return { byField: {}, rest: null }
  const { message, details } = controlErrorOf(error)
  const fieldOf = typeof fields === 'function' ? fields : (path: string) => fields.find((field) => field === path)
  const problems = InputProblem.array().safeParse(details?.['problems']).data ?? []
  const named = problems.map((problem) => [fieldOf(problem.path), problem.message] as const)
  const isAllNamed = problems.length > 0 && named.every(([field]) => field !== undefined)
  return {
    byField: Object.fromEntries(
      named.flatMap(([field, text]) => (field === undefined ? [] : [[field, text] as const])),
    ),
    rest: isAllNamed ? null : message,
  }
}
