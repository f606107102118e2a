import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli, smokeProject, startCli } from '../helpers/cli.ts'
import { eventsUntil, startEngine } from '../helpers/engine-process.ts'
import { ranToEnd } from '../helpers/engine-runs.ts'
import { smokeRun } from '../helpers/ladder-run.ts'
import { startSpecifiedPlatform, type SpecifiedPlatform } from '../helpers/specified-platform.ts'

let root = ''
let stub: SpecifiedPlatform
beforeAll(async () => {
  root = await smokeProject()
  stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag', 'hybrid-rag'], flaky: ['vanilla-rag'] })
})
afterAll(async () => {
  await stub.close()
  await rm(root, { recursive: true })
})

const addresses = (): Record<string, string> => ({
  MATRIX_GATEWAY_URL: stub.gateway,
  MATRIX_PLATFORM_URL: stub.platform,
  MATRIX_EVALUATOR_URL: stub.evaluator,
})
const ladder = (runId: string, ...options: string[]): string[] => [
  'ladder',
  ...smokeRun(root, runId),
  '--models',
  'vanilla-rag',
  '--no-cold-reset',
  '--no-publish',
  ...options,
]
const REUSED = /smoke sm-01 vanilla-rag reused: its row is stored, made under the same conditions/

it('--verbose logs why a cell was retried, and RAG_LADDER_LOG=debug why it was reused; without them nothing is logged', async () => {
  const first = await runCli(ladder('said', '--verbose'), addresses())
  expect([first.code, first.stdout]).toEqual([
    0,
    expect.stringMatching(
      /smoke sm-01 vanilla-rag retried: attempt 1 of 2 failed, http error \(HTTP 503\): .*busy.*; the next one starts in 500 ms/,
    ),
  ])
  const second = await runCli(ladder('said'), { ...addresses(), RAG_LADDER_LOG: 'debug' })
  expect([second.code, second.stdout]).toEqual([0, expect.stringMatching(REUSED)])
  const silent = await runCli(ladder('said'), addresses())
  expect([silent.code, REUSED.test(silent.stdout)]).toEqual([0, false])
}, 60_000)

it('--verbose names the cells that a stopped run skipped', async () => {
  const held = Promise.withResolvers<null>()
  stub.options.hold = held.promise
  const running = startCli(ladder('stopped', '--verbose', '--json', '--concurrency', '1'), addresses())
  await running.event('cell.started')
  running.child.kill('SIGINT')
  await running.event('notice')
  held.resolve(null)
  const { code, events } = await running.done
  delete stub.options.hold
  const explained = events.filter(({ type }) => type === 'cell.explained')
  const made = events.filter(({ type }) => type === 'cell.finished')
  expect([code, made.length]).toEqual([130, 1])
  const skipped = explained.filter(({ action }) => action === 'skipped')
  expect(skipped.map(({ model, reason }) => [model, reason])).toEqual(
    Array.from({ length: 3 }, () => ['vanilla-rag', 'the run was stopped']),
  )
  expect(skipped.map(({ row_id }) => row_id)).not.toContain(made[0]!['row_id'])
}, 60_000)

it('an engine started with RAG_LADDER_LOG=debug explains its runs in its events', async () => {
  const engine = await startEngine(root, { ...addresses(), RAG_LADDER_LOG: 'debug' })
  const { client } = engine
  try {
    const request = { dataset_ids: ['smoke'], models: ['vanilla-rag'], judge: { enabled: false } }
    const again = () => client.runs.start({ ...request, run_id: 'explained' })
    for (const _ of ['makes the rows', 'reuses them']) await ranToEnd(client, 'explained', again)
    const seen = await eventsUntil(client, { after: 0 }, (event, all) => {
      const isOver = event.type === 'run.finished'
      return isOver && all.filter((entry) => entry.event.type === 'run.finished').length === 2
    })
    const reused = seen.flatMap(({ event }) => (event.type === 'cell.explained' ? [event.action] : []))
    expect(reused).toEqual(['reused', 'reused', 'reused', 'reused'])
  } finally {
    await engine.stop()
  }
}, 60_000)
