import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Prints how many files a process has loaded as modules, when it ends. */
const COUNTER = `
  import { registerHooks } from 'node:module'
  let loaded = 0
  registerHooks({ load: (url, context, next) => ((loaded += url.startsWith('file:') ? 1 : 0), next(url, context)) })
  process.on('exit', () => process.stderr.write(String(loaded)))`

const PROGRAM = join(import.meta.dirname, '../../bin/rag-ladder.mjs')

it('help and the name of a command prints the options of that command, as --help does', async () => {
  const helpOf = async (...args: string[]) => (await promisify(execFile)(process.execPath, [PROGRAM, ...args])).stdout
  const [help, options] = await Promise.all([helpOf('help', 'doctor'), helpOf('doctor', '--help')])
  expect(help).toContain('Usage: rag-ladder doctor [options]')
  expect(help).toBe(options)
  await expect(helpOf('help', 'docter')).rejects.toThrow('did you mean doctor?')
})

it('the overview of the commands loads no command: a dozen modules print it', async () => {
  const counter = `data:text/javascript,${encodeURIComponent(COUNTER)}`
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', counter, PROGRAM, 'help'])
  expect(stdout).toContain('  ladder          Climb the datasets')
  expect(Number(stderr)).toBeGreaterThan(1)
  expect(Number(stderr)).toBeLessThanOrEqual(12)
})
