import { basename, relative } from 'node:path'

export { nameButtonsInRemedies, remedyFor } from '../../core/remedy.ts'

const PLAIN_WORD = /^[\w@%+=:,./-]+$/
const quoted = (word: string): string => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** Describes how this process was started, as far as it decides how a person starts the next one. */
export interface Start {
  env: Readonly<Record<string, string | undefined>>
  argv: readonly string[]
  cwd: string
}

/** The words that start the command line here: through npm, as an installed command, or by the path of the script. */
function program({ env, argv, cwd }: Start): string {
  if (env['npm_command'] === 'exec') return 'npx rag-ladder'
  if (env['npm_command'] !== undefined) return 'npm run rag-ladder --'
  const script = argv[1]
  return script !== undefined && basename(script) === 'rag-ladder.mjs'
    ? `node ${quoted(relative(cwd, script))}`
    : 'rag-ladder'
}

/** The command that this process was started with as the person types it again, with options added to it and without those of `dropped`. */
export function sameCommand(
  added: readonly string[],
  dropped: readonly string[],
  start: Start = { env: process.env, argv: process.argv, cwd: process.cwd() },
): string {
  const kept = start.argv.slice(2).filter((word) => !dropped.includes(word) && !added.includes(word))
  return [program(start), ...[...kept, ...added].map(quoted)].join(' ')
}

/** The command that opens the pages, as the person at this terminal types it. */
export const pagesCommand = (start: Start = { env: process.env, argv: process.argv, cwd: process.cwd() }): string =>
  start.env['npm_command'] === 'run' || start.env['npm_command'] === 'run-script'
    ? 'npm start'
    : `${program(start)} serve`

/** A command of ours as the person at this terminal types it, with every word quoted that a shell would change. */
export const typedCommand = (
  words: readonly string[],
  start: Start = { env: process.env, argv: process.argv, cwd: process.cwd() },
): string => [program(start), ...words.map(quoted)].join(' ')
