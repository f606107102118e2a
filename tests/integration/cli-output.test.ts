import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli, smokeProject, startCli } from '../helpers/cli.ts'
import { MODELS, rowsOf, smokeRun } from '../helpers/ladder-run.ts'
import { programFile } from '../helpers/program.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

let root: string
beforeAll(async () => {
  root = await smokeProject()
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** The approaches change only how many lines are printed. */
const ladder = (runId: string, models: string): string[] => [
  'ladder',
  ...smokeRun(root, runId),
  '--models',
  models,
  '--no-publish',
  '--no-cold-reset',
]
const rows = (runId: string) => rowsOf(join(root, `results/${runId}-smoke-evidence.jsonl`))

/** A command line in a shell; its exit code and what went to stderr. */
async function shell(line: string): Promise<{ code: number | null; stderr: string }> {
  const child = spawn('bash', ['-c', `set -o pipefail; ${line}`], { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })))
}
const quoted = (args: string[]): string =>
  [process.execPath, programFile('bin/rag-ladder.mjs'), ...args].map((arg) => `'${arg}'`).join(' ')

describe.skipIf(process.platform === 'win32')('an output that cannot be written', () => {
  it.each(['', '--json'])('does not end a run whose reader has read enough (%s)', async (form) => {
    const runId = `head${form}`
    const { code, stderr } = await shell(
      `${quoted([...ladder(runId, 'vanilla-rag'), ...(form === '' ? [] : [form])])} | head -1`,
    )
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(await rows(runId)).toHaveLength(4)
  })

  it('lets a small command end without a word when its reader has read enough', async () => {
    expect(await shell(`${quoted(['help'])} | true`)).toEqual({ code: 0, stderr: '' })
  })

  it.skipIf(!existsSync('/dev/full'))(
    'on a full disk does not end a run, and fails a command that only prints',
    async () => {
      const run = await shell(`${quoted(ladder('full', 'vanilla-rag'))} > /dev/full`)
      expect(run.code).toBe(0)
      expect(run.stderr).toMatch(/^warning: stdout cannot be written: .*ENOSPC.*lost\.\n$/)
      expect(await rows('full')).toHaveLength(4)
      const help = await shell(`${quoted(['help'])} > /dev/full`)
      expect(help).toEqual({ code: 1, stderr: run.stderr })
    },
  )
})

describe.skipIf(process.platform === 'win32')('a terminal that is closed', () => {
  it('lets the cells in flight finish, as Ctrl-C does', async () => {
    const run = startCli([...ladder('hangup', MODELS), '--json'])
    await run.event('cell.started')
    run.child.kill('SIGHUP')
    const { code, events } = await run.done
    expect(code).toBe(130)
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', outcome: 'interrupted' })
  })
})

describe('a command that does not exist', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('is refused by name: %s', async (name) => {
    const { code, stderr } = await runCli([name])
    expect(code).toBe(2)
    expect(stderr).toBe(`error: unknown command: ${name}\nrag-ladder --help lists the commands\n`)
  })

  it('is answered with the command that a misspelt name most likely means', async () => {
    const { code, stderr } = await runCli(['datset'])
    expect(code).toBe(2)
    expect(stderr).toBe('error: unknown command: datset; did you mean dataset?\nrag-ladder --help lists the commands\n')
  })
})

describe('the version', () => {
  it.each(['--version', '-V'])('is printed with the name of the program by %s', async (option) => {
    const { name, version } = JSON.parse(await readFile(join(PROJECT_ROOT, 'package.json'), 'utf8')) as Record<
      string,
      string
    >
    expect(await runCli([option])).toMatchObject({ code: 0, stdout: `${name} ${version}\n`, stderr: '' })
  })
})

describe('a command of several verbs', () => {
  it('lists every verb with its arguments in its help', async () => {
    const { code, stdout } = await runCli(['bundle', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(
      '  export RUN [--output FILE] [--allow-key-examples]\n      a run with evidence, artifacts and manifests as one zip file\n',
    )
    expect(stdout).toContain('  import FILE\n')
  })

  it.each([
    [['models', 'tset'], 'unknown verb tset, did you mean test?'],
    [['bundle'], 'name a verb:'],
    [['dataset', 'new'], 'usage: rag-ladder dataset new ID'],
  ])('refuses %j and names what is right', async (args, expected) => {
    const { code, stderr } = await runCli(args)
    expect(code).toBe(2)
    expect(stderr).toContain(expected)
  })
})
