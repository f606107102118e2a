import { main } from './cli/main.ts'

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

const argv = process.argv.slice(2)
keepGoingWithoutOutput(argv[0] ?? '')
process.exitCode = await main(argv, { env: process.env, stdout: process.stdout, stderr: process.stderr })
