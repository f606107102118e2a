import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { openLog, temporaryLogFile } from '../helpers/evidence-files.ts'
import { sampleRow } from '../helpers/evidence-rows.ts'
import { timesOf } from '../helpers/repetitions.ts'
import { bundledScript } from './bundled-script.ts'
import { runKillRounds } from './kill-rounds.ts'
import type { KillRunnerInput } from './kill-runner.ts'

async function startRunner(input: KillRunnerInput) {
  const script = await bundledScript('kill-runner.ts')
  const child = spawn(process.execPath, [script, JSON.stringify(input)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()))
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, text })) }
}

async function callsIn(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.startsWith('calls-'))
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) => text.split('\n').slice(0, -1)).map((line) => line.split(' ')[0]!)
}

describe('killed runners', () => {
  it('lose no acknowledged row, call no safe cell again, and leave at most a torn tail', async () => {
    const report = await runKillRounds({
      rounds: timesOf('runners of a log are killed in rounds'),
      runners: 2,
      seed: 20_251_120,
      maxMs: 40_000,
    })
    expect(report).toMatchObject({ lostRows: [], doubleCalls: [], damage: [] })
    expect(report.rounds).toBeGreaterThan(3)
    expect(report.acknowledged).toBeGreaterThan(report.rounds)
  })

  // The killed runner would have held its cell for 60 s, twice as long as this test may take.
  it('a killed runner releases its cells at once to a runner that waits for them', async () => {
    const file = await temporaryLogFile()
    const callsFile = join(dirname(file), 'calls-0')
    const { child } = await startRunner({ file, callsFile, seed: 1, first: 0, last: null, inFlight: 1, callMs: 60_000 })
    while (!(await readFile(callsFile, 'utf8').catch(() => '')).includes('\n'))
      await new Promise((resolve) => setTimeout(resolve, 10))
    const log = await openLog(file)
    const row = sampleRow({ question: 'q0' })
    const waiting = log.claim(row.row_id)
    child.kill('SIGKILL')
    expect(await waiting).toMatchObject({ outcome: 'claimed', answered: null })
  }, 30_000)
})

describe('living runners', () => {
  it('that race for the same cells call each exactly once', async () => {
    const file = await temporaryLogFile()
    const folder = dirname(file)
    const cells = 120
    const runners = await Promise.all(
      [1, 2].map((seed) =>
        startRunner({
          file,
          callsFile: join(folder, `calls-${seed}`),
          seed,
          first: 1,
          last: cells,
          inFlight: 4,
        }),
      ),
    )
    for (const { code, text } of await Promise.all(runners.map(({ ended }) => ended))) {
      expect(code).toBe(0)
      expect(text).toContain('done')
      expect(text).not.toContain('notice')
    }
    const calls = await callsIn(folder)
    expect(new Set(calls).size).toBe(cells)
    expect(calls).toHaveLength(cells)
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: cells, pendingAnswers: 0 })
  })
})
