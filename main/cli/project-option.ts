import { resolve } from 'node:path'
import { parseRunnerInputs } from '../manifests/runner-inputs.ts'
import { namedFiles, type ArtifactPlace } from '../evidence/artifact-files.ts'
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

/**
 * Where a command that only reads finds artifacts: the folder of `--results`, and the files that variables put elsewhere. It needs no project,
 * because published results can be anywhere.
 */
export function artifactPlace(invocation: Invocation): ArtifactPlace {
  const root = resolve(textOption(invocation, 'project') ?? '.')
  const { inputs } = parseRunnerInputs(invocation.env)
  return { resultsDir: resolve(root, textOption(invocation, 'results') ?? 'results'), named: namedFiles(root, inputs) }
}

/** The evidence files that were named, else the one that MATRIX_CANONICAL_FILE names. */
export function evidenceArguments(invocation: Invocation): string[] {
  const { evidence } = artifactPlace(invocation).named
  return invocation.positionals.length > 0 || evidence === undefined ? invocation.positionals : [evidence]
}
