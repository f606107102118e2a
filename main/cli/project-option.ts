import { resolve } from 'node:path'
import { projectProblem } from '../manifests/project-folder.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import { textOption, type Invocation } from './command.ts'

/** The project that a command works on. Throws `InputError` when there is none at the path; makes none. */
export function projectFolder(invocation: Invocation): string {
  const root = resolve(textOption(invocation, 'project') ?? '.')
  const problem = projectProblem(root)
  if (problem !== null) throw new InputError([problem])
  return root
}
