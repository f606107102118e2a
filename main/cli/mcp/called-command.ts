import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { parseCommandLine, type Command, type Invocation } from '../command.ts'
import { KeptText } from '../kept-text.ts'

export interface Called {
  code: number
  /** Holds `--json` output. */
  results: unknown[]
  /** Holds the output for people, line by line. */
  notes: string[]
}

/** Runs a command that prints JSON lines, with its outputs kept apart from those of this process. Throws what the command throws. */
export async function calledCommand(command: Command, args: string[], env: Invocation['env']): Promise<Called> {
  const [stdout, stderr] = [new KeptText(), new KeptText()]
  const parsed = parseCommandLine(command, ['--json', ...args])
  const code = await command.run({ ...parsed, env, stdout: stdout.asTerminal(), stderr: stderr.asTerminal() })
  const lines = stdout.text.split('\n').filter((line) => line !== '')
  const isResult = (line: string): boolean => line.startsWith('{')
  return {
    code,
    results: lines.filter(isResult).map((line): unknown => JSON.parse(line)),
    notes: [...lines.filter((line) => !isResult(line)), ...stderr.text.split('\n')]
      .map((line) => sanitizeForTerminal(line).trim())
      .filter((line) => line !== ''),
  }
}
