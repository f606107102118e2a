import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { readAggregate } from '../../main/report/publication/write-artifacts.ts'
import { artifactFiles } from '../../main/evidence/files/artifact-files.ts'
import { runCli, smokeProject, startCli } from '../helpers/cli.ts'
import { planOf } from '../helpers/ladder-run.ts'
import { startRefusingGateway, type RefusingGateway } from '../helpers/refusing-gateway.ts'

/** Four questions × these. */
const MODELS = 'vanilla-rag,hybrid-rag,contextual-rag,lazy-graph-rag'

let root = ''
let gateway: RefusingGateway
beforeAll(async () => {
  root = await smokeProject()
  gateway = await startRefusingGateway()
})
afterAll(async () => {
  await gateway.close()
  await rm(root, { recursive: true, force: true })
})
beforeEach(() => gateway.reset())

const files = (runId: string) => artifactFiles(join(root, 'results'), runId, 'smoke')
const matrix = (runId: string, ...more: string[]): string[] => [
  'matrix',
  '--project',
  root,
  '--dataset',
  'smoke',
  '--models',
  MODELS,
  '--gateway',
  gateway.url,
  '--run-id',
  runId,
  '--no-evaluate',
  '--concurrency',
  '1',
  '--json',
  ...more,
]
const lastCells = async (runId: string): Promise<Record<string, number>> => {
  const aggregate = await readAggregate(files(runId).evaluation)
  const sum = (part: 'ok' | 'error' | 'missing'): number =>
    aggregate!.approaches.reduce((total, { cells }) => total + cells[part], 0)
  return { ok: sum('ok'), error: sum('error'), missing: sum('missing') }
}

describe('a gateway that refuses the key', () => {
  it('stops the run after three refusals and one of each further approach, and the next run of the same id loses and repeats nothing', async () => {
    gateway.answer = (call) => (call <= 2 ? 200 : 401)
    const stopped = await runCli(matrix('refused'))
    expect(stopped.code).toBe(5)
    const failure = stopped.events.find(({ type }) => type === 'step.failed')
    expect(failure).toMatchObject({ step: 'cells', code: 'access_refused' })
    expect(failure!['message']).toContain(`${gateway.url}/v1/chat/completions answered 4 calls in a row with HTTP 401`)
    expect(failure!['message']).toContain('MATRIX_GATEWAY_API_KEY')
    expect(gateway.calls()).toHaveLength(6)

    gateway.answer = () => 200
    const planned = await runCli(['plan', ...matrix('refused').slice(1), '--no-cold-reset'])
    expect(JSON.parse(planned.stdout)).toMatchObject({ reuse: 2, run: 14, retry: 4, failed: { access: 4, other: 0 } })
    const resumed = await runCli(matrix('refused'))
    expect([resumed.code, planOf(resumed)]).toMatchObject([0, { reuse: 2, run: 14, retry: 4 }])
    expect(gateway.calls()).toHaveLength(20)
    expect(await lastCells('refused')).toEqual({ ok: 16, error: 0, missing: 0 })
    expect(await verifyEvidence(files('refused').evidence)).toMatchObject({ ok: true, rows: 20, supersededRows: 4 })
    const again = await runCli(matrix('refused'))
    expect([again.code, planOf(again)]).toMatchObject([0, { reuse: 16, run: 0 }])
    expect(gateway.calls()).toHaveLength(20)
  }, 60_000)
})

describe('--retry-failed', () => {
  it('by default tries only cells again that were not reached; the flag and the variable decide otherwise', async () => {
    // Every second call fails: HTTP 404, then HTTP 400.
    gateway.answer = (call) => (call % 4 === 2 ? 404 : call % 4 === 0 ? 400 : 200)
    const first = await runCli(matrix('mixed'))
    expect([first.code, await lastCells('mixed')]).toEqual([3, { ok: 8, error: 8, missing: 0 }])
    gateway.answer = () => 200

    const none = await runCli(matrix('mixed', '--no-retry-failed'))
    expect([none.code, planOf(none)]).toMatchObject([3, { reuse: 16, run: 0, failed: { access: 4, other: 4 } }])
    const byVariable = await runCli(['plan', ...matrix('mixed').slice(1), '--no-cold-reset'], {
      MATRIX_RETRY_FAILED: 'none',
    })
    expect(JSON.parse(byVariable.stdout)).toMatchObject({ reuse: 16, run: 0 })

    const access = await runCli(matrix('mixed'))
    expect([access.code, planOf(access)]).toMatchObject([3, { reuse: 12, run: 4, retry: 4 }])
    expect(await lastCells('mixed')).toEqual({ ok: 12, error: 4, missing: 0 })

    const every = await runCli(matrix('mixed', '--retry-failed'))
    expect([every.code, planOf(every)]).toMatchObject([0, { reuse: 12, run: 4, retry: 4 }])
    expect(await lastCells('mixed')).toEqual({ ok: 16, error: 0, missing: 0 })
    expect(gateway.calls()).toHaveLength(24)
  }, 60_000)

  it('refuses another value of its variable by name', async () => {
    const run = await runCli(matrix('wrong'), { MATRIX_RETRY_FAILED: 'yes' })
    expect([run.code, run.stderr]).toEqual([
      2,
      expect.stringContaining('MATRIX_RETRY_FAILED: must be access, all, none, got yes'),
    ])
  })
})

describe('a run that is killed while it tries cells again', () => {
  const evaluated = (...more: string[]): string[] =>
    matrix('killed', '--evaluator', `${gateway.url}/evaluate`, ...more).filter((word) => word !== '--no-evaluate')

  it('loses nothing and pays no call twice', async () => {
    gateway.answer = () => 403
    expect((await runCli(evaluated())).code).toBe(5)
    expect(gateway.calls()).toHaveLength(4)

    // The third evaluation of the retried cells never ends: their answer is kept, their row is not stored.
    gateway.answer = () => 200
    gateway.holdEvaluation = 3
    const running = startCli(evaluated())
    await gateway.evaluationHeld()
    running.child.kill('SIGKILL')
    await running.done
    expect(gateway.calls()).toHaveLength(7)
    expect(await verifyEvidence(files('killed').evidence)).toMatchObject({
      ok: true,
      rows: 6,
      supersededRows: 2,
      pendingAnswers: 1,
    })

    gateway.holdEvaluation = null
    const resumed = await runCli(evaluated('--no-retry-failed'))
    expect(planOf(resumed)).toMatchObject({ reuse: 3, run: 12, resume_answered: 1 })
    expect(gateway.calls()).toHaveLength(19)
    const last = await runCli(evaluated())
    expect([last.code, planOf(last)]).toMatchObject([0, { reuse: 15, run: 1, retry: 1 }])
    expect(gateway.calls()).toHaveLength(20)
    expect(await lastCells('killed')).toEqual({ ok: 16, error: 0, missing: 0 })
    expect(await verifyEvidence(files('killed').evidence)).toMatchObject({
      ok: true,
      rows: 20,
      supersededRows: 4,
      pendingAnswers: 0,
    })
  }, 90_000)
})
