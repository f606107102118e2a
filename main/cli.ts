import { styleText } from 'node:util'
import type { Command } from './cli/command.ts'

/** Commands by name; each is loaded when it is called, so that a small one starts fast. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  ladder: async () => (await import('./cli/commands/ladder.ts')).ladderCommand,
  matrix: async () => (await import('./cli/commands/matrix.ts')).matrixCommand,
  plan: async () => (await import('./cli/commands/plan.ts')).planCommand,
  evaluate: async () => (await import('./cli/commands/evaluate.ts')).evaluateCommand,
  judge: async () => (await import('./cli/commands/judge.ts')).judgeCommand,
  summarize: async () => (await import('./cli/commands/summarize.ts')).summarizeCommand,
  report: async () => (await import('./cli/commands/report.ts')).reportCommand,
  publish: async () => (await import('./cli/commands/publish.ts')).publishCommand,
  verify: async () => (await import('./cli/commands/verify.ts')).verifyCommand,
  recover: async () => (await import('./cli/commands/recover.ts')).recoverCommand,
  platform: async () => (await import('./cli/commands/platform.ts')).platformCommand,
  serve: async () => (await import('./cli/commands/serve.ts')).serveCommand,
}

async function overview(): Promise<string> {
  const [{ helpTable }, { outputColumns }, { wrap }] = await Promise.all([
    import('./cli/help-table.ts'),
    import('./cli/progress/output-columns.ts'),
    import('./report/terminal-text.ts'),
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
    ...helpTable(commands, 11, columns),
    '',
    'rag-ladder <command> --help tells its options.',
    ...wrap(
      'Exit codes: 0 done, 1 unexpected error, 2 bad input, 3 cells failed, 4 evidence refused, 5 a service failed, 130 interrupted.',
      columns,
      '  ',
    ),
    '',
  ].join('\n')
}

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help') {
    process.stdout.write(await overview())
    return 0
  }
  const { commandHelp, parseCommandLine, EXIT } = await import('./cli/command.ts')
  const load = COMMANDS[name]
  if (load === undefined) {
    process.stderr.write(`unknown command: ${name}\n\n${await overview()}`)
    return EXIT.badInput
  }
  const [command, { rememberSecretsOf }] = await Promise.all([load(), import('./lib/known-secrets.ts')])
  rememberSecretsOf(process.env)
  if (args.includes('--help')) {
    const { outputColumns } = await import('./cli/progress/output-columns.ts')
    process.stdout.write(commandHelp(command, outputColumns(process.stdout, process.env)))
    return EXIT.ok
  }
  const { values, positionals } = parseCommandLine(command, args)
  return command.run({ values, positionals, env: process.env, stdout: process.stdout, stderr: process.stderr })
}

const hasColor = (out: NodeJS.WriteStream): boolean =>
  out.isTTY && process.env['NO_COLOR'] === undefined && process.env['CI'] === undefined

async function fail(error: unknown): Promise<number> {
  const [{ exitCodeOf, isForeseen }, { sanitizeForTerminal }, { errorText }, { outputColumns }, { withoutSecrets }] =
    await Promise.all([
      import('./cli/exit-code.ts'),
      import('./report/sanitize-for-terminal.ts'),
      import('./cli/error-text.ts'),
      import('./cli/progress/output-columns.ts'),
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

process.exitCode = await main(process.argv.slice(2)).catch(fail)
