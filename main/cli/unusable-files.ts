import { plural } from '../../contract/words.ts'
import type { ArtifactPlace } from '../evidence/files/artifact-files.ts'
import { sanitizeForTerminal } from '../lib/text/sanitize-for-terminal.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import {
  scanResults,
  unusableLines,
  type ResultsFolder,
  type UnusableFile,
} from '../report/publication/results-folder.ts'
import { TORN_END } from '../report/read-evidence.ts'
import { EXIT, type ExitCode, type Invocation } from './command.ts'
import { errorText, outputColumns } from './progress/render-line.ts'

/** Nothing of a folder could be used; one line per file. */
export class UnusableFilesError extends Error {
  override readonly name = 'UnusableFilesError'
  readonly code = 'evidence_unusable'

  constructor(lines: readonly string[]) {
    super(lines.join('\n  '))
  }
}

/** Reads a folder of results. Throws `InputError` when it is missing or not a folder. */
export async function readFolder<Result>(dir: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall !== 'scandir') throw error
    if (code === 'ENOENT') throw new InputError([`${dir}: no such folder`])
    if (code === 'ENOTDIR') throw new InputError([`${dir} is a file: name the folder that holds the artifacts`])
    throw new InputError([`${dir} cannot be read: ${(error as Error).message}`])
  }
}

/** The dataset runs in a folder of results. Throws `InputError`. */
export const scanArtifacts = ({ resultsDir, named }: ArtifactPlace): Promise<ResultsFolder> =>
  readFolder(resultsDir, () => scanResults(resultsDir, named))

/** The commands for damaged evidence; the reason of another file names its own. */
function remedies(unusable: readonly UnusableFile[]): string {
  const evidence = unusable.filter(({ file }) => file.endsWith('.jsonl'))
  const isTorn = evidence.some(({ reason }) => reason.includes(TORN_END))
  return `${evidence.length === 0 ? '' : '; rag-ladder verify checks evidence in full'}${isTorn ? ', rag-ladder recover repairs a torn end' : ''}`
}

/** Lists the files that were left out, each with its reason, on the error stream; the exit code that follows from them. */
export function reportUnusable(unusable: readonly UnusableFile[], { stderr, env }: Invocation): ExitCode {
  if (unusable.length === 0) return EXIT.ok
  const count = unusable.length
  const head = `${plural(count, 'file')} could not be used and ${count === 1 ? 'is' : 'are'} left out${remedies(unusable)}:`
  const lines = unusableLines(unusable).map((line) => `  ${line.replace(/\s+/g, ' ')}`)
  stderr.write(
    `${errorText(sanitizeForTerminal([head, ...lines].join('\n')), { color: stderr.isTTY, columns: outputColumns(stderr, env) })}\n`,
  )
  return EXIT.evidenceRefused
}
