import { resolve } from 'node:path'
import { styleText } from 'node:util'
import type { Command } from './cli/command.ts'
import { COMMANDS } from './cli/commands.ts'
import packageFile from '../package.json' with { type: 'json' }

async function overview(): Promise<string> {
  const [{ helpTable }, { outputColumns }, { wrap }] = await Promise.all([
    import('./cli/command.ts'),
    import('./cli/progress/render-line.ts'),
    import('./lib/terminal-text.ts'),
  ])
  const columns = outputColumns(process.stdout, process.env)
  const commands = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => [name, (await load()).summary] as const),
  )
  return [
    'RAG Ladder: find out which retrieval approach fits your data.',
    '',
    'Usage: rag-ladder <command> [options]',
    '',
    ...helpTable(commands, 15, columns),
    '',
    'rag-ladder <command> --help lists its options.',
    ...wrap(
      'Exit codes: 0 done, 1 unexpected error, 2 bad input, 3 cells failed, 4 evidence refused, 5 a service failed, 130 interrupted.',
      columns,
      '  ',
    ),
    '',
  ].join('\n')
}

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(await overview())
    return 0
  }
  if (name === '--version' || name === '-V') {
    process.stdout.write(`${packageFile.name} ${packageFile.version}\n`)
    return 0
  }
  const { commandHelp, parseCommandLine, EXIT } = await import('./cli/command.ts')
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined) {
    const [{ nearestName }, { InputError }] = await Promise.all([
      import('./lib/nearest-name.ts'),
      import('./manifests/runner-inputs.ts'),
    ])
    const meant = nearestName(name, Object.keys(COMMANDS))
    const suggestion = meant === null ? '' : `; did you mean ${meant}?`
    throw new InputError([`unknown command: ${name}${suggestion}`, 'rag-ladder --help lists the commands'])
  }
  const [command, { rememberSecretsOf }, { rememberStoredKeys }] = await Promise.all([
    load(),
    import('./lib/known-secrets.ts'),
    import('./lib/model-keys.ts'),
  ])
  rememberSecretsOf(process.env)
  await rememberStoredKeys()
  if (args.includes('--help') || args.includes('-h')) {
    const { outputColumns } = await import('./cli/progress/render-line.ts')
    process.stdout.write(commandHelp(command, outputColumns(process.stdout, process.env)))
    return EXIT.ok
  }
  const { values, positionals, problems } = parseCommandLine(command, args)
  const env = await environmentOf(command, values)
  return command.run({ values, positionals, problems, env, stdout: process.stdout, stderr: process.stderr })
}

/** The environment of a command, with the addresses of services that its project names. */
async function environmentOf(
  { name, options }: Command,
  values: Readonly<Record<string, unknown>>,
): Promise<NodeJS.ProcessEnv> {
  const { project } = values
  // The engine that `serve` starts reads the file itself.
  if (name === 'serve' || !Object.hasOwn(options, 'project') || typeof project !== 'string') return process.env
  const { withConnections } = await import('./manifests/connections.ts')
  return withConnections(resolve(project), process.env, (message) => process.stderr.write(`warning: ${message}\n`))
}

const RUNS: ReadonlySet<string> = new Set(['ladder', 'matrix', 'worker', 'evaluate', 'judge', 'platform', 'serve'])

/**
 * An output that cannot be written ends no run: its reader may have ended (`| head`, a closed terminal), or its disk full. Anything but a reader
 * that has read enough is reported once on the other output. Without its output a run has still been made; any other command has failed.
 */
function keepGoingWithoutOutput(command: string): void {
  let isLost = false
  const outputs = { stdout: process.stdout, stderr: process.stderr }
  for (const [name, stream] of Object.entries(outputs))
    stream.on('error', ({ code = 'unknown', message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || code === 'EIO' || code === 'ERR_STREAM_DESTROYED' || isLost) return
      isLost = true
      const other = name === 'stdout' ? process.stderr : process.stdout
      other.write(`warning: ${name} cannot be written: ${message}. What would be printed there is lost.\n`)
    })
  process.on('exit', () => {
    if (isLost && process.exitCode === 0 && !RUNS.has(command)) process.exitCode = 1
  })
}

const hasColor = (out: NodeJS.WriteStream): boolean =>
  out.isTTY && process.env['NO_COLOR'] === undefined && process.env['CI'] === undefined

async function fail(error: unknown): Promise<number> {
  const [{ exitCodeOf, isForeseen }, { sanitizeForTerminal }, { errorText }, { outputColumns }, { withoutSecrets }] =
    await Promise.all([
      import('./cli/exit-code.ts'),
      import('./lib/sanitize-for-terminal.ts'),
      import('./cli/progress/render-line.ts'),
      import('./cli/progress/render-line.ts'),
      import('./lib/known-secrets.ts'),
    ])
  if (error instanceof Error && isForeseen(error)) {
    const look = { color: hasColor(process.stderr), columns: outputColumns(process.stderr, process.env) }
    process.stderr.write(`${errorText(withoutSecrets(error.message), look)}\n`)
  } else {
    const wantsStack = process.env['RAG_LADDER_STACK'] === '1'
    const text = !(error instanceof Error)
      ? String(error)
      : wantsStack
        ? (error.stack ?? error.message)
        : // The disk's and the system's errors explain themselves.
          'syscall' in error
          ? error.message
          : `unexpected: ${error.name}: ${error.message} (RAG_LADDER_STACK=1 shows where)`
    process.stderr.write(`${styleText('red', 'error:')} ${sanitizeForTerminal(withoutSecrets(text))}\n`)
  }
  return exitCodeOf(error)
}

const argv = process.argv.slice(2)
keepGoingWithoutOutput(argv[0] ?? '')
process.exitCode = await main(argv).catch(fail)
