// The command line takes arguments and outputs, and returns an exit code. In: arguments, environment and manifests. Out: text or JSON lines, and one of the
// exit codes in exit-code.ts. It loads what a command needs when the command is called, so that a small one starts fast; `main/cli.ts` starts it.
//   1. commands.ts lists the commands, each with the module that runs it; command.ts parses options and makes the help.
//   2. run-setup.ts turns options, environment and manifests into a prepared run, as the engine does with a request.
//   3. commands/ladder.ts runs the ladder, commands/plan.ts only plans it; each other command has one file there.
//   4. announce-effects.ts asks before anything is deleted or replaced; stop-signals.ts lets a run end in good order.
//   5. progress/reporter.ts prints the events of a run, for people (progress/render-line.ts) or as JSON lines.
// unusable-files.ts and run-end.ts print what a person can do next.
import { resolve } from 'node:path'
import { styleText } from 'node:util'
import { limitBehind } from '../../core/system-limit.ts'
import packageFile from '../../package.json' with { type: 'json' }
import type { Command } from './command.ts'
import { COMMANDS } from './commands.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Describes what a command line reads and writes. Its processes and prompts still use those of this process. */
export interface Terminal {
  env: Environment
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}

/** Runs one command and returns its exit code. A failure is printed to `stderr`; rejects never. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  return run(argv, terminal).catch((error: unknown) => fail(error, terminal))
}

async function overview({ env, stdout }: Terminal): Promise<string> {
  const [{ outputColumns }, { helpTable, wrap }] = await Promise.all([
    import('./progress/render-line.ts'),
    import('../lib/text/terminal-text.ts'),
  ])
  const columns = outputColumns(stdout, env)
  const commands = Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary] as const)
  return [
    'RAG Ladder: find out which retrieval approach fits your data.',
    '',
    'Usage: rag-ladder <command> [options]',
    '',
    ...helpTable(commands, 15, columns),
    '',
    'rag-ladder <command> --help lists its options.',
    ...wrap(
      'Exit codes: 0 done, 1 unexpected error, 2 bad input, 3 answers failed or graded columns missing, 4 evidence refused, 5 a service failed, 6 a gate failed, 7 a gate could not tell, 130 interrupted.',
      columns,
      '  ',
    ),
    '',
  ].join('\n')
}

async function run([name, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  const { env, stdout, stderr } = terminal
  const [subject] = args
  if (name === 'help' && subject !== undefined && !subject.startsWith('-')) return run([subject, '--help'], terminal)
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    stdout.write(await overview(terminal))
    return 0
  }
  if (name === '--version' || name === '-V') {
    stdout.write(`${packageFile.name} ${packageFile.version}\n`)
    return 0
  }
  const { commandHelp, parseCommandLine, EXIT } = await import('./command.ts')
  const listed = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (listed === undefined) {
    const [{ nearestName }, { InputError }] = await Promise.all([
      import('../lib/text/nearest-name.ts'),
      import('../manifests/runner-inputs.ts'),
    ])
    const meant = nearestName(name, Object.keys(COMMANDS))
    const suggestion = meant === null ? '' : `; did you mean ${meant}?`
    throw new InputError([`unknown command: ${name}${suggestion}`, 'rag-ladder --help lists the commands'])
  }
  const [command, { rememberSecretsOf }, { rememberStoredKeys }] = await Promise.all([
    listed.load(),
    import('../../core/known-secrets.ts'),
    import('../lib/trust/model-keys.ts'),
  ])
  rememberSecretsOf(env)
  await rememberStoredKeys(env)
  if (args.includes('--help') || args.includes('-h')) {
    const { outputColumns } = await import('./progress/render-line.ts')
    stdout.write(commandHelp(command, listed.summary, outputColumns(stdout, env)))
    return EXIT.ok
  }
  const { values, positionals, problems } = parseCommandLine(command, args)
  const withAddresses = await environmentOf(command, values, terminal)
  return command.run({ values, positionals, problems, env: withAddresses, stdout, stderr })
}

/** The environment of a command, with what files of its project fill in. */
async function environmentOf(
  { name, options }: Command,
  values: Readonly<Record<string, unknown>>,
  { env, stderr }: Terminal,
): Promise<Environment> {
  const { project } = values
  // The engine that `serve` starts reads the file itself.
  if (name === 'serve' || !Object.hasOwn(options, 'project') || typeof project !== 'string') return env
  const { projectEnvironment } = await import('../manifests/project/project-env.ts')
  const filled = await projectEnvironment(resolve(project), env, (message) => stderr.write(`warning: ${message}\n`))
  if (filled !== env) (await import('../../core/known-secrets.ts')).rememberSecretsOf(filled)
  return filled
}

async function fail(error: unknown, { env, stderr }: Terminal): Promise<number> {
  const [{ exitCodeOf, isForeseen }, { sanitizeForTerminal }, { errorText }, { outputColumns }, { withoutSecrets }] =
    await Promise.all([
      import('./exit-code.ts'),
      import('../lib/text/sanitize-for-terminal.ts'),
      import('./progress/render-line.ts'),
      import('./progress/render-line.ts'),
      import('../../core/known-secrets.ts'),
    ])
  if (error instanceof Error && isForeseen(error)) {
    const hasColor = stderr.isTTY && env['NO_COLOR'] === undefined && env['CI'] === undefined
    const look = { color: hasColor, columns: outputColumns(stderr, env) }
    stderr.write(`${errorText(withoutSecrets(error.message), look)}\n`)
  } else {
    const wantsStack = env['RAG_LADDER_STACK'] === '1'
    const limit = limitBehind(error)
    const text = !(error instanceof Error)
      ? String(error)
      : wantsStack
        ? (error.stack ?? error.message)
        : limit !== null
          ? `${(error as NodeJS.ErrnoException).path ?? 'a file'} cannot be used: ${limit.reason}: ${limit.remedy}`
          : // The disk's and the system's errors explain themselves.
            'syscall' in error
            ? error.message
            : `unexpected: ${error.name}: ${error.message} (RAG_LADDER_STACK=1 shows where)`
    stderr.write(`${styleText('red', 'error:')} ${sanitizeForTerminal(withoutSecrets(text))}\n`)
  }
  return exitCodeOf(error)
}
